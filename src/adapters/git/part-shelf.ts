/** Content of copied files on its way into a checkpoint: in a pack of its own, without what other checkpoints hold already. */
import { createHash } from "node:crypto";
import type { EntryMode } from "../../domain/file-state.ts";
import type { PartContent } from "../../ports/part-keeper.ts";
import type { BlobShelf } from "../files/backup/blob-shelf.ts";
import { hashDescriptor } from "../files/stable-read.ts";
import type { HeldRef } from "./capture-cache.ts";
import { blobsInHalves } from "./local-half.ts";
import type { HashName } from "./object-hash.ts";
import type { ObjectReader } from "./object-reader.ts";
import { PackSpool } from "./pack-spool.ts";
import { Quarantine } from "./quarantine.ts";
import type { Repository } from "./repository.ts";

export class PartShelf implements BlobShelf {
  readonly hash: HashName;
  readonly spool: PackSpool;
  readonly #quarantine: Quarantine;
  readonly #held: ReadonlyMap<string, HeldRef>;
  readonly #reliesOn = new Map<string, HeldRef>();
  readonly #sums = new Map<string, string>();
  #asked = "";

  private constructor(repository: Repository, held: ReadonlyMap<string, HeldRef>) {
    this.hash = repository.hash;
    this.#held = held;
    this.#quarantine = new Quarantine(repository);
    this.spool = new PackSpool(() => this.#quarantine.path("parts.pack"), repository.hash);
  }

  static async begin(repository: Repository, reader: ObjectReader): Promise<PartShelf> {
    return new PartShelf(repository, await blobsInHalves(repository, reader));
  }

  /** They hold what was not put on the shelf. */
  get reliesOn(): Iterable<HeldRef> {
    return this.#reliesOn.values();
  }

  wants(oid: string): boolean {
    this.#asked = oid;
    return !this.#sums.has(oid);
  }

  add(oid: string, content: Buffer): void {
    this.#sums.set(oid, createHash("sha256").update(content).digest("hex"));
    if (!this.#isHeld(oid)) this.spool.add(oid, "blob", content);
  }

  async addLarge(fd: number, size: number): Promise<string> {
    if (this.#held.has(this.#asked)) {
      const sum = createHash("sha256");
      const oid = hashDescriptor(fd, size, this.hash, undefined, (piece) => sum.update(piece));
      // It may be another content by now.
      if (oid === this.#asked && this.#isHeld(oid)) return this.#note(oid, sum.digest("hex"));
    }
    const sum = createHash("sha256");
    const oid = await this.spool.addLarge(fd, size, (piece) => sum.update(piece));
    return oid === "" ? "" : this.#note(oid, sum.digest("hex"));
  }

  sha256Of(oid: string): string {
    const sum = this.#sums.get(oid);
    if (sum === undefined) throw new Error(`${oid} is not on this shelf`);
    return sum;
  }

  content(oid: string, mode: EntryMode): PartContent {
    return { kind: "shelved", oid, mode, shelf: this };
  }

  discard(): void {
    this.spool.close();
    this.#quarantine.discard();
  }

  #isHeld(oid: string): boolean {
    const ref = this.#held.get(oid);
    if (ref !== undefined) this.#reliesOn.set(ref.name, ref);
    return ref !== undefined;
  }

  #note(oid: string, sum: string): string {
    this.#sums.set(oid, sum);
    return oid;
  }
}
