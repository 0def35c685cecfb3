/** The trees of an index as git writes them, computed from its entries alone and compared with those that it remembers. */
import { CachedTrees } from "./cached-trees.ts";
import type { IndexFile } from "./index-file.ts";
import { objectId, type HashName } from "./object-hash.ts";
import { entryMode } from "./tree-builder.ts";
import { encodeTree, type TreeEntry } from "./tree-object.ts";

export class IndexTrees {
  readonly root: string;
  /** Every tree of it. */
  readonly made = new Map<string, Buffer>();
  /** It remembers a tree that its entries do not make. */
  isCacheWrong = false;
  readonly #index: IndexFile;
  readonly #hash: HashName;

  constructor(index: IndexFile, hash: HashName) {
    this.#index = index;
    this.#hash = hash;
    this.root = this.#build(0, 0, index.length, CachedTrees.ROOT).oid;
  }

  #build(
    prefix: number,
    from: number,
    to: number,
    node: number,
  ): { oid: string; isEmpty: boolean } {
    const index = this.#index;
    const entries: TreeEntry[] = [];
    for (let at = from; at < to;) {
      const path = index.path(at);
      const slash = path.indexOf("/", prefix);
      const mode = entryMode(index.mode(at));
      if (slash >= 0 && slash < path.length - 1) {
        const folder = path.slice(0, slash);
        const end = Math.min(index.lowerBound(`${folder}0`), to);
        const name = folder.slice(prefix);
        const built = this.#build(slash + 1, at, end, index.cachedTrees.child(node, name));
        if (!built.isEmpty) entries.push({ mode: "040000", name, oid: built.oid });
        at = end;
        continue;
      }
      const name = slash < 0 ? path.slice(prefix) : path.slice(prefix, -1);
      if (index.stage(at) === 0 && !index.isIntentToAdd(at)) {
        entries.push({ mode, name, oid: index.oid(at) });
      }
      at += 1;
    }
    const content = encodeTree(entries);
    const oid = objectId(this.#hash, "tree", content);
    this.made.set(oid, content);
    const cached = node < 0 ? undefined : index.cachedTrees.oid(node);
    if (cached !== undefined && cached !== oid) this.isCacheWrong = true;
    return { oid, isEmpty: entries.length === 0 };
  }
}
