/**
 * What of the trees need not be made again when only some of the changes are new: the index's tree and its comparison with
 * HEAD, and the folders in which everything is as it was. Nothing of it is used that the last checkpoint does not hold.
 */
import { ROOT, type BytePath } from "../../../domain/byte-path.ts";
import type { KnownFolder, KnownTrees } from "../capture-cache.ts";
import { digestFolders, type ChangedFolders } from "../folder-changes.ts";
import type { Head } from "../head.ts";
import type { IndexSnapshot } from "../index-snapshot.ts";
import { sha256 } from "../sha256.ts";

/** With more than that, what is remembered takes longer to read than the trees to make. */
const MOST_FOLDERS = 500;

/** Everything that the index's own tree, and what HEAD has of it, depend on. */
export function baseKey({ identity }: IndexSnapshot, { tree }: Head): string {
  return sha256(JSON.stringify([identity, tree]));
}

export function knownBase(
  last: KnownTrees | undefined,
  key: string,
  held: ReadonlySet<string>,
): KnownTrees | undefined {
  const isSame = last?.base.key === key && last.base.own.every((oid) => held.has(oid));
  return isSame ? last : undefined;
}

export class KnownFolders {
  /** By folder: its tree, "" where nothing is left in it. */
  readonly trees = new Map<BytePath, string>();
  readonly #digests: ReadonlyMap<BytePath, string>;

  /** `last`: undefined when the index or HEAD is another one. */
  constructor(changed: ChangedFolders, last: KnownTrees | undefined, held: ReadonlySet<string>) {
    this.#digests = changed.size > MOST_FOLDERS ? new Map() : digestFolders(changed);
    for (const [name, digest, tree] of last?.folders ?? []) {
      const folder = name as BytePath;
      const isSame = this.#digests.get(folder) === digest;
      if (isSame && (tree === "" || held.has(tree))) this.trees.set(folder, tree);
    }
  }

  /** To remember: these and those that were made. */
  with(made: ReadonlyMap<BytePath, string>): KnownFolder[] {
    const all: KnownFolder[] = [];
    for (const [folder, digest] of this.#digests) {
      const tree = this.trees.get(folder) ?? made.get(folder);
      if (tree !== undefined && folder !== ROOT) all.push([folder, digest, tree]);
    }
    return all;
  }
}
