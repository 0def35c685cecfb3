/** Checkpoints as refs: `refs/waymark/cp/<id>` points at a commit whose message is the document. */
import type { CheckpointDocument } from "../../domain/checkpoint.ts";
import { isCheckpointId } from "../../domain/checkpoint-id.ts";
import { documentMessage, readDocument } from "../../domain/document-text.ts";
import { Failure } from "../../domain/failure.ts";
import type {
  CheckpointStore,
  Draft,
  Integrity,
  PublishResult,
  StoredCheckpoint,
} from "../../ports/checkpoint-store.ts";
import type { Progress } from "../../ports/progress.ts";
import { saveCache } from "./capture-cache.ts";
import { encodeCommit, messageOf } from "./commit-object.ts";
import { looseIds } from "./loose-ids.ts";
import { checkpointRef, CHECKPOINT_REFS } from "./ref-names.ts";
import { GitCapture } from "./git-capture.ts";
import { refMessages, refNames } from "./ref-messages.ts";
import type { ObjectReader } from "./object-reader.ts";
import { mergePacks } from "./own-packs.ts";
import { publish, withdraw } from "./publish.ts";
import type { Repository } from "./repository.ts";
import { runGit } from "./run-git.ts";
import { sha256 } from "./sha256.ts";
import { updateRefs } from "./update-refs.ts";
import { readVerified, saveVerified } from "./verified-documents.ts";
import { verifyCheckpoints } from "./verify-checkpoints.ts";

/** Loose refs slow down the user's own git; from this many on they are packed. */
const MOST_LOOSE_REFS = 128;

export class GitCheckpointStore implements CheckpointStore {
  readonly #repository: Repository;
  readonly #reader: ObjectReader;

  constructor(repository: Repository, reader: ObjectReader) {
    this.#repository = repository;
    this.#reader = reader;
  }

