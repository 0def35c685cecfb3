/** Checkpoints as refs: `refs/waymark/cp/<id>` points at a commit whose message is the document. */
import { extraPartsOf, type CheckpointDocument } from "../../domain/checkpoint.ts";
import type { CheckpointGlance } from "../../domain/checkpoint-glance.ts";
import { isCheckpointId } from "../../domain/checkpoint-id.ts";
import type { LocalEntry } from "../../domain/local-half.ts";
import { documentMessage, readDocument } from "../../domain/document-text.ts";
import { Failure } from "../../domain/failure.ts";
import { MILESTONES } from "../../domain/milestones.ts";
import type {
  CheckpointStore,
  Draft,
  Integrity,
  PublishResult,
  StoredCheckpoint,
} from "../../ports/checkpoint-store.ts";
import type { Progress } from "../../ports/progress.ts";
import { saveCache } from "./capture-cache.ts";
import { withPacksNow } from "./capture/trusted-objects.ts";
import { committedAt, encodeCommit, messageOf } from "./commit-object.ts";
import type { CheckpointEntries } from "./checkpoint-entries.ts";
import { looseIds } from "./loose-ids.ts";
import {
  bringBack,
  emptyTrash,
  makeTag,
  moveToTrash,
  readCheckpointRefs,
  removeForGood,
  removeStrayHalves,
  strayHalves,
} from "./checkpoint-refs.ts";
import {
  checkpointRef,
  CHECKPOINT_REFS,
  idOfRef,
  localRef,
  tagRef,
  TRASH_REFS,
} from "./ref-names.ts";
import { isForeign } from "./foreign-marks.ts";
import { forgetMadeHere, isMadeHere, markMadeHere } from "./made-here.ts";
import { GitCapture } from "./git-capture.ts";
import { headLeadsTo, treeOfCommit } from "./head.ts";
import { localCommit, localHalfHere } from "./local-half.ts";
import { objectId } from "./object-hash.ts";
import { isBrokenRef, readRefs } from "./read-refs.ts";
import { isRemoved, refMessages, refNames } from "./ref-messages.ts";
import { ObjectReader } from "./object-reader.ts";
import { publish } from "./publish.ts";
import type { Repository } from "./repository.ts";
import { runGit } from "./run-git.ts";
import { sha256 } from "./sha256.ts";
import { areKept, readBases } from "./store/bases.ts";
import { protectCommits } from "./store/protect-commits.ts";
import { mergePacks, pruneStore } from "./store/packs.ts";
import { withoutLender } from "./store/store-place.ts";
import { storedCheckpoint } from "./stored-checkpoint.ts";
import { readVerified, saveVerified } from "./verified-documents.ts";

export interface CheckpointStoreOptions {
  readonly progress?: Progress | undefined;
  /** Which get a tag; all: but for safety checkpoints. Pinned ones are milestones. */
  readonly tags?: "milestones" | "all";
  /**
   * Give checkpoints an annotated tag; safety checkpoints have none. A tag goes wherever `git push --tags` sends it, so this says what a
   * checkpoint holds that must not leave the machine, in words; then it gets none.
   */
  readonly tagUnlessHeld?: (document: CheckpointDocument) => Promise<string | undefined>;
}

/** Git opens a file for each loose ref; from this many on they are packed. */
const MOST_LOOSE_REFS = 128;

export class GitCheckpointStore implements CheckpointStore {
  readonly #project: Repository;
  readonly #reader: ObjectReader;
  readonly #options: CheckpointStoreOptions;
  #entries: CheckpointEntries | undefined;

  constructor(repository: Repository, reader: ObjectReader, options: CheckpointStoreOptions = {}) {
    this.#project = repository;
    this.#reader = reader;
    this.#options = options;
  }

