/** Every command, in the order in which help and docs show them. */
import type { CommandFamily, CommandSpec } from "./command-spec.ts";
import { completeSpec } from "./commands/complete.spec.ts";
import { completionSpec } from "./commands/completion.spec.ts";
import {
  configSetSpec,
  configSpec,
  configTrustSpec,
  configUnsetSpec,
} from "./commands/config.spec.ts";
import { createSpec } from "./commands/create.spec.ts";
import { diffSpec } from "./commands/diff.spec.ts";
import { exportSpec } from "./commands/export.spec.ts";
import { importSpec } from "./commands/import.spec.ts";
import { doctorSpec } from "./commands/doctor.spec.ts";
import { gitSpec } from "./commands/git.spec.ts";
import { hookSpec } from "./commands/hook.spec.ts";
import { guardSpec } from "./commands/guard.spec.ts";
import { HOOKS_FAMILY, HOOKS_SPECS } from "./commands/hooks/hooks.spec.ts";
import { initSpec } from "./commands/init.spec.ts";
import { listSpec } from "./commands/list.spec.ts";
import { logSpec } from "./commands/log.spec.ts";
import { cleanupSpec } from "./commands/cleanup.spec.ts";
import { deleteSpec } from "./commands/delete.spec.ts";
import { pinSpec, unpinSpec } from "./commands/pin.spec.ts";
import { mcpSpec } from "./commands/mcp.spec.ts";
import { observeSpec } from "./commands/observe.spec.ts";
import { phaseSpec } from "./commands/phase.spec.ts";
import { purgeSpec } from "./commands/purge.spec.ts";
import { rebuildSpec } from "./commands/rebuild.spec.ts";
import { recoverSpec } from "./commands/recover.spec.ts";
import { resumeSpec } from "./commands/resume.spec.ts";
import { rollbackSpec } from "./commands/rollback.spec.ts";
import { runSpec } from "./commands/run.spec.ts";
import { schemaSpec } from "./commands/schema.spec.ts";
import { SESSION_FAMILY, SESSION_SPECS } from "./commands/session/session.spec.ts";
import { storeOwnSpec, storeSpec } from "./commands/store.spec.ts";
import { showSpec } from "./commands/show.spec.ts";
import { stashSpec } from "./commands/stash.spec.ts";
import { redoSpec, undoSpec } from "./commands/undo.spec.ts";
import { statusSpec } from "./commands/status.spec.ts";
import { validateSpec } from "./commands/validate.spec.ts";

/** Commands of two words, by the first. */
export const FAMILIES: readonly CommandFamily[] = [SESSION_FAMILY, HOOKS_FAMILY];

export const COMMANDS: readonly CommandSpec[] = [
  createSpec,
  statusSpec,
  listSpec,
  showSpec,
  diffSpec,
  logSpec,
  rollbackSpec,
  undoSpec,
  redoSpec,
  recoverSpec,
  guardSpec,
  phaseSpec,
  runSpec,
  resumeSpec,
  observeSpec,
  ...SESSION_SPECS,
  validateSpec,
  hookSpec,
  schemaSpec,
  completionSpec,
  completeSpec,
  mcpSpec,
  rebuildSpec,
  exportSpec,
  importSpec,
  pinSpec,
  unpinSpec,
  cleanupSpec,
  deleteSpec,
  purgeSpec,
  stashSpec,
  gitSpec,
  storeSpec,
  storeOwnSpec,
  initSpec,
  ...HOOKS_SPECS,
  configSpec,
  configSetSpec,
  configUnsetSpec,
  configTrustSpec,
  doctorSpec,
];
