/** Goes through everything that a checkpoint needs, and looks elsewhere for what is missing or damaged here. */
import { joinPath, ROOT, showPath, asBytePath, type BytePath } from "../../../domain/byte-path.ts";
import { Failure } from "../../../domain/failure.ts";
import { isHostileName } from "../../../domain/hostile-path.ts";
import { originalName } from "../../../domain/stored-name.ts";
import type { MissingPiece, RepairedPiece } from "../../../ports/rebuilder.ts";
import { parentsOf } from "../commit-object.ts";
import { treeOfCommit } from "../head.ts";
import { objectId } from "../object-hash.ts";
import type { ObjectReader } from "../object-reader.ts";
import type { PackSpool } from "../pack-spool.ts";
import type { Repository } from "../repository.ts";
import { decodeTree } from "../tree-object.ts";
import type { ObjectSource, Wanted } from "./object-source.ts";

interface Found {
  readonly content: Buffer;
  /** It was not here, or damaged. */
  readonly isRepaired: boolean;
}

export class RepairWalk {
  readonly repaired: RepairedPiece[] = [];
  readonly missing: MissingPiece[] = [];
  /** Asked in this order. */
  readonly sources: ObjectSource[];
  readonly #repository: Repository;
  readonly #reader: ObjectReader;
  readonly #spool: PackSpool;
  readonly #foldsCase: boolean;
  /** Objects that were looked at; false: nobody has it. */
  readonly #seen = new Map<string, boolean>();

  constructor(
    repository: Repository,
    reader: ObjectReader,
    spool: PackSpool,
    sources: ObjectSource[],
    foldsCase: boolean,
  ) {
    this.#repository = repository;
    this.#reader = reader;
    this.#spool = spool;
    this.sources = sources;
    this.#foldsCase = foldsCase;
  }

  /** The commit of the checkpoint itself; undefined when nobody has it. Its tree and parents are walked next. */
  async commit(oid: string): Promise<Buffer | undefined> {
    return (await this.#find({ oid, type: "commit", path: "commit" }))?.content;
  }

  async below(commit: Buffer): Promise<void> {
    await this.#tree(treeOfCommit(commit) ?? "");
    const commits = parentsOf(commit);
    for (const oid of commits) {
      if (this.#seen.has(oid)) continue;
      const found = await this.#get({ oid, type: "commit", path: `history/${oid}` });
      // A commit that is here has its history here; one that came from elsewhere may not.
      if (found?.isRepaired !== true) continue;
      await this.#tree(treeOfCommit(found.content) ?? "", `history/${oid}`);
      commits.push(...parentsOf(found.content));
    }
  }

  /** A tree of its local half. */
  async half(oid: string, name: string): Promise<void> {
    await this.#tree(oid, name);
  }

  /** No recursion: how deep a damaged or foreign tree is, nobody knows. */
  async #tree(root: string, path = ""): Promise<void> {
    const stack: [oid: string, path: BytePath][] = [[root, asBytePath(path)]];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const [oid, folder] = next;
      if (this.#note(oid, "tree", folder)) continue;
      const found = await this.#get({ oid, type: "tree", path: folder });
      if (found === undefined) continue;
      for (const entry of decodeTree(found.content, this.#repository.hash)) {
        const name = originalName(entry.name);
        if (isHostileName(name, this.#foldsCase)) throw hostileName(name);
        const below = joinPath(folder, name);
        if (entry.mode === "160000") continue;
        if (entry.mode === "040000") stack.push([entry.oid, below]);
        else if (!this.#note(entry.oid, "blob", below)) {
          await this.#get({ oid: entry.oid, type: "blob", path: below });
        }
      }
    }
  }

  /** True when it was looked at before. What nobody has is named at each place where it is needed. */
  #note(oid: string, type: MissingPiece["type"], path: BytePath): boolean {
    const seen = this.#seen.get(oid);
    if (seen === false) this.missing.push({ object: oid, type, path: shown(path) });
    return seen !== undefined;
  }

  async #get(wanted: Wanted): Promise<Found | undefined> {
    const found = await this.#find(wanted);
    this.#seen.set(wanted.oid, found !== undefined);
    if (found === undefined) {
      this.missing.push({ object: wanted.oid, type: wanted.type, path: shown(wanted.path) });
    }
    return found;
  }

  async #find(wanted: Wanted): Promise<Found | undefined> {
    const own = await this.#own(wanted);
    if (own !== undefined) return { content: own, isRepaired: false };
    const { hash } = this.#repository;
    for (const source of this.sources) {
      const content = await source.find(wanted);
      if (content === undefined || objectId(hash, wanted.type, content) !== wanted.oid) continue;
      this.#spool.add(wanted.oid, wanted.type, content);
      this.repaired.push({
        object: wanted.oid,
        type: wanted.type,
        path: shown(wanted.path),
        source: source.label,
      });
      return { content, isRepaired: true };
    }
    return undefined;
  }

  async #own({ oid, type }: Wanted): Promise<Buffer | undefined> {
    try {
      return await this.#reader.readChecked(oid, type);
    } catch (error) {
      if (error instanceof Failure && error.code === "checkpoint_damaged") return undefined;
      throw error;
    }
  }
}

/** A rollback would write into git's own folder. No checkpoint that was taken holds such a name. */
function hostileName(name: string): Failure {
  return new Failure(
    "rebuild_failed",
    `it has a file or folder that is called ${JSON.stringify(name)}`,
    {
      hint: "Waymark does not store such names. Nothing was changed.",
    },
  );
}

function shown(path: string): string {
  return path === ROOT ? "." : showPath(asBytePath(path));
}
