/** Looks up paths in a tree. */
import type { BytePath } from "../../domain/byte-path.ts";
import { originalName } from "../../domain/stored-name.ts";
import type { TreeEntry } from "./tree-object.ts";
import type { TreeSource } from "./tree-source.ts";

export async function findEntry(
  source: TreeSource,
  root: string,
  path: BytePath,
): Promise<TreeEntry | undefined> {
  return new TreeLookup(source, root).find(path);
}

interface Folder {
  readonly oid: string;
  readonly entries: ReadonlyMap<string, TreeEntry>;
}

/** For many paths: those of one folder are next to each other most times, so the folders above the last one are remembered. */
export class TreeLookup {
  readonly #source: TreeSource;
  readonly #root: string;
  readonly #last: Folder[] = [];

  constructor(source: TreeSource, root: string) {
    this.#source = source;
    this.#root = root;
  }

  async find(path: BytePath): Promise<TreeEntry | undefined> {
    let oid = this.#root;
    let found: TreeEntry | undefined;
    const names = path.split("/");
    for (const [depth, name] of names.entries()) {
      const known = this.#last[depth];
      const folder = known?.oid === oid ? known : await this.#read(oid, depth);
      found = folder.entries.get(name);
      if (found === undefined) return undefined;
      if (depth < names.length - 1 && found.mode !== "040000") return undefined;
      oid = found.oid;
    }
    return found;
  }

  async #read(oid: string, depth: number): Promise<Folder> {
    const entries = await this.#source.entries(oid);
    const named = new Map(entries.map((entry) => [originalName(entry.name), entry]));
    const folder = { oid, entries: named };
    this.#last.length = depth;
    this.#last[depth] = folder;
    return folder;
  }
}