  get #repository(): Repository {
    return this.#project.store;
  }

  async publish(draft: Draft): Promise<PublishResult> {
    const { document, capture } = draft;
    if (!(capture instanceof GitCapture)) throw new Error("this capture is of another kind");
    const { raw, quarantine } = capture;
    const ref = checkpointRef(document.id);
    const head = raw.head.commit;
    const wanted = [...new Set([...raw.parents, ...draft.keepAlive])].filter((oid) => oid !== head);
    if (head !== undefined && !(await headLeadsTo(this.#project, head))) {
      capture.discard();
      return { kind: "outdated" };
    }
    const { lost, notes } = await this.#protect(capture, head, wanted);
    // What git is about to throw away cannot be kept.
    const others = wanted.filter((oid) => !lost.includes(oid));
    const commit = encodeCommit({
      tree: capture.part.digest,
      parents: [...(head === undefined ? [] : [head]), ...others],
      at: new Date(document.created_at),
      message: documentMessage(document),
    });
    const half = localCommit(document, capture.local);
    markMadeHere(this.#repository, document, extraPartsOf(document).length > 0);
    const published = await publish(this.#repository, this.#reader, {
      spool: raw.spool,
      quarantine,
      commit,
      ref,
      expected: undefined,
      beside: half === undefined ? undefined : { ref: localRef(document.id), commit: half },
      reliesOn: capture.reliesOn,
      isSafe: () => this.#isProtected(head, others),
      misread: raw.misread,
      durability: document.durability,
      progress: this.#options.progress,
    });
    if (published === undefined) {
      const exists = (await this.#reader.read(ref)) !== undefined;
      return { kind: exists ? "id_taken" : "outdated" };
    }
    const local = half && objectId(this.#repository.hash, "commit", half);
    const checkpoint = { id: document.id, commit: published, ...(local && { local }) };
    const mergedPacks = await this.#tidyUp();
    try {
      const store = withPacksNow(this.#repository, raw.cache.store, mergedPacks);
      const cache = { ...raw.cache, held: capture.held, checkpoint, store };
      saveCache(this.#repository, cache, raw.index.index?.bytes);
    } catch {
      // The checkpoint is complete; without the cache the next one only takes longer.
    }
    const problem = await this.#tag(document, published);
    const warnings = [...notes, ...(problem === undefined ? [] : [problem])];
    return warnings.length === 0 ? { kind: "published" } : { kind: "published", warnings };
  }

  async #protect(capture: GitCapture, head: string | undefined, others: readonly string[]) {
    try {
      return await protectCommits(this.#repository, capture.quarantine, { head, others });
    } catch (error) {
      capture.discard();
      throw error;
    }
  }

  /** Still, now that the checkpoint is there: the user may have removed refs meanwhile. */
  async #isProtected(head: string | undefined, others: readonly string[]): Promise<boolean> {
    const store = this.#repository;
    if (store.isPlain) return true;
    if (head !== undefined && !(await headLeadsTo(this.#project, head))) return false;
    const bases = readBases(store);
    const commits = [...(head === undefined ? [] : [head]), ...others];
    const isStored = commits.every((commit) => bases.stored.includes(commit));
    return isStored && (await areKept(store, bases));
  }

  /** The checkpoint is there by now: what keeps it from getting a tag is no reason to fail. Answers with that, in words. */
  async #tag(
    document: CheckpointDocument,
    commit: string,
    isPinned = false,
  ): Promise<string | undefined> {
    const { tags, tagUnlessHeld } = this.#options;
    const { trigger } = document;
    const isMeant = tags === "all" ? trigger !== "pre_rollback" : MILESTONES.has(trigger);
    if (tagUnlessHeld === undefined || !(isMeant || isPinned)) return undefined;
    try {
      const held = await tagUnlessHeld(document);
      if (held !== undefined) {
        return `no tag was created: the checkpoint contains content that must not leave this machine: ${held}`;
      }
      const at = new Date(document.created_at);
      const tag = { ref: tagRef(document), at, message: documentMessage(document) };
      return (await makeTag(this.#project, document.id, commit, tag))
        ? undefined
        : `the tag ${tag.ref} could not be created: another tag has this name`;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return `no tag was created: ${error.message}`;
    }
  }

  ids(): readonly string[] {
    return [CHECKPOINT_REFS, TRASH_REFS].flatMap((folder) =>
      [...(readRefs(this.#repository, folder)?.keys() ?? [])].map(idOfRef),
    );
  }

  async list(): Promise<StoredCheckpoint[]> {
    const found = await this.#listUnder(CHECKPOINT_REFS);
    return [...found, ...this.#brokenRefs(found)];
  }

  async glance(): Promise<StoredCheckpoint<CheckpointGlance>[]> {
    const { glanceAt } = await import("./glance-at.ts");
    return glanceAt(this.#repository, () => this.list());
  }

  listTrash(): Promise<StoredCheckpoint[]> {
    return this.#listUnder(TRASH_REFS);
  }

  async #listUnder(folder: string): Promise<StoredCheckpoint[]> {
    const listed = await refMessages(this.#repository, this.#reader, folder);
    // A ref whose commit is missing ends the listing; then each one is read alone.
    if (listed === undefined) return this.#listOneByOne(folder);
    const verified = readVerified(this.#repository);
    const found = listed.map((one) =>
      storedCheckpoint(idOfRef(one.ref), one, verified.has(one.oid)),
    );
    if (folder === CHECKPOINT_REFS) {
      const good = listed.flatMap(({ oid }, at) => (found[at]?.kind === "ok" ? [oid] : []));
      if (good.some((oid) => !verified.has(oid)) || good.length < verified.size / 2) {
        saveVerified(this.#repository, good);
      }
    }
    return found;
  }

  #brokenRefs(found: readonly StoredCheckpoint[]): StoredCheckpoint[] {
    const listed = new Set(found.map((checkpoint) => checkpoint.id));
    const { commonDir } = this.#repository;
    return looseIds(this.#repository)
      .filter((id) => !listed.has(id) && isBrokenRef(commonDir, checkpointRef(id)))
      .map((id) => ({ kind: "damaged", id, problem: "its ref is damaged" }));
  }

  async #listOneByOne(folder: string): Promise<StoredCheckpoint[]> {
    const found: StoredCheckpoint[] = [];
    for (const ref of await refNames(this.#repository, folder)) {
      const id = idOfRef(ref);
      const read = await this.#readRef(id, ref);
      if (read !== undefined) found.push(read);
      else if (!(await isRemoved(this.#repository, ref))) {
        found.push({ kind: "damaged", id, problem: "its commit is missing" });
      }
    }
    return found;
  }

  async read(id: string): Promise<StoredCheckpoint | undefined> {
    return isCheckpointId(id) ? this.#readRef(id, checkpointRef(id)) : undefined;
  }

  async #readRef(id: string, ref: string): Promise<StoredCheckpoint | undefined> {
    let commit;
    try {
      commit = await this.#reader.read(ref);
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
    const { content } = commit;
    return storedCheckpoint(id, { tree: treeOfCommit(content), message: messageOf(content) });
  }

  isForeign(id: string): boolean {
    return isForeign(this.#repository, id);
  }

  isMadeHere(document: CheckpointDocument): boolean {
    return !this.isForeign(document.id) && isMadeHere(this.#repository, document);
  }

  async refuseHarmful(document: CheckpointDocument): Promise<void> {
    if (isMadeHere(this.#repository, document)) return;
    const { checkFetched } = await import("./archive/check-document.ts");
    await checkFetched(this.#repository, this.#reader, document.id);
  }

  async verify(ids?: readonly string[], progress?: Progress): Promise<Integrity[]> {
    const { verifyCheckpoints } = await import("./verify-checkpoints.ts");
    const store = withoutLender(this.#repository);
    const reader = new ObjectReader(store);
    try {
      return await verifyCheckpoints(store, reader, ids, progress);
    } finally {
      reader.close();
    }
  }

  async trash(ids: readonly string[]): Promise<string[]> {
    const moved = await moveToTrash(this.#project, this.#reader, ids);
    // Git makes a file for each ref that it moves there.
    if (moved.length >= MOST_LOOSE_REFS) await this.#packRefs();
    return moved;
  }

  async isHere({ id, local }: CheckpointDocument, entry: LocalEntry): Promise<boolean> {
    if (entry === "database" && local?.database === undefined) return true;
    return (await localHalfHere(this.#repository, this.#reader, id))[entry] !== undefined;
  }

  async entry(id: string, name: string): Promise<Buffer> {
    return (await this.#entriesOf()).read(id, name);
  }

  async entrySha256(id: string, name: string): Promise<string> {
    return (await this.#entriesOf()).sha256(id, name);
  }

  async extractEntry(id: string, name: string, to: string): Promise<void> {
    await (await this.#entriesOf()).extract(id, name, to);
  }

  async #entriesOf(): Promise<CheckpointEntries> {
    const { CheckpointEntries } = await import("./checkpoint-entries.ts");
    return (this.#entries ??= new CheckpointEntries(this.#repository, this.#reader));
  }

  async restore(ids: readonly string[]): Promise<string[]> {
    const restored = await bringBack(this.#project, ids);
    await this.#tagAll(restored, false);
    return restored;
  }

  tagPinned(ids: readonly string[]): Promise<string[]> {
    return this.#tagAll(ids, true);
  }

  async #tagAll(ids: readonly string[], arePinned: boolean): Promise<string[]> {
    if (this.#options.tagUnlessHeld === undefined) return [];
    const { tags } = await readCheckpointRefs(this.#project);
    const problems: string[] = [];
    for (const id of ids.filter((each) => !tags.has(each))) {
      const commit = await this.#reader.read(checkpointRef(id));
      if (commit === undefined) continue;
      const read = readDocument(messageOf(commit.content), id, sha256);
      if (read.kind !== "ok") continue;
      const problem = await this.#tag(read.document, commit.oid, arePinned);
      if (problem !== undefined) problems.push(problem);
    }
    return problems;
  }

  purge(ids: readonly string[]): Promise<string[]> {
    return this.#freeing(emptyTrash(this.#project, ids));
  }

  async strays(before: Date): Promise<readonly string[]> {
    const found: string[] = [];
    for (const [id, oid] of await strayHalves(this.#project)) {
      const made = committedAt(await this.#reader.readChecked(oid, "commit"));
      if (made < before) found.push(id);
    }
    return found;
  }

  removeStrays(ids: readonly string[]): Promise<string[]> {
    return this.#freeing(removeStrayHalves(this.#project, ids));
  }

  async remove(ids: readonly string[], { frees = false } = {}): Promise<string[]> {
    const removal = removeForGood(this.#project, ids);
    if (frees) return this.#freeing(removal);
    const gone = await removal;
    forgetMadeHere(this.#repository, gone);
    return gone;
  }

  async #freeing(removal: Promise<string[]>): Promise<string[]> {
    const gone = await removal;
    forgetMadeHere(this.#repository, gone);
    if (gone.length > 0) await pruneStore(this.#repository);
    return gone;
  }

  /** Keeps the store quick; returns packs that were merged into another. The checkpoint is complete by now, so nothing here makes it fail. */
  async #tidyUp(): Promise<readonly string[]> {
    try {
      if (looseIds(this.#repository).length >= MOST_LOOSE_REFS) await this.#packRefs();
      return await mergePacks(this.#repository);
    } catch {
      // Somebody else may be at it, or the disk is full; the next checkpoint tries again.
      return [];
    }
  }

  /** The same for those that could not be: they work as well, only slower. */
  async #packRefs(): Promise<void> {
    await runGit(this.#repository, ["pack-refs", "--all"], { accept: [0, 1, 128] });
  }
}
