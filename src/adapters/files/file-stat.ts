/** What lstat says about a path, at full precision. */
import { lstatSync, type BigIntStats } from "node:fs";
import { isMissing } from "./errors.ts";

export type FileKind = "file" | "link" | "folder" | "special";

export function statOf(path: Buffer | string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export function kindOf(stat: BigIntStats): FileKind {
  if (stat.isFile()) return "file";
  if (stat.isSymbolicLink()) return "link";
  return stat.isDirectory() ? "folder" : "special";
}

export function permissions(stat: BigIntStats): number {
  return Number(stat.mode & 0o7777n);
}

/** Changes whenever the content, the mode or the file itself does. */
export function statKey(stat: BigIntStats): string {
  return `${stat.mtimeNs}:${stat.ctimeNs}:${stat.ino}:${stat.size}:${stat.mode}`;
}

/**
 * A file that changed this recently may change again without a new time stamp (clocks of file systems tick every
 * few milliseconds, on some every two seconds), so what was read from it is not remembered.
 */
const SETTLE_MS = 2100;

export function isSettled(stat: BigIntStats, nowMs: number): boolean {
  const newest = stat.mtimeNs > stat.ctimeNs ? stat.mtimeNs : stat.ctimeNs;
  return isSettledMs(Number(newest / 1_000_000n), nowMs);
}

export function isSettledMs(changedMs: number, nowMs: number): boolean {
  return changedMs + SETTLE_MS < nowMs;
}
