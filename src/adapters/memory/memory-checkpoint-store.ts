/** Checkpoints in a map: for tests of what stands above the port. */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { gitPartOf, type CheckpointDocument } from "../../domain/checkpoint.ts";
import { Failure } from "../../domain/failure.ts";
import { documentMessage, readDocument } from "../../domain/document-text.ts";
import type {
  CheckpointStore,
  Draft,
  Integrity,
  PublishResult,
  StoredCheckpoint,
} from "../../ports/checkpoint-store.ts";
import { contentId, MemoryCapture } from "./memory-capture.ts";

interface MemoryCheckpoint {
  readonly message: string;
  readonly content: string;
  readonly entries?: ReadonlyMap<string, Buffer>;
}

/** What lies on the disk for a real store; several stores can share it. */
export type MemoryCheckpoints = Map<string, MemoryCheckpoint>;

export class MemoryCheckpointStore implements CheckpointStore {
  readonly #checkpoints: MemoryCheckpoints;
  readonly #trash: MemoryCheckpoints;

  constructor(checkpoints: MemoryCheckpoints = new Map(), trash: MemoryCheckpoints = new Map()) {
    this.#checkpoints = checkpoints;
    this.#trash = trash;
  }

  publish({ document, capture }: Draft): Promise<PublishResult> {
    if (!(capture instanceof MemoryCapture)) throw new Error("this capture is of another kind");
    if (capture.isDiscarded) throw new Error("this capture was discarded");
    if (this.#checkpoints.has(document.id)) return Promise.resolve({ kind: "id_taken" });
    // As text, so that nobody holds on to an object of ours.
    const message = documentMessage(document);
    const entries = new Map(capture.entries);
    this.#checkpoints.set(document.id, { message, content: capture.content, entries });
    return Promise.resolve({ kind: "published" });
  }

  ids(): readonly string[] {
    return [...this.#checkpoints.keys()];
  }

  list(): Promise<StoredCheckpoint[]> {
    return Promise.resolve(listed(this.#checkpoints));
  }

  glance(): Promise<StoredCheckpoint[]> {
    return this.list();
  }

  listTrash(): Promise<StoredCheckpoint[]> {
    return Promise.resolve(listed(this.#trash));
  }

  read(id: string): Promise<StoredCheckpoint | undefined> {
    const found = this.#checkpoints.get(id);
    return Promise.resolve(found === undefined ? undefined : stored(id, found.message));
  }

  isHere(): Promise<boolean> {
    return Promise.resolve(true);
  }

  entry(id: string, name: string): Promise<Buffer> {
    const bytes = this.#checkpoints.get(id)?.entries?.get(name);
    if (bytes !== undefined) return Promise.resolve(bytes);
    const hint = "Use another checkpoint.";
    return Promise.reject(
      new Failure("checkpoint_damaged", `${name} of ${id} is missing`, { hint }),
    );
  }

  async entrySha256(id: string, name: string): Promise<string> {
    return createHash("sha256")
      .update(await this.entry(id, name))
      .digest("hex");
  }

  async extractEntry(id: string, name: string, to: string): Promise<void> {
    writeFileSync(to, await this.entry(id, name), { mode: 0o600, flag: "wx" });
  }

  isMadeHere({ id }: CheckpointDocument): boolean {
    return this.#checkpoints.has(id);
  }

  refuseHarmful(): Promise<void> {
    return Promise.resolve();
  }

  isForeign(): boolean {
    return false;
  }

  verify(ids?: readonly string[]): Promise<Integrity[]> {
    return Promise.resolve((ids ?? [...this.#checkpoints.keys()]).map((id) => this.#verifyOne(id)));
  }

  trash(ids: readonly string[]): Promise<string[]> {
    return Promise.resolve(moved(ids, this.#checkpoints, this.#trash));
  }

  restore(ids: readonly string[]): Promise<string[]> {
    const free = ids.filter((id) => !this.#checkpoints.has(id));
    return Promise.resolve(moved(free, this.#trash, this.#checkpoints));
  }

  tagPinned(): Promise<string[]> {
    return Promise.resolve([]);
  }

  purge(ids: readonly string[]): Promise<string[]> {
    const emptied = [...new Set(ids)].filter((id) => this.#trash.delete(id));
    return Promise.resolve(emptied.filter((id) => !this.#checkpoints.has(id)));
  }

  strays(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  removeStrays(): Promise<string[]> {
    return Promise.resolve([]);
  }

  remove(ids: readonly string[]): Promise<string[]> {
    const there = (id: string): boolean =>
      [this.#checkpoints.delete(id), this.#trash.delete(id)].includes(true);
    return Promise.resolve([...new Set(ids)].filter(there));
  }

  #verifyOne(id: string): Integrity {
    const found = this.#checkpoints.get(id);
    const bad = { id, file: false, hash: false, git: false, state: false };
    if (found === undefined) return { ...bad, problems: ["it is not there"] };
    const read = stored(id, found.message);
    if (read.kind !== "ok") return { ...bad, file: true, problems: [read.kind] };
    const git = gitPartOf(read.document)?.digest === contentId(found.content);
    const problems = git ? [] : ["its content is not the one of the document"];
    return { id, file: true, hash: true, git, state: true, problems };
  }
}

function listed(checkpoints: MemoryCheckpoints): StoredCheckpoint[] {
  return [...checkpoints].map(([id, { message }]) => stored(id, message));
}

function moved(ids: readonly string[], from: MemoryCheckpoints, to: MemoryCheckpoints): string[] {
  return [...new Set(ids)].filter((id) => {
    const found = from.get(id);
    if (found !== undefined) to.set(id, found);
    return from.delete(id);
  });
}

function stored(id: string, message: string): StoredCheckpoint {
  return { ...readDocument(message, id, sha256), id };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
