/**
 * The clock that stamps the files of a project, which for a network disk is that of another machine.
 *
 * What was read from a file is remembered by the file's time stamps, so it may be remembered only if a later change is sure to get
 * another one: the last change must be older than the grain of the clock (2 s on FAT) at the moment of reading.
 */
import { closeSync, fstatSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { uniqueName } from "./durable-write.ts";
import { quickStatOf } from "./file-stat.ts";
import { makeFolders } from "./make-folders.ts";

/** The coarsest grain, and a little more: the kernel's own clock for files is up to 10 ms late. */
const SETTLE_MS = 2100;
/** Of a disk on which nothing may be written only to read its clock. */
const MAX_LAG_MS = 3_600_000;

export class DiskClock {
  readonly #scratch: string;
  readonly #place: string;
  readonly #startMs: number;
  #nowMs: number | undefined;

  /** To be made before the first file is read. `scratch`: a folder of ours; `place`: where the files are. */
  constructor(scratch: string, place: string, startMs = Date.now()) {
    this.#scratch = scratch;
    this.#place = place;
    this.#startMs = startMs;
  }

  /** Whether every change after the reading shows. The disk is asked once, and only if the answer can be yes. */
  isSettled(changedMs: number): boolean {
    if (changedMs + SETTLE_MS >= this.#startMs) return false;
    this.#nowMs ??= this.#startMs - this.#lagMs();
    return changedMs + SETTLE_MS < this.#nowMs;
  }

  /** How far the disk's clock is behind ours. */
  #lagMs(): number {
    try {
      makeFolders(this.#scratch, 0o700);
      const path = join(this.#scratch, `tmp-${uniqueName()}`);
      const fd = openSync(path, "wx", 0o600);
      try {
        const { mtimeMs, dev } = fstatSync(fd);
        if (quickStatOf(this.#place)?.dev !== dev) return MAX_LAG_MS;
        return Math.max(0, Date.now() - mtimeMs);
      } finally {
        closeSync(fd);
        rmSync(path, { force: true });
      }
    } catch {
      // Where nothing can be written, nothing can be remembered.
      return Number.POSITIVE_INFINITY;
    }
  }
}
