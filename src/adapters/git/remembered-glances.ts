/**
 * What `list` shows of checkpoints, as it was read last, by the ids of their commits. A commit never changes under its id, but it can get
 * lost or be damaged: so what is remembered counts only while every pack that was there then is still the same file, and only for commits
 * that were in packs. Nothing is decided by it: whatever is used is read and checked by itself.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isGlance, type CheckpointGlance } from "../../domain/checkpoint-glance.ts";
import { isRecord } from "../../domain/is-record.ts";
import { writeDurably } from "../files/durable-write.ts";
import { quickStatOf, statOf } from "../files/file-stat.ts";
import { namesIn } from "../files/names-in.ts";
import { readRegular } from "../files/regular-file.ts";

import type { Repository } from "./repository.ts";
import { packFolder } from "./store/packs.ts";
import { isStore } from "./store/store-place.ts";

export type Glances = ReadonlyMap<string, CheckpointGlance>;
/** By name of a file of a pack: what tells it from another. */
export type Packs = ReadonlyMap<string, string>;

const FORMAT = 2;

/** None where anything is not as it was, or was written by somebody else. */
export function readGlances(repository: Repository, packs: Packs): Glances {
  try {
    const path = glancesPath(repository);
    if (!isOwn(path)) return new Map();
    const read: unknown = JSON.parse(readRegular(path, "utf8"));
    if (!isRecord(read) || read["format"] !== FORMAT) return new Map();
    const { packs: before, glances } = read;
    if (!isRecord(before) || !isRecord(glances)) return new Map();
    const isSame = Object.entries(before).every(([name, identity]) => packs.get(name) === identity);
    const entries = isSame ? Object.entries(glances) : [];
    return new Map(
      entries.filter((entry): entry is [string, CheckpointGlance] => isGlance(entry[1])),
    );
  } catch {
    return new Map();
  }
}

/** `packs`: as they were both before and after the commits were read. */
export function saveGlances(repository: Repository, packs: Packs, glances: Glances): void {
  const document = {
    format: FORMAT,
    packs: Object.fromEntries(packs),
    glances: Object.fromEntries(glances),
  };
  try {
    writeDurably(glancesPath(repository), JSON.stringify(document), false);
  } catch {
    // Without it the next list takes longer; that is all.
  }
}

/** Undefined: checkpoints are not in a store yet. */
export function packsOf(repository: Repository): Packs | undefined {
  if (!isStore(repository)) return undefined;
  const folder = packFolder(repository);
  const found = new Map<string, string>();
  for (const name of namesIn(folder)) {
    const stat = /\.(?:pack|idx)$/.test(name) ? statOf(join(folder, name)) : undefined;
    if (stat === undefined) continue;
    found.set(name, [stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(" "));
  }
  return found;
}

export function samePacks(left: Packs, right: Packs): boolean {
  return left.size === right.size && [...left].every(([name, is]) => right.get(name) === is);
}

/** A file of its own, which is not in a pack. */
export function isLoose({ commonDir }: Repository, oid: string): boolean {
  return existsSync(join(commonDir, "objects", oid.slice(0, 2), oid.slice(2)));
}

function isOwn(path: string): boolean {
  const stat = quickStatOf(path);
  return stat?.isFile() === true && stat.uid === process.geteuid?.() && (stat.mode & 0o022) === 0;
}

function glancesPath(repository: Repository): string {
  return join(repository.sharedDir, "glances.json");
}
