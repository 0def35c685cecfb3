/**
 * Computes the trees of a checkpoint in memory: the index's own tree, and the work tree's as the index's with the
 * changed paths put in. Folders without a change keep the tree that git already has.
 */
import { ROOT, type BytePath } from "../../domain/byte-path.ts";
import { ESCAPED, storedName, type NameKind } from "../../domain/stored-name.ts";
import type { EntryMode } from "../../domain/file-state.ts";
import { CachedTrees } from "./cached-trees.ts";
import { groupByFolder, type ChangedFolders } from "./folder-changes.ts";
import type { IndexFile } from "./index-file.ts";
import { objectId, type HashName } from "./object-hash.ts";
import { encodeTree, type TreeEntry } from "./tree-object.ts";

export interface Leaf {
  readonly mode: EntryMode;
  readonly oid: string;
}

/** What is different from the index; null: not there. */
export type Changes = ReadonlyMap<BytePath, Leaf | null>;

interface Built {
  /** "" where nothing is left in a folder, except for the root. */
  readonly oid: string;
  readonly empty: boolean;
}

interface Work {
  readonly changed: ChangedFolders;
  readonly known: ReadonlyMap<BytePath, string>;
}

const NONE_KNOWN: ReadonlyMap<BytePath, string> = new Map();

export class TreeBuilder {
  /** Trees that were computed here and may not be in the repository yet. */
  readonly made = new Map<string, Buffer>();
  /** By folder with changes: the tree that it got; "": nothing is left in it. */
  readonly changed = new Map<BytePath, string>();
  readonly #index: IndexFile | undefined;
  readonly #hash: HashName;
  readonly #usesCached: boolean;

  /** Without `usesCached` every tree is made, also those that git is said to have. */
  constructor(index: IndexFile | undefined, hash: HashName, usesCached = true) {
    this.#index = index;
    this.#hash = hash;
    this.#usesCached = usesCached;
  }

  /** The tree of all stage-0 entries; intent-to-add entries are not in it, as with `git write-tree`. */
  indexTree(): string {
    return this.#build(ROOT, CachedTrees.ROOT, 0, this.#index?.length ?? 0, undefined).oid;
  }

  workTree(changes: Changes): string {
    return this.treeWith(groupByFolder(changes));
  }

  /** The same, with trees of changed folders that need not be made. */
  treeWith(changed: ChangedFolders, known: ReadonlyMap<BytePath, string> = NONE_KNOWN): string {
    const build = { changed, known };
    return this.#build(ROOT, CachedTrees.ROOT, 0, this.#index?.length ?? 0, build).oid;
  }

  /** A tree from nothing but these leaves. */
  treeOf(leaves: ReadonlyMap<BytePath, Leaf>): string {
    const build = { changed: groupByFolder(leaves), known: NONE_KNOWN };
    return this.#build(ROOT, -1, 0, 0, build).oid;
  }

  /** A folder of ready-made entries, such as the root of a checkpoint. */
  folder(entries: readonly TreeEntry[]): string {
    return this.#add(entries);
  }

