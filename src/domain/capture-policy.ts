/** What a checkpoint holds, and how much. */
import { DEFAULT_CONFIG, type Config } from "./config.ts";

export interface CapturePolicy {
  /** A single file over this is left out and listed. */
  readonly maxFileBytes: number;
  /** New files over this count: refused, nothing is stored. */
  readonly maxFiles: number;
  /** New bytes over this: refused, nothing is stored. */
  readonly maxTotalBytes: number;
  readonly includeUntracked: boolean;
  /** Patterns of untracked files and folders to leave out. */
  readonly exclude: readonly string[];
  /** Keep untracked files out that are surely secrets. */
  readonly excludeSensitive: boolean;
  /** Patterns of more names of that kind. */
  readonly sensitivePatterns: readonly string[];
  /** Look for secrets in the content of files whose names say nothing, too. */
  readonly scanContent: boolean;
}

const MIB = 1024 * 1024;

export function policyOf({ capture, secrets }: Config): CapturePolicy {
  return {
    maxFileBytes: capture.maxFileMb * MIB,
    maxFiles: capture.maxFiles,
    maxTotalBytes: capture.maxTotalMb * MIB,
    includeUntracked: capture.includeUntracked,
    exclude: capture.exclude,
    excludeSensitive: secrets.exclude,
    sensitivePatterns: secrets.patterns,
    scanContent: secrets.scan,
  };
}

export const DEFAULT_POLICY: CapturePolicy = policyOf(DEFAULT_CONFIG);

/** Where the limits that somebody set cannot be read: none, since work must come back all the same. */
export function withoutLimits(policy: CapturePolicy): CapturePolicy {
  const none = Number.POSITIVE_INFINITY;
  return { ...policy, maxFiles: none, maxTotalBytes: none };
}
