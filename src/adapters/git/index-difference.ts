/** What differs between two readings of an index: mostly a handful of a hundred thousand entries. */
import type { IndexFile } from "./index-file.ts";

export interface IndexDifference {
  /** Entries that are new, or not byte for byte what they were. */
  readonly changed: readonly number[];
  /** The same names are tracked, whatever they hold. */
  readonly samePaths: boolean;
  /** The earlier reading; undefined: it is the same file. */
  readonly before?: IndexFile;
}

/** Entries that are compared in one go. */
const RUN = 64;

export function indexDifference(now: IndexFile, before: IndexFile): IndexDifference {
  const changed: number[] = [];
  let samePaths = true;
  let old = 0;
  for (let entry = 0; entry < now.length;) {
    const run = Math.min(RUN, now.length - entry, before.length - old);
    if (run > 0 && now.sameEntries(entry, before, old, run)) {
      entry += run;
      old += run;
      continue;
    }
    for (const end = entry + Math.max(run, 1); entry < end; entry++) {
      if (old < before.length && now.sameEntries(entry, before, old, 1)) {
        old += 1;
        continue;
      }
      changed.push(entry);
      const path = now.path(entry);
      const passed = old;
      while (old < before.length && before.path(old) < path) old++;
      if (old > passed) samePaths = false;
      if (old < before.length && before.path(old) === path) old++;
      else samePaths = false;
    }
  }
  return { changed, samePaths: samePaths && old === before.length, before };
}
