/** Looks for secrets in the bytes of a file. */
import { findSecret } from "../../domain/secrets/find-secret.ts";
import { ruleInFile } from "../../domain/secrets/judge-file.ts";
import type { NameKind } from "../../domain/sensitive-name.ts";

/** Of longer files only this much is searched: configuration is short, and a checkpoint must not wait for data. */
export const SCANNED_BYTES = 1024 * 1024;

/** As git does it: a zero byte near the beginning. */
const BINARY_HEAD = 8000;

/**
 * The id of the rule that finds a secret in the first bytes of a file with such a name; undefined: none does. Takes any number of
 * bytes from the beginning of the file and looks at the first `SCANNED_BYTES`.
 */
export function scanContent(bytes: Buffer, kind: NameKind = "ordinary"): string | undefined {
  const head = bytes.subarray(0, SCANNED_BYTES);
  const text = textOf(head);
  return ruleInFile(kind, text ?? head.toString("latin1"), text === undefined);
}

/** The same for a document that people chose: all of it is looked at. */
export function scanDocument(bytes: Buffer): string | undefined {
  return findSecret(bytes.toString("latin1"));
}

/** One character for each byte is enough: secrets are ASCII. UTF-16 is what some editors and shells of Windows write. */
function textOf(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.toString("utf16le");
  if (bytes[0] === 0xfe && bytes[1] === 0xff) {
    const even = bytes.subarray(0, bytes.length - (bytes.length % 2));
    return Buffer.from(even).swap16().toString("utf16le");
  }
  if (bytes.subarray(0, BINARY_HEAD).includes(0)) return undefined;
  return bytes.toString("latin1");
}
