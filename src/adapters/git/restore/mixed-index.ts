/**
 * The index of now with the entries of some paths as a checkpoint had them: flags, stages, intent-to-add and what `resolve-undo` keeps are
 * among them. `git update-index` can write none of these, and notes a conflict of its own where one goes.
 *
 * Its time stamp is new, so git would no longer look twice at files that are as young as the old index was: their stat data is left out.
 */
import { createHash } from "node:crypto";
import { ancestorsOf, type BytePath } from "../../../domain/byte-path.ts";
import type { IndexFile, ResolveUndo } from "../index-file.ts";
import type { HashName } from "../object-hash.ts";

const STAT_BYTES = 40;
const BEFORE_MODE = 24;
const AFTER_MODE = 28;
const MTIME_SECONDS = 8;
const EXTENDED = 0x4000;
const NAME_MASK = 0x0fff;

interface Entry {
  readonly path: BytePath;
  readonly stage: number;
  /** Stat data, mode, object id and flags, without the length of the name. */
  readonly head: Buffer;
  /** Two more bytes of flags are at its end. */
  readonly isExtended: boolean;
}

export interface Mix {
  readonly now: IndexFile;
  readonly nowMtimeNs: bigint;
  /** Undefined: there was none, so none of the paths was in it. */
  readonly earlier: IndexFile | undefined;
  readonly inScope: (path: BytePath) => boolean;
  readonly hash: HashName;
}

/** In version 2, or 3 where flags need it. Not for an index with folders in place of files (sparse), or one that is split. */
export function mixedIndex({ now, nowMtimeNs, earlier, inScope, hash }: Mix): Buffer {
  const oidBytes = hash === "sha1" ? 20 : 32;
  const ofEarlier =
    earlier === undefined ? [] : entriesOf(earlier, oidBytes).filter((one) => inScope(one.path));
  const all = entriesOf(now, oidBytes);
  const known = new Map(all.map((entry) => [keyOf(entry), entry]));
  const taken = ofEarlier.map((entry) => {
    const same = known.get(keyOf(entry));
    return same !== undefined && isEqual(same, entry) ? same : withoutStat(entry);
  });
  const paths = new Set(taken.map(({ path }) => path));
  const folders = new Set(taken.flatMap(({ path }) => ancestorsOf(path)));
  const stays = all.filter(
    ({ path }) =>
      !inScope(path) &&
      !folders.has(path) &&
      !ancestorsOf(path).some((folder) => paths.has(folder)),
  );
  const entries = [...stays, ...taken]
    .map((entry) => (isRacy(entry, nowMtimeNs) ? withoutStat(entry) : entry))
    .toSorted((left, right) =>
      left.path === right.path ? left.stage - right.stage : left.path < right.path ? -1 : 1,
    );
  const undone = [
    ...now.resolveUndo.filter(({ path }) => !inScope(path)),
    ...(earlier?.resolveUndo.filter(({ path }) => inScope(path)) ?? []),
  ];
  const header = Buffer.from("DIRC\0\0\0\0\0\0\0\0", "latin1");
  header.writeUInt32BE(entries.some((entry) => entry.isExtended) ? 3 : 2, 4);
  header.writeUInt32BE(entries.length, 8);
  const body = Buffer.concat([header, ...entries.map(encodeEntry), encodeResolveUndo(undone)]);
  return Buffer.concat([body, createHash(hash).update(body).digest()]);
}

function entriesOf(index: IndexFile, oidBytes: number): Entry[] {
  return Array.from({ length: index.length }, (_, entry) => {
    const start = index.entryStart(entry);
    const flagsAt = start + STAT_BYTES + oidBytes;
    const isExtended = (index.bytes.readUInt16BE(flagsAt) & EXTENDED) !== 0;
    const head = Buffer.from(index.bytes.subarray(start, flagsAt + (isExtended ? 4 : 2)));
    head.writeUInt16BE(
      head.readUInt16BE(STAT_BYTES + oidBytes) & ~NAME_MASK,
      STAT_BYTES + oidBytes,
    );
    return { path: index.path(entry), stage: index.stage(entry), head, isExtended };
  });
}

const keyOf = ({ path, stage }: Entry): string => `${stage}${path}`;

/** Everything but stat data. */
function isEqual(left: Entry, right: Entry): boolean {
  return withoutStat(left).head.equals(withoutStat(right).head);
}

function withoutStat(entry: Entry): Entry {
  const head = Buffer.from(entry.head);
  head.fill(0, 0, BEFORE_MODE);
  head.fill(0, AFTER_MODE, STAT_BYTES);
  return { ...entry, head };
}

/** By whole seconds: most builds of git compare no more than these, and so would miss a later edit in the same one. */
function isRacy({ head }: Entry, indexMtimeNs: bigint): boolean {
  return head.readUInt32BE(MTIME_SECONDS) >= Number(indexMtimeNs / 1_000_000_000n) >>> 0;
}

function encodeEntry(entry: Entry): Buffer {
  const name = Buffer.from(entry.path, "latin1");
  const head = Buffer.from(entry.head);
  const flagsAt = head.length - (entry.isExtended ? 4 : 2);
  head.writeUInt16BE(head.readUInt16BE(flagsAt) | Math.min(name.length, NAME_MASK), flagsAt);
  const length = head.length + name.length;
  return Buffer.concat([head, name, Buffer.alloc(8 - (length % 8))]);
}

/** Of each path the modes of its three stages, then the objects of those that it had. */
function encodeResolveUndo(undone: readonly ResolveUndo[]): Buffer {
  if (undone.length === 0) return Buffer.alloc(0);
  const paths = [...new Set(undone.map(({ path }) => path))].toSorted((a, b) => (a < b ? -1 : 1));
  const body = Buffer.concat(
    paths.flatMap((path) => {
      const stages = [1, 2, 3].map((stage) =>
        undone.find((one) => one.path === path && one.stage === stage),
      );
      return [
        Buffer.from(`${path}\0`, "latin1"),
        ...stages.map((one) => Buffer.from(`${(one?.mode ?? 0).toString(8)}\0`, "latin1")),
        ...stages.flatMap((one) => (one === undefined ? [] : [Buffer.from(one.oid, "hex")])),
      ];
    }),
  );
  const header = Buffer.from("REUC\0\0\0\0", "latin1");
  header.writeUInt32BE(body.length, 4);
  return Buffer.concat([header, body]);
}
