/** Reads trees, also those that were computed and not stored yet. */
import { joinPath, ROOT, type BytePath } from "../../domain/byte-path.ts";
import { originalName } from "../../domain/stored-name.ts";
import type { ObjectReader } from "./object-reader.ts";
import type { Repository } from "./repository.ts";
import { decodeTree, type TreeEntry } from "./tree-object.ts";

export class TreeSource {
  readonly #repository: Repository;
  readonly #reader: ObjectReader;
  readonly #made: ReadonlyMap<string, Buffer>;

  constructor(
    repository: Repository,
    reader: ObjectReader,
    made: ReadonlyMap<string, Buffer> = new Map(),
  ) {
    this.#repository = repository;
    this.#reader = reader;
    this.#made = made;
  }

  async content(oid: string): Promise<Buffer> {
    return this.#made.get(oid) ?? (await this.#reader.readChecked(oid, "tree"));
  }

  async entries(oid: string | undefined): Promise<TreeEntry[]> {
    if (oid === undefined) return [];
    return decodeTree(await this.content(oid), this.#repository.hash);
  }
}

export interface LeafChange {
  readonly path: BytePath;
  readonly before: TreeEntry | undefined;
  readonly after: TreeEntry | undefined;
}

/** Every file that differs between two trees. Only folders that differ are read. Names are the original ones. */
export async function diffTrees(
  before: { readonly source: TreeSource; readonly oid: string | undefined },
  after: { readonly source: TreeSource; readonly oid: string | undefined },
): Promise<LeafChange[]> {
  const changes: LeafChange[] = [];
  const walk = async (
    folder: BytePath,
    beforeOid: string | undefined,
    afterOid: string | undefined,
  ): Promise<void> => {
    if (beforeOid === afterOid) return;
    const [left, right] = await Promise.all([
      before.source.entries(beforeOid),
      after.source.entries(afterOid),
    ]);
    const names = new Map<string, { before?: TreeEntry; after?: TreeEntry }>();
    // By the original name: a link may be stored under another one than a file.
    for (const entry of left) names.set(originalName(entry.name), { before: entry });
    for (const entry of right) {
      const name = originalName(entry.name);
      names.set(name, { ...names.get(name), after: entry });
    }
    for (const [name, pair] of names) {
      if (pair.before?.oid === pair.after?.oid && pair.before?.mode === pair.after?.mode) continue;
      const path = joinPath(folder, name);
      const folders = [pair.before, pair.after].map((entry) =>
        entry?.mode === "040000" ? entry.oid : undefined,
      );
      if (folders[0] !== undefined || folders[1] !== undefined) {
        await walk(path, folders[0], folders[1]);
      }
      const leaves = [pair.before, pair.after].map((entry) =>
        entry?.mode === "040000" ? undefined : entry,
      );
      if (leaves[0] !== undefined || leaves[1] !== undefined) {
        changes.push({ path, before: leaves[0], after: leaves[1] });
      }
    }
  };
  await walk(ROOT, before.oid, after.oid);
  return changes;
}
