/**
 * Puts into the new pack every object of a checkpoint that HEAD does not have.
 *
 * HEAD is the checkpoint's first parent, and the store borrows or copies what it has. Everything else is put into the pack, also staged
 * blobs that git has already: they hang on the index alone, and `git reset` plus `git gc` would take them.
 */
import { showPath, type BytePath } from "../../../domain/byte-path.ts";
import { Failure } from "../../../domain/failure.ts";
import type { ObjectReader } from "../object-reader.ts";
import type { PackSpool } from "../pack-spool.ts";
import type { Repository } from "../repository.ts";
import { decodeTree, type TreeEntry } from "../tree-object.ts";
import { spoolBlob } from "../write-blob.ts";

export interface StoreRequest {
  readonly repository: Repository;
  readonly reader: ObjectReader;
  readonly spool: PackSpool;
  /** Objects that the last checkpoint holds. */
  readonly held: ReadonlySet<string>;
  readonly made: ReadonlyMap<string, Buffer>;
  readonly headTree: string | undefined;
  readonly indexTree: string;
  /** Trees that were made for this checkpoint beside those of the index. */
  readonly ownTrees: readonly string[];
  /** Blobs that are needed and may be only in the object store (conflict stages). */
  readonly looseBlobs: readonly string[];
  /** A file of the index that has this blob. */
  readonly pathOf?: (oid: string) => BytePath | undefined;
  /** What a comparison of this index's tree with this HEAD found before; all of it is held. */
  readonly known?: { readonly own: readonly string[]; readonly staged: number } | undefined;
}

export interface Stored {
  /** All objects that this checkpoint has and HEAD has not. */
  readonly own: Set<string>;
  /** Those of them that the index's tree has. */
  readonly ownOfIndex: readonly string[];
  /** Index entries that differ from HEAD. */
  readonly staged: number;
}

/**
 * The same for a tree that only a file of an operation names: not even git keeps that. Undefined when git has not all of it any more.
 */
export async function storeTree(
  request: Omit<StoreRequest, "indexTree" | "ownTrees" | "looseBlobs">,
  tree: string,
): Promise<Set<string> | undefined> {
  const only = { ...request, indexTree: tree, ownTrees: [], looseBlobs: [] };
  try {
    return (await storeObjects(only)).own;
  } catch (error) {
    const isMissing =
      error instanceof Failure && ["git_failed", "checkpoint_damaged"].includes(error.code);
    if (isMissing) return undefined;
    throw error;
  }
}

export async function storeObjects(request: StoreRequest): Promise<Stored> {
  const { known } = request;
  const walk = new HeadComparison(request);
  if (known === undefined) await walk.compare(request.indexTree, request.headTree);
  const ownOfIndex = known?.own ?? [...walk.wanted.keys()].filter((oid) => !walk.inHead.has(oid));
  for (const oid of request.ownTrees) walk.wanted.set(oid, "tree");
  for (const blob of request.looseBlobs) walk.wanted.set(blob, "blob");
  const own = new Set<string>(ownOfIndex);
  for (const [oid, type] of walk.wanted) {
    if (walk.inHead.has(oid)) continue;
    own.add(oid);
    if (request.held.has(oid) || request.spool.has(oid) || !request.spool.keeps) continue;
    const made = request.made.get(oid);
    if (made === undefined && type === "blob") {
      await spoolStaged(request, oid);
      continue;
    }
    const content = made ?? (await request.reader.read(oid))?.content;
    if (content === undefined) throw missingObject(request, oid);
    request.spool.add(oid, type, content);
  }
  return { own, ownOfIndex, staged: known?.staged ?? walk.staged };
}

/** A staged file may be larger than memory. */
async function spoolStaged(request: StoreRequest, oid: string): Promise<void> {
  try {
    await spoolBlob(request.reader, request.spool, oid);
  } catch (error) {
    if (!isDamage(error)) throw error;
    throw missingObject(request, oid);
  }
}

function isDamage(error: unknown): boolean {
  return error instanceof Failure && error.code === "checkpoint_damaged";
}

function missingObject({ pathOf }: StoreRequest, oid: string): Failure {
  const path = pathOf?.(oid);
  const where = path === undefined ? "" : ` for ${showPath(path)}`;
  return new Failure(
    "git_failed",
    `the index names the object ${oid}${where}, which git does not have or cannot read`,
    {
      hint: "Run `git fsck`; `git add` the file again, or `git reset` it. No checkpoint was created.",
    },
  );
}

class HeadComparison {
  readonly wanted = new Map<string, "blob" | "tree">();
  readonly inHead = new Set<string>();
  staged = 0;
  readonly #request: StoreRequest;

  constructor(request: StoreRequest) {
    this.#request = request;
  }

  async compare(oid: string | undefined, headOid: string | undefined): Promise<void> {
    if (oid === headOid) return;
    const mine = await this.#entries(oid);
    const heads = new Map((await this.#ofHead(headOid)).map((entry) => [entry.name, entry]));
    if (oid !== undefined) this.wanted.set(oid, "tree");
    for (const entry of heads.values()) this.inHead.add(entry.oid);
    for (const entry of mine) {
      const head = heads.get(entry.name);
      heads.delete(entry.name);
      if (head?.oid === entry.oid && head.mode === entry.mode) continue;
      if (this.inHead.has(entry.oid)) {
        // Moved as a whole: HEAD holds it under another name.
        this.staged += 1;
      } else if (entry.mode === "040000") {
        await this.compare(entry.oid, head?.mode === "040000" ? head.oid : undefined);
      } else {
        this.staged += 1;
        if (entry.mode !== "160000") this.wanted.set(entry.oid, "blob");
      }
    }
    // What is only in HEAD counts as a staged deletion; whole folders are not read for it.
    for (const entry of heads.values()) if (entry.mode !== "040000") this.staged += 1;
  }

  /** A tree of HEAD that is lost holds nothing: everything is stored. */
  async #ofHead(oid: string | undefined): Promise<TreeEntry[]> {
    try {
      return await this.#entries(oid);
    } catch (error) {
      if (isDamage(error)) return [];
      throw error;
    }
  }

  async #entries(oid: string | undefined): Promise<TreeEntry[]> {
    if (oid === undefined) return [];
    const content = this.#request.made.get(oid) ?? (await this.#request.reader.read(oid))?.content;
    return content === undefined ? [] : decodeTree(content, this.#request.repository.hash);
  }
}
