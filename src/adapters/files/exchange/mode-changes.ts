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
 * them too. Such a one is exchanged for a file of its own, unless all of its names are to have that mode.
 */
export function splitModes(
  mover: FileMover,
  changes: readonly ModeChange[],
): { readonly exchanged: readonly ModeChange[]; readonly modes: readonly ModeStep[] } {
  const links = changes.map((change) => ({
    change,
    found: mover.linksOf(change.area, change.path),
  }));
  const wanting = new Map<string, number>();
  const wishOf = (file: string, { target }: ModeChange): string => `${file} ${target.mode}`;
  for (const { change, found } of links) {
    if (found === undefined) continue;
    const wish = wishOf(found.file, change);
    wanting.set(wish, (wanting.get(wish) ?? 0) + 1);
  }
  const isShared = ({ change, found }: (typeof links)[number]): boolean =>
    found !== undefined && wanting.get(wishOf(found.file, change)) !== found.names;
  return {
    exchanged: links.filter(isShared).map(({ change }) => change),
    modes: links
      .filter((link) => !isShared(link))
      .map(({ change: { before, target, ...place } }) => ({
        ...place,
        before: before.mode,
        target: target.mode,
      })),
  };
}
