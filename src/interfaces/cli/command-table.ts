/** Every command, in the order in which help and docs show them. */
import type { CommandSpec } from "./command-spec.ts";
import { createSpec } from "./commands/create.spec.ts";
import { exportSpec } from "./commands/export.spec.ts";
import { importSpec } from "./commands/import.spec.ts";
import { listSpec } from "./commands/list.spec.ts";
import { rebuildSpec } from "./commands/rebuild.spec.ts";
import { recoverSpec } from "./commands/recover.spec.ts";
import { rollbackSpec } from "./commands/rollback.spec.ts";
import { showSpec } from "./commands/show.spec.ts";
import { redoSpec, undoSpec } from "./commands/undo.spec.ts";
import { validateSpec } from "./commands/validate.spec.ts";

export const COMMANDS: readonly CommandSpec[] = [
  createSpec,
  listSpec,
  showSpec,
  rollbackSpec,
  undoSpec,
  redoSpec,
  recoverSpec,
  validateSpec,
  rebuildSpec,
  exportSpec,
  importSpec,
];
