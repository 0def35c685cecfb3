/**
 * Puts the folders of a sparse index back in the place of their files, where these are still what the folder stands for. The others stay files,
 * which a sparse index may have beside folders.
 */
import { ancestorsOf, type BytePath } from "../../../domain/byte-path.ts";
import { isEqual, keyOf, type Entry } from "./index-entry.ts";

/** A sparse index, and the same with files only. */
export interface Folded {
  readonly entries: readonly Entry[];
  readonly files: readonly Entry[];
}

export function foldFolders(files: readonly Entry[], sources: readonly Folded[]): Entry[] {
  const left = new Set(files);
  const folded: Entry[] = [];
  for (const { entries, files: meant } of sources) {
    const folders = new Map(
      entries.filter(({ path }) => path.endsWith("/")).map((entry) => [entry.path, entry]),
    );
    const wanted = byFolder(meant, folders);
    for (const [path, inside] of byFolder([...left], folders)) {
      const folder = folders.get(path);
      if (folder === undefined || !areSame(inside, wanted.get(path) ?? [])) continue;
      for (const entry of inside) left.delete(entry);
      folded.push(folder);
    }
  }
  return [...left, ...folded];
}

function byFolder(
  files: readonly Entry[],
  folders: ReadonlyMap<BytePath, Entry>,
): Map<BytePath, Entry[]> {
  const found = new Map<BytePath, Entry[]>();
  for (const entry of files) {
    const folder = ancestorsOf(entry.path).find((path) => folders.has(asFolder(path)));
    if (folder === undefined) continue;
    const inside = found.get(asFolder(folder));
    if (inside === undefined) found.set(asFolder(folder), [entry]);
    else inside.push(entry);
  }
  return found;
}

const asFolder = (path: BytePath): BytePath => `${path}/` as BytePath;

function areSame(some: readonly Entry[], others: readonly Entry[]): boolean {
  const known = new Map(others.map((entry) => [keyOf(entry), entry]));
  return (
    some.length === others.length &&
    some.every((entry) => {
      const other = known.get(keyOf(entry));
      return other !== undefined && isEqual(other, entry);
    })
  );
}
