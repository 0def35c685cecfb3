/**
 * Checks a stored index file that comes from outside. A rollback puts it into the repository as it is, and git trusts
 * its index: an entry below `.git` would be written there by the next `git checkout`, and a wrong tree in its cache
 * would be what the next commit holds.
 */
import { createHash } from "node:crypto";
import { isHostileInIndex, isHostilePath } from "../../../domain/hostile-path.ts";
import type { BytePath } from "../../../domain/byte-path.ts";
import { IndexFile } from "../index-file.ts";
import { IndexTrees } from "../index-trees.ts";
import type { HashName } from "../object-hash.ts";
import { entryMode } from "../tree-builder.ts";

const MODES = new Set(["100644", "100755", "120000", "160000"]);
const FOLDER = "040000";

export type CheckedIndex =
  | { readonly kind: "ok"; readonly index: IndexFile; readonly tree: string }
  | { readonly kind: "wrong"; readonly problem: string };

/** `tree` is the tree that git would write for it. */
export function checkIndex(bytes: Buffer, hash: HashName, foldsCase: boolean): CheckedIndex {
  let index: IndexFile;
  try {
    index = new IndexFile(bytes, hash);
    index.readTrees();
  } catch {
    return wrong("its index cannot be read");
  }
  if (!hasRightChecksum(bytes, hash)) return wrong("the checksum of its index is wrong");
  if (index.isSplit) return wrong("its index needs another file");
  const problem = entryProblem(index, foldsCase);
  if (problem !== undefined) return wrong(problem);
  const trees = new IndexTrees(index, hash);
  return trees.isCacheWrong
    ? wrong("its index names other folders than it has")
    : { kind: "ok", index, tree: trees.root };
}

const wrong = (problem: string): CheckedIndex => ({ kind: "wrong", problem });

/** Git leaves it out (zeros) where `index.skipHash` is set. */
function hasRightChecksum(bytes: Buffer, hash: HashName): boolean {
  const length = hash === "sha1" ? 20 : 32;
  const stored = bytes.subarray(-length);
  if (stored.every((byte) => byte === 0)) return true;
  return createHash(hash).update(bytes.subarray(0, -length)).digest().equals(stored);
}

function entryProblem(index: IndexFile, foldsCase: boolean): string | undefined {
  let previous = "";
  let previousStage = -1;
  for (let entry = 0; entry < index.length; entry++) {
    const path = index.path(entry);
    const mode = entryMode(index.mode(entry));
    const isFolder = mode === FOLDER && index.isSparse && path.endsWith("/");
    const plain = (isFolder ? path.slice(0, -1) : path) as BytePath;
    if (isHostileInIndex(plain) || isHostilePath(plain, foldsCase))
      return `its index has the path ${JSON.stringify(path)}`;
    if (!isFolder && !MODES.has(mode)) return `its index has an entry of the kind ${mode}`;
    const stage = index.stage(entry);
    const isInOrder =
      previous < path || (previous === path && previousStage < stage && previousStage > 0);
    if (entry > 0 && !isInOrder) return "the entries of its index are not in order";
    if (entry > 0 && path.startsWith(`${previous}/`))
      return `its index has ${JSON.stringify(previous)} as file and folder`;
    previous = path;
    previousStage = stage;
  }
  return undefined;
}
