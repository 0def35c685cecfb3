/** How much a checkpoint may hold. */
export interface CapturePolicy {
  /** A single file over this is left out and listed. */
  readonly maxFileBytes: number;
  /** New files over this count: refused, nothing is stored. */
  readonly maxFiles: number;
  /** New bytes over this: refused, nothing is stored. */
  readonly maxTotalBytes: number;
  readonly includeUntracked: boolean;
  /** Keep untracked files with sensitive names out. */
  readonly excludeSensitive: boolean;
}

const MIB = 1024 * 1024;

export const DEFAULT_POLICY: CapturePolicy = {
  maxFileBytes: 50 * MIB,
  maxFiles: 200_000,
  maxTotalBytes: 2048 * MIB,
  includeUntracked: true,
  excludeSensitive: true,
};
