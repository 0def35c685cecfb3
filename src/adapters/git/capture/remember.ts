/** Keeps what a capture has learned that is not published: the next one need not look again. */
import { saveCache, type CaptureCache } from "../capture-cache.ts";
import type { Repository } from "../repository.ts";
import type { WorkTreeCapture } from "./capture-work-tree.ts";

/** The objects that count as held stay those of the last checkpoint: nothing of this capture is stored. */
export function remember(
  repository: Repository,
  { before, cache, scope, index, damage }: WorkTreeCapture,
): void {
  if (scope !== undefined || damage.objects > 0 || !hasNews(cache, before)) return;
  const { checkpoint, held } = before;
  const isHeld = checkpoint !== undefined && cache.trees?.own.every((oid) => held.has(oid));
  const trees = isHeld === true ? cache.trees : undefined;
  try {
    saveCache(repository, { ...cache, checkpoint, held, trees }, index.index?.bytes);
  } catch {
    // Without it the next one only takes longer.
  }
}

/** A save that says nothing new costs more than it gains. */
function hasNews(now: CaptureCache, before: CaptureCache): boolean {
  return (
    now.pathsIdentity !== before.pathsIdentity ||
    now.trees?.key !== before.trees?.key ||
    now.examined?.identity !== before.examined?.identity ||
    now.examined?.attributes !== before.examined?.attributes ||
    now.examined?.skipped.size !== before.examined?.skipped.size ||
    !sameStore(now, before) ||
    [...now.files].some(([path, { key }]) => before.files.get(path)?.key !== key) ||
    !sameTimes(now, before)
  );
}

function sameStore({ store: now }: CaptureCache, { store: before }: CaptureCache): boolean {
  return JSON.stringify(now) === JSON.stringify(before);
}

function sameTimes(now: CaptureCache, before: CaptureCache): boolean {
  const [mine, theirs] = [now.folders?.times, before.folders?.times];
  if (mine === undefined || theirs === undefined) return mine === theirs;
  return bytesOf(mine).equals(bytesOf(theirs));
}

function bytesOf({ buffer, byteOffset, byteLength }: Float64Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
