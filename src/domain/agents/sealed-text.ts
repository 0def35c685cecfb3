/**
 * A file of our own says so in a line with the digest of the rest: so it is known again whichever version wrote it, and what people changed in it is
 * never thrown away.
 */
type Sha256 = (text: string) => string;

const SEAL = /waymark-hooks sha256:(?<digest>[0-9a-f]{64}|)/;

/** `text` has one place for the digest: `waymark-hooks sha256:` and nothing after it. */
export function sealed(text: string, sha256: Sha256): string {
  return text.replace(SEAL, (found) => found + sha256(text));
}

/** Undefined: not ours. */
export function sealOf(text: string, sha256: Sha256): "untouched" | "changed" | undefined {
  const digest = SEAL.exec(text)?.groups?.["digest"];
  if (digest === undefined || digest === "") return undefined;
  return sha256(text.replace(digest, "")) === digest ? "untouched" : "changed";
}
