/** Object ids as git computes them. */
import { createHash, type Hash } from "node:crypto";

export type ObjectType = "blob" | "tree" | "commit" | "tag";
export type HashName = "sha1" | "sha256";

export function startObjectHash(hash: HashName, type: ObjectType, size: number): Hash {
  return createHash(hash).update(`${type} ${size}\0`);
}

export function objectId(hash: HashName, type: ObjectType, content: Buffer): string {
  return startObjectHash(hash, type, content.length).update(content).digest("hex");
}

export function hexLength(hash: HashName): number {
  return hash === "sha1" ? 40 : 64;
}

export function nullId(hash: HashName): string {
  return "0".repeat(hexLength(hash));
}
