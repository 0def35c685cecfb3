/** A checkpoint as its store hands it out, from its commit. */
import { gitPartOf } from "../../domain/checkpoint.ts";
import { readDocument } from "../../domain/document-text.ts";
import type { StoredCheckpoint } from "../../ports/checkpoint-store.ts";
import type { RefMessage } from "./ref-messages.ts";
import { sha256 } from "./sha256.ts";

/** `isVerified`: its checksum was found to be right before. */
export function storedCheckpoint(
  id: string,
  { tree, message }: Pick<RefMessage, "tree" | "message">,
  isVerified = false,
): StoredCheckpoint {
  const read = readDocument(message, id, isVerified ? undefined : sha256);
  switch (read.kind) {
    case "ok":
      // As after `git filter-branch -- --all`: git wrote the commit again, with the old message.
      if (tree !== gitPartOf(read.document)?.digest) {
        return { kind: "damaged", id, problem: "its tree does not match the document" };
      }
      return { kind: "ok", id, document: read.document };
    case "newer":
      return { kind: "newer", id, version: read.version };
    case "damaged":
      return { kind: "damaged", id, problem: read.problem };
  }
}
