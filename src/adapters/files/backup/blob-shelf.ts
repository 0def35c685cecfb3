/** Where the content of files waits until their checkpoint is published. */
import type { EntryMode } from "../../../domain/file-state.ts";
import type { PartContent } from "../../../ports/part-keeper.ts";
import type { HashName } from "../../git/object-hash.ts";
import type { BlobSink } from "../stable-read.ts";

export interface BlobShelf extends BlobSink {
  readonly hash: HashName;
  /** Of a content that was put here: the plain SHA-256, as the manifest has it. */
  sha256Of(oid: string): string;
  content(oid: string, mode: EntryMode): PartContent;
  /** Safe to call at any time, more than once. */
  discard(): void;
}