  #build(
    folder: BytePath,
    /** The folder's node in the index's cache of trees; -1: it has none. */
    node: number,
    from: number,
    to: number,
    work: Work | undefined,
  ): Built {
    const changes = work?.changed.get(folder);
    if (changes === undefined) return this.#buildAnew(folder, node, from, to, work);
    const known = work?.known.get(folder);
    if (known !== undefined) return { oid: known, empty: known === "" };
    const built = this.#buildAnew(folder, node, from, to, work);
    this.changed.set(folder, built.oid);
    return built;
  }

  #buildAnew(
    folder: BytePath,
    node: number,
    from: number,
    to: number,
    work: Work | undefined,
  ): Built {
    const changes = work?.changed.get(folder);
    // A tracked name that looks like an escaped one has to be escaped itself, so git's own trees do not do.
    const mayUseCached = this.#usesCached && this.#index?.mentions(ESCAPED) === false;
    if (changes === undefined && mayUseCached) {
      const known = node < 0 ? undefined : this.#index?.cachedTrees.oid(node);
      if (known !== undefined && this.#index?.cachedTrees.count(node) === to - from) {
        return { oid: known, empty: to === from };
      }
    }
    const entries: TreeEntry[] = [];
    const unseen = new Map(changes?.leaves);
    const folders = new Set(changes?.folders);
    const prefix = folder === "" ? 0 : folder.length + 1;
    let previous = -1;
    for (let at = from; at < to;) {
      const path = this.#index?.path(at) ?? ROOT;
      const slash = path.indexOf("/", prefix);
      if (slash >= 0 && slash < path.length - 1) {
        const child = path.slice(0, slash) as BytePath;
        const name = child.slice(prefix);
        const childNode = this.#index?.cachedTrees.child(node, name, previous) ?? -1;
        if (childNode >= 0) previous = childNode;
        const end = this.#endOf(child, childNode, at, to);
        // A file that took the place of a tracked folder: its tracked content is among the changes.
        folders.delete(child);
        const built = this.#build(child, childNode, at, end, work);
        if (!built.empty) entries.push(folderEntry(child.slice(prefix), built.oid));
        at = end;
        continue;
      }
      // A sparse index has whole folders as entries; their paths end with a slash.
      const plain = (slash < 0 ? path : path.slice(0, -1)) as BytePath;
      const changedLeaf = unseen.get(plain);
      unseen.delete(plain);
      const leaf = changedLeaf === undefined ? this.#indexLeaf(at) : changedLeaf;
      if (leaf !== null) entries.push(leafEntry(plain.slice(prefix), leaf));
      at = this.#nextPath(at, to);
    }
    for (const [path, leaf] of unseen) {
      if (leaf !== null) entries.push(leafEntry(path.slice(prefix), leaf));
    }
    for (const child of folders) {
      const built = this.#build(child, -1, 0, 0, work);
      if (!built.empty) entries.push(folderEntry(child.slice(prefix), built.oid));
    }
    // Git has no empty folders: what nothing refers to is not made.
    if (entries.length === 0 && folder !== ROOT) return { oid: "", empty: true };
    return { oid: this.#add(entries), empty: entries.length === 0 };
  }

  #indexLeaf(entry: number): Leaf | null {
    const index = this.#index;
    if (index === undefined || index.stage(entry) !== 0 || index.isIntentToAdd(entry)) return null;
    return { mode: entryMode(index.mode(entry)), oid: index.oid(entry) };
  }

  /** Conflicted paths have up to three entries; they count as one path. */
  #nextPath(entry: number, to: number): number {
    if (this.#index?.stage(entry) === 0) return entry + 1;
    const path = this.#index?.path(entry);
    let next = entry + 1;
    while (next < to && this.#index?.path(next) === path) next++;
    return next;
  }

  #endOf(folder: BytePath, node: number, from: number, to: number): number {
    const count = node < 0 ? -1 : (this.#index?.cachedTrees.count(node) ?? -1);
    if (count > 0) return from + count;
    // "0" is the byte after "/": the first path that is no longer inside the folder.
    return Math.min(this.#index?.lowerBound(`${folder}0`) ?? to, to);
  }

  #add(entries: readonly TreeEntry[]): string {
    const content = encodeTree(entries);
    const oid = objectId(this.#hash, "tree", content);
    this.made.set(oid, content);
    return oid;
  }
}

export function entryMode(mode: number): EntryMode {
  return mode.toString(8).padStart(6, "0") as EntryMode;
}

function kindOf(leaf: Leaf): NameKind {
  if (leaf.mode === "120000") return "link";
  return leaf.mode === "040000" ? "folder" : "file";
}

function folderEntry(name: string, oid: string): TreeEntry {
  return { mode: "040000", name: storedName(name, "folder"), oid };
}

function leafEntry(name: string, leaf: Leaf): TreeEntry {
  return { mode: leaf.mode, name: storedName(name, kindOf(leaf)), oid: leaf.oid };
}
