/** A checkpoint as the message of its commit: a readable subject, then the document as JSON. */
import { canonicalJson } from "./canonical-json.ts";
import { SCHEMA_VERSION, type CheckpointDocument } from "./checkpoint.ts";
import { documentProblem } from "./document-shape.ts";
import { CHECKPOINT_STEPS, upcast } from "./upcast.ts";

type Sha256 = (text: string) => string;

export type ReadDocument =
  | { readonly kind: "ok"; readonly document: CheckpointDocument }
  | { readonly kind: "damaged"; readonly problem: string }
  | { readonly kind: "newer"; readonly version: number };

/** Over the canonical document without this field. */
export function checksumOf(document: Readonly<Record<string, unknown>>, sha256: Sha256): string {
  const { checksum: _checksum, ...rest } = document;
  return `sha256:${sha256(canonicalJson(rest))}`;
}

export function withChecksum(
  document: Omit<CheckpointDocument, "checksum">,
  sha256: Sha256,
): CheckpointDocument {
  return { ...document, checksum: checksumOf({ ...document }, sha256) };
}

/** One line that says what a checkpoint is about. */
export function subjectOf(document: CheckpointDocument): string {
  const about = document.reason ?? document.name ?? document.phase ?? "";
  const subject = `waymark ${document.trigger}: ${about}`.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
  return subject.slice(0, 72);
}

export function documentMessage(document: CheckpointDocument): string {
  return `${subjectOf(document)}\n\n${JSON.stringify(document, null, 1)}\n`;
}

/**
 * Reads without a schema library: this is on the path of every command. The full check is `validate`. Without `sha256` the
 * checksum is taken for right: it was found to be so before.
 */
export function readDocument(
  message: string,
  id: string,
  sha256: Sha256 | undefined,
): ReadDocument {
  const start = message.indexOf("\n\n{");
  if (start < 0) return damaged("its commit has no document");
  let document: Record<string, unknown>;
  try {
    document = JSON.parse(message.slice(start + 2)) as Record<string, unknown>;
  } catch {
    return damaged("its document is not valid JSON");
  }
  const version = document["schema_version"];
  if (typeof version !== "number") return damaged("its document has no schema_version");
  if (version > SCHEMA_VERSION) return { kind: "newer", version };
  if (document["id"] !== id) return damaged("its document belongs to another checkpoint");
  if (sha256 !== undefined && document["checksum"] !== checksumOf(document, sha256)) {
    return damaged("the checksum of its document is wrong");
  }
  // The checksum is that of the document as it was written, so it comes before any change.
  const current = upcast(document, version, SCHEMA_VERSION, CHECKPOINT_STEPS);
  if (current === undefined) return damaged(`its version ${version} is not supported`);
  const problem = documentProblem(current);
  if (problem !== undefined) return damaged(`in its document ${problem}`);
  return { kind: "ok", document: current as unknown as CheckpointDocument };
}

function damaged(problem: string): ReadDocument {
  return { kind: "damaged", problem };
}
