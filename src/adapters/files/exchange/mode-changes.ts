/** Files that differ in nothing but their mode. */
import type { BytePath } from "../../../domain/byte-path.ts";
import type { FileState } from "../../../domain/file-state.ts";
import type { FileMover } from "./file-mover.ts";
import type { Area, ModeStep } from "./steps.ts";

interface ModeChange {
  readonly area: Area;
  readonly path: BytePath;
  readonly before: FileState;
  readonly target: FileState;
}

/**
 * A mode belongs to a file and not to its name: where a file has other names, in the project or outside of it, a chmod would change
 * them too. Such a one is exchanged for a file of its own.
 */
export function splitModes(
  mover: FileMover,
  changes: readonly ModeChange[],
): { readonly exchanged: readonly ModeChange[]; readonly modes: readonly ModeStep[] } {
  const exchanged = changes.filter(({ area, path }) => mover.hasOtherNames(area, path));
  const shared = new Set(exchanged);
  const modes = changes
    .filter((change) => !shared.has(change))
    .map(({ before, target, ...place }) => ({
      ...place,
      before: before.mode,
      target: target.mode,
    }));
  return { exchanged, modes };
}
