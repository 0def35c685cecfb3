/**
 * The lock on packed refs that a killed git left. Git takes it whenever a ref is deleted, packed or not, and as long as it is
 * there the user's own git deletes and packs no ref either.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { statOf } from "../files/file-stat.ts";
import type { Repository } from "./repository.ts";

/** Git holds this one for milliseconds, with no descriptor open and nothing of ours in it: so its age decides. */
const PACKED_LOCK_MS = 3000;

/** Only one that came after `since`, when a process that is gone now began to change refs. */
export function removeDeadPackedLock(repository: Repository, since: Date): void {
  const lock = join(repository.commonDir, "packed-refs.lock");
  const fresh = join(repository.commonDir, "packed-refs.new");
  const stat = statOf(lock);
  if (stat === undefined || stat.mtime < since) return;
  // Where there are many refs, a git that is alive writes the new file for longer.
  const touched = Math.max(stat.mtime.getTime(), touchedAt(fresh));
  sleep(PACKED_LOCK_MS - (Date.now() - touched));
  if (statOf(lock)?.ino !== stat.ino || touchedAt(fresh) > touched) return;
  rmSync(fresh, { force: true });
  rmSync(lock, { force: true });
}

/** A git that was interrupted takes its lock with it and may leave the new file; git makes and renames that only under the lock. */
export function removeDeadNewPackedRefs({ commonDir }: Repository): void {
  const fresh = join(commonDir, "packed-refs.new");
  const lock = join(commonDir, "packed-refs.lock");
  const before = statOf(fresh);
  if (before === undefined || statOf(lock) !== undefined) return;
  sleep(PACKED_LOCK_MS - (Date.now() - before.mtime.getTime()));
  const after = statOf(fresh);
  const isSame = after?.ino === before.ino && after.mtime.getTime() === before.mtime.getTime();
  if (isSame && statOf(lock) === undefined) rmSync(fresh, { force: true });
}

function sleep(ms: number): void {
  if (ms > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function touchedAt(path: string): number {
  return statOf(path)?.mtime.getTime() ?? 0;
}
