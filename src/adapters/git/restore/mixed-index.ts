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
import { foldFolders, type Folded } from "./fold-folders.ts";
import {
  encodeEntry,
  entriesOf,
  isEqual,
  isRacy,
  keyOf,
  withoutStat,
  type Entry,
} from "./index-entry.ts";

/**
 * Says that there may be folders, also where there are none: git 2.39 tears an index without it apart when it makes one sparse in which
 * something is only intended to be added.
 */
const SPARSE = Buffer.from("sdir\0\0\0\0", "latin1");

/** One that is sparse has folders in place of files. The others are the same twice. */
export interface MixedFrom {
  readonly index: IndexFile;
  readonly withFilesOnly: IndexFile;
}

export interface Mix {
  readonly now: MixedFrom;
  readonly nowMtimeNs: bigint;
  /** Undefined: there was none, so none of the paths was in it. */
  readonly earlier: MixedFrom | undefined;
  readonly inScope: (path: BytePath) => boolean;
  readonly hash: HashName;
}

/** In version 2, or 3 where flags need it; sparse if that of now is. Not for an index that is split. */
export function mixedIndex({ now, nowMtimeNs, earlier, inScope, hash }: Mix): Buffer {
  const oidBytes = hash === "sha1" ? 20 : 32;
  const all = entriesOf(now.withFilesOnly, oidBytes);
  const allEarlier = earlier === undefined ? [] : entriesOf(earlier.withFilesOnly, oidBytes);
  const ofEarlier = allEarlier.filter((one) => inScope(one.path));
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
  const files = [...stays, ...taken].map((entry) =>
    isRacy(entry, nowMtimeNs) ? withoutStat(entry) : entry,
  );
  const { isSparse } = now.index;
  const folded = (from: MixedFrom, own: readonly Entry[]): Folded => ({
    entries: entriesOf(from.index, oidBytes),
    files: own,
  });
  const sources = (): Folded[] => [
    folded(now, all),
    ...(earlier === undefined ? [] : [folded(earlier, allEarlier)]),
  ];
  const entries = (isSparse ? foldFolders(files, sources()) : files).toSorted((left, right) =>
    left.path === right.path ? left.stage - right.stage : left.path < right.path ? -1 : 1,
  );
  const undone = [
    ...now.index.resolveUndo.filter(({ path }) => !inScope(path)),
    ...(earlier?.index.resolveUndo.filter(({ path }) => inScope(path)) ?? []),
  ];
  const header = Buffer.from("DIRC\0\0\0\0\0\0\0\0", "latin1");
  header.writeUInt32BE(entries.some((entry) => entry.isExtended) ? 3 : 2, 4);
  header.writeUInt32BE(entries.length, 8);
  const body = Buffer.concat([
    header,
    ...entries.map(encodeEntry),
    encodeResolveUndo(undone),
    ...(isSparse ? [SPARSE] : []),
  ]);
  return Buffer.concat([body, createHash(hash).update(body).digest()]);
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
