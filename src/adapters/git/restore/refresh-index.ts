/**
 * Gives the entries of an index the stat data of the files on disk, as `git reset --hard` leaves it. Otherwise `git diff-files` and
 * `git diff-index` take every file that a rollback wrote for changed until `git status` has run.
 *
 * No edit is hidden by that. A file that is as young as the index file gets its stat data unread: git always compares the content of
 * such an entry, with its own conversions. An older one gets it only if its bytes are those of the entry. An entry with another
 * size than its file stays: git calls it modified by that alone.
 */
import type { BigIntStats, Stats } from "node:fs";
import { parentOf } from "../../../domain/byte-path.ts";
import { onDisk, quickPath, type RootFolder } from "../../files/byte-names.ts";
import { isDenied, isMissing } from "../../files/errors.ts";
import { kindOf, quickStatOf, statKey, statOf } from "../../files/file-stat.ts";
import { realFolders } from "../../files/real-folders.ts";
import { hashFile, readLink } from "../../files/stable-read.ts";
import { IndexFile, isStatSize } from "../index-file.ts";
import { hasStat, sealIndex, writeStat } from "../index-stat.ts";
import { objectId, type HashName } from "../object-hash.ts";

const TYPE_MASK = 0o170000;
const KINDS: Readonly<Record<number, "file" | "link">> = { 0o100000: "file", 0o120000: "link" };

/** `writtenNs`: what the modification time of the index file will be. Undefined: nothing is to be changed. */
export function refreshIndex(
  content: Buffer,
  hash: HashName,
  writtenNs: bigint,
  root: RootFolder,
): Buffer | undefined {
  const index = new IndexFile(content, hash);
  const isReal = realFolders(root);
  let bytes: Buffer | undefined;
  for (let entry = 0; entry < index.length; entry++) {
    const kind = KINDS[index.mode(entry) & TYPE_MASK];
    if (kind === undefined || !isCompared(index, entry)) continue;
    const path = index.path(entry);
    const quick = lookIfAllowed(quickPath(root, path));
    if (quick === undefined || kindOf(quick) !== kind) continue;
    if (hasStat(content, index.entryStart(entry), quick) || !isReal(parentOf(path))) continue;
    const stat = freshStat(index, entry, onDisk(root, path), hash, writtenNs);
    if (stat === undefined) continue;
    bytes ??= Buffer.from(content);
    writeStat(bytes, index.entryStart(entry), stat);
  }
  return bytes && sealIndex(bytes, hash);
}

/** Git looks at the file of this entry. */
function isCompared(index: IndexFile, entry: number): boolean {
  return (
    index.stage(entry) === 0 &&
    !index.isAssumedValid(entry) &&
    !index.skipsWorkTree(entry) &&
    !index.isIntentToAdd(entry)
  );
}

function lookIfAllowed(at: Buffer | string): Stats | undefined {
  try {
    return quickStatOf(at);
  } catch (error) {
    if (isDenied(error)) return undefined;
    throw error;
  }
}

/** Undefined: git has to find out by itself. */
function freshStat(
  index: IndexFile,
  entry: number,
  at: Buffer,
  hash: HashName,
  writtenNs: bigint,
): BigIntStats | undefined {
  const stat = statOf(at);
  if (stat === undefined) return undefined;
  const size = index.statSize(entry);
  const isSameSize = isStatSize(size, Number(stat.size));
  if (isSameSize && stat.mtimeNs >= writtenNs) return stat;
  // Git itself writes 0 where the stat data must not be trusted.
  if (!isSameSize && size !== 0) return undefined;
  try {
    if (contentId(at, stat, hash) !== index.oid(entry)) return undefined;
    const after = statOf(at);
    return after !== undefined && statKey(after) === statKey(stat) ? stat : undefined;
  } catch (error) {
    if (isMissing(error) || isDenied(error)) return undefined;
    throw error;
  }
}

function contentId(at: Buffer, stat: BigIntStats, hash: HashName): string {
  return kindOf(stat) === "link" ? objectId(hash, "blob", readLink(at)) : hashFile(at, hash);
}
