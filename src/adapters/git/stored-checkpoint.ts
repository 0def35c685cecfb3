/** A checkpoint as its store hands it out, from the message of its commit. */
import { readDocument } from "../../domain/document-text.ts";
import type { StoredCheckpoint } from "../../ports/checkpoint-store.ts";
import { sha256 } from "./sha256.ts";

/** `isVerified`: its checksum was found to be right before. */
export function storedCheckpoint(
  id: string,
  message: string,
  isVerified = false,
): StoredCheckpoint {
  const read = readDocument(message, id, isVerified ? undefined : sha256);
  switch (read.kind) {
    case "ok":
      return { kind: "ok", id, document: read.document };
    case "newer":
      return { kind: "newer", id, version: read.version };
    case "damaged":
      return { kind: "damaged", id, problem: read.problem };
  }
}
