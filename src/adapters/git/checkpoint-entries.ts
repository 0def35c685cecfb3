/** Files of a checkpoint's tree that other parts than the work tree put there, in one half or the other. */
import { createHash } from "node:crypto";
import { closeSync, openSync, rmSync } from "node:fs";
import { asBytePath } from "../../domain/byte-path.ts";
import { Failure } from "../../domain/failure.ts";
import { isLocalEntry } from "../../domain/local-half.ts";
import { TreeLookup } from "./find-entry.ts";
import type { ObjectReader } from "./object-reader.ts";
import { checkpointRef, localRef } from "./ref-names.ts";
import type { Repository } from "./repository.ts";
import { TreeSource } from "./tree-source.ts";
import { writeBlob } from "./write-blob.ts";

export class CheckpointEntries {
  readonly #reader: ObjectReader;
  readonly #source: TreeSource;
  /** There may be thousands in one half. */
  #last: { readonly tree: string; readonly lookup: TreeLookup } | undefined;

  constructor(repository: Repository, reader: ObjectReader) {
    this.#reader = reader;
    this.#source = new TreeSource(repository, reader);
  }

  async read(id: string, name: string): Promise<Buffer> {
    return this.#reader.readChecked(await this.#find(id, name), "blob");
  }

  /** From this commit, whatever ref leads to it. */
  async readFrom(commit: string, name: string): Promise<Buffer> {
    const oid = await this.#findIn([commit], name);
    if (oid === undefined) throw missing(commit, name);
    return this.#reader.readChecked(oid, "blob");
  }

  async sha256(id: string, name: string): Promise<string> {
    let digest = createHash("sha256");
    await this.#reader.readPieces(await this.#find(id, name), "blob", {
      begin: () => void (digest = createHash("sha256")),
      take: (piece) => void digest.update(piece),
    });
    return digest.digest("hex");
  }

  /** Piece by piece: a dump may be larger than memory. */
  async extract(id: string, name: string, to: string): Promise<void> {
    const oid = await this.#find(id, name);
    const fd = openSync(to, "wx", 0o600);
    try {
      await writeBlob(this.#reader, oid, fd);
    } catch (error) {
      rmSync(to, { force: true });
      throw error;
    } finally {
      closeSync(fd);
    }
  }

  async #find(id: string, name: string): Promise<string> {
    const mayBeLocal = isLocalEntry(name) || name.startsWith("worktree/");
    // Earlier versions wrote dumps of databases into the checkpoint itself.
    const refs = [...(mayBeLocal ? [localRef(id)] : []), checkpointRef(id)];
    const oid = await this.#findIn(refs, name);
    if (oid === undefined) throw missing(id, name);
    return oid;
  }

  async #findIn(revisions: readonly string[], name: string): Promise<string | undefined> {
    for (const revision of revisions) {
      const tree = await this.#reader.read(`${revision}^{tree}`);
      if (tree?.type !== "tree") continue;
      const found = await this.#lookup(tree.oid).find(asBytePath(name));
      if (found !== undefined && found.mode !== "040000") return found.oid;
    }
    return undefined;
  }

  #lookup(tree: string): TreeLookup {
    if (this.#last?.tree !== tree) {
      this.#last = { tree, lookup: new TreeLookup(this.#source, tree) };
    }
    return this.#last.lookup;
  }
}

function missing(id: string, name: string): Failure {
  return new Failure("checkpoint_damaged", `${name} of checkpoint ${id} is missing`, {
    hint: "`waymark validate` shows which checkpoints are intact. Nothing was changed.",
  });
}
