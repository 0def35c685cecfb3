/** Small questions about an index, answered for the document of a checkpoint. */
import { createHash } from "node:crypto";
import { ROOT, type BytePath } from "../../../domain/byte-path.ts";
import type { ScopeFilter } from "../../../domain/scope.ts";
import { quickPath, type RootFolder } from "../../files/byte-names.ts";
import { lookAt } from "../../files/file-stat.ts";
import type { IndexFile } from "../index-file.ts";
import { entryMode, type Leaf } from "../tree-builder.ts";

export function countConflicts(index: IndexFile | undefined): number {
  const paths = new Set<string>();
  for (const entry of index?.special ?? []) {
    if (index !== undefined && index.stage(entry) !== 0) paths.add(index.path(entry));
  }
  return paths.size;
}

/** What is below a folder that is gone is gone too. Git does not say so where a link leads to itself. */
export function addEntriesBelow(
  changed: Set<BytePath>,
  index: IndexFile | undefined,
  gone: ReadonlySet<BytePath>,
): void {
  for (const folder of gone) {
    if (index === undefined) break;
    const end = index.lowerBound(`${folder}0`);
    for (let entry = index.lowerBound(`${folder}/`); entry < end; entry++) {
      changed.add(index.path(entry));
    }
  }
}

/** Files that cannot be looked at: git passes over them, as if they were as in the index. */
export function addUnreadable(
  changed: Set<BytePath>,
  index: IndexFile | undefined,
  root: RootFolder,
): void {
  for (let entry = 0; entry < (index?.length ?? 0); entry++) {
    const path = index?.path(entry);
    if (path === undefined) break;
    if (lookAt(quickPath(root, path))?.kind === "unreadable") changed.add(path);
  }
}

export function dirtyPaths(
  index: IndexFile | undefined,
  changed: ReadonlySet<BytePath>,
): ReadonlySet<BytePath> {
  const dirty = new Set(changed);
  for (const entry of index?.special ?? []) if (index !== undefined) dirty.add(index.path(entry));
  return dirty;
}

/** By the index's own record; files that were read are counted as they are read. */
export function cleanBytes(
  index: IndexFile | undefined,
  dirty: ReadonlySet<BytePath>,
  scope?: ScopeFilter,
): number {
  if (scope !== undefined) return coveredBytes(index, dirty, scope);
  let bytes = index?.totalSize ?? 0;
  for (const path of dirty) {
    const entry = index?.find(path) ?? -1;
    if (entry >= 0) bytes -= index?.statSize(entry) ?? 0;
  }
  return bytes;
}

function coveredBytes(
  index: IndexFile | undefined,
  dirty: ReadonlySet<BytePath>,
  scope: ScopeFilter,
): number {
  let bytes = 0;
  for (let entry = 0; entry < (index?.length ?? 0); entry++) {
    const path = index?.path(entry) ?? ROOT;
    if (!dirty.has(path) && scope.covers(path, false)) bytes += index?.statSize(entry) ?? 0;
  }
  return bytes;
}

export function indexModeOf(index: IndexFile | undefined, path: BytePath): Leaf["mode"] {
  return index === undefined ? "100644" : entryMode(index.mode(index.find(path)));
}

export function digestFlags(index: IndexFile | undefined): string {
  const digest = createHash("sha256");
  for (const entry of index?.special ?? []) {
    if (index === undefined) break;
    const flags = [
      index.stage(entry),
      index.isAssumedValid(entry),
      index.skipsWorkTree(entry),
      index.isIntentToAdd(entry),
      index.mode(entry),
    ];
    digest.update(`${flags.join(" ")} ${index.path(entry)}\0`, "latin1");
  }
  return digest.digest("hex");
}

export function countFiles(
  index: IndexFile | undefined,
  changes: ReadonlyMap<BytePath, Leaf | null>,
  scope?: ScopeFilter,
): number {
  if (scope !== undefined) return coveredFiles(index, changes, scope);
  let files = index?.length ?? 0;
  for (const entry of index?.special ?? []) {
    if (index !== undefined && (index.stage(entry) !== 0 || index.isIntentToAdd(entry))) files -= 1;
  }
  for (const [path, leaf] of changes) {
    const entry = index?.find(path) ?? -1;
    const counted = entry >= 0 && index?.isIntentToAdd(entry) === false;
    if (leaf === null && counted) files -= 1;
    if (leaf !== null && !counted) files += 1;
  }
  return files;
}

function coveredFiles(
  index: IndexFile | undefined,
  changes: ReadonlyMap<BytePath, Leaf | null>,
  scope: ScopeFilter,
): number {
  const present = new Set<BytePath>();
  for (let entry = 0; entry < (index?.length ?? 0); entry++) {
    if (index?.stage(entry) === 0 && !index.isIntentToAdd(entry)) present.add(index.path(entry));
  }
  for (const [path, leaf] of changes) {
    if (leaf === null) present.delete(path);
    else present.add(path);
  }
  return [...present].filter((path) => scope.covers(path, false)).length;
}