  async publish(draft: Draft): Promise<PublishResult> {
    const { document, capture } = draft;
    if (!(capture instanceof GitCapture)) throw new Error("this capture is of another kind");
    const { raw, quarantine } = capture;
    const ref = checkpointRef(document.id);
    const commit = encodeCommit({
      tree: raw.trees.root,
      parents: [...new Set([...raw.parents, ...draft.keepAlive])],
      at: new Date(document.created_at),
      message: documentMessage(document),
    });
    const basedOn = raw.basedOn;
    const oid = await publish(this.#repository, this.#reader, {
      spool: raw.spool,
      quarantine,
      commit,
      ref,
      expected: undefined,
      reliesOn:
        basedOn === undefined
          ? undefined
          : { name: checkpointRef(basedOn.id), oid: basedOn.commit },
      durability: document.durability,
    });
    if (oid === undefined) {
      const exists = (await this.#reader.read(ref)) !== undefined;
      return { kind: exists ? "id_taken" : "outdated" };
    }
    await this.#checkHeadStayed(capture, ref, oid);
    const cache = { ...raw.cache, checkpoint: { id: document.id, commit: oid } };
    try {
      saveCache(this.#repository, cache, raw.index.index?.bytes);
    } catch {
      // The checkpoint is complete; without the cache the next one only takes longer.
    }
    await this.#tidyUp();
    return { kind: "published" };
  }

  /**
   * The checkpoint relies on HEAD for everything that did not change. If HEAD moved while it was published, and
   * somebody pruned, that may be gone: then every object is looked up.
   */
  async #checkHeadStayed(capture: GitCapture, ref: string, oid: string): Promise<void> {
    const head = await this.#reader.read("HEAD^{commit}");
    if (head?.oid === capture.raw.head.commit) return;
    const result = await runGit(
      this.#repository,
      ["rev-list", "--objects", "--quiet", "--no-walk", oid],
      { accept: [0, 128] },
    );
    if (result.exitCode === 0) return;
    await withdraw(this.#repository, ref, oid);
    throw new Failure("repository_busy", "git pruned objects while the checkpoint was being made", {
      hint: "Run the command again. No checkpoint was made; nothing was changed.",
    });
  }

  async list(): Promise<StoredCheckpoint[]> {
    const listed = await refMessages(this.#repository, CHECKPOINT_REFS);
    // A ref whose commit is missing ends the listing; then each one is read alone.
    if (listed === undefined) return this.#listOneByOne();
    const verified = readVerified(this.#repository);
    const found = listed.map(({ ref, oid, message }) =>
      stored(idOf(ref), message, verified.has(oid)),
    );
    const good = listed.flatMap(({ oid }, at) => (found[at]?.kind === "ok" ? [oid] : []));
    if (good.some((oid) => !verified.has(oid)) || good.length < verified.size / 2) {
      saveVerified(this.#repository, good);
    }
    return [...found, ...this.#brokenRefs(found)];
  }

  /** Git leaves a ref out of its list when the file of it is not one, as after a power cut. */
  #brokenRefs(found: readonly StoredCheckpoint[]): StoredCheckpoint[] {
    const listed = new Set(found.map((checkpoint) => checkpoint.id));
    return looseIds(this.#repository)
      .filter((id) => !listed.has(id))
      .map((id) => ({ kind: "damaged", id, problem: "its ref is damaged" }));
  }

  async #listOneByOne(): Promise<StoredCheckpoint[]> {
    const found: StoredCheckpoint[] = [];
    for (const ref of await refNames(this.#repository, CHECKPOINT_REFS)) {
      const id = idOf(ref);
      found.push(
        (await this.read(id)) ?? { kind: "damaged", id, problem: "its commit is missing" },
      );
    }
    return [...found, ...this.#brokenRefs(found)];
  }

  async read(id: string): Promise<StoredCheckpoint | undefined> {
    if (!isCheckpointId(id)) return undefined;
    let commit;
    try {
      commit = await this.#reader.read(checkpointRef(id));
    } catch (error) {
      if (error instanceof Failure && error.code === "checkpoint_damaged") {
        return { kind: "damaged", id, problem: "its commit cannot be read" };
      }
      throw error;
    }
    if (commit === undefined) return undefined;
    if (commit.type !== "commit") {
      return { kind: "damaged", id, problem: "its ref does not point at a commit" };
    }
    return stored(id, messageOf(commit.content));
  }

  verify(ids?: readonly string[], progress?: Progress): Promise<Integrity[]> {
    return verifyCheckpoints(this.#repository, this.#reader, ids, progress);
  }

  async remove(id: string): Promise<boolean> {
    if (!isCheckpointId(id)) return false;
    const ref = checkpointRef(id);
    const { stdout } = await runGit(this.#repository, [
      "for-each-ref",
      "--format=%(objectname)",
      ref,
    ]);
    const oid = stdout.toString("utf8").trim();
    if (oid === "") return false;
    return updateRefs(this.#repository, [{ name: ref, old: oid, new: undefined }], {});
  }

  /** Keeps the user's own git quick. The checkpoint is complete by now, so nothing here makes it fail. */
  async #tidyUp(): Promise<void> {
    try {
      if (looseIds(this.#repository).length >= MOST_LOOSE_REFS)
        await runGit(this.#repository, ["pack-refs", "--all"]);
      await mergePacks(this.#repository);
    } catch {
      // Somebody else may be at it, or the disk is full; the next checkpoint tries again.
    }
  }
}

function idOf(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}

function stored(id: string, message: string, isVerified = false): StoredCheckpoint {
  const read = readDocument(message, id, isVerified ? undefined : sha256);
  switch (read.kind) {
    case "ok":
      return { kind: "ok", id, document: read.document satisfies CheckpointDocument };
    case "newer":
      return { kind: "newer", id, version: read.version };
    case "damaged":
      return { kind: "damaged", id, problem: read.problem };
  }
}
