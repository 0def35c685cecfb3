/**
 * Tracked files that git calls clean still have two things that the index does not say: their full mode, and their
 * raw bytes where git converts them. Each index entry is looked at once; as long as its stat data stays the same, so
 * does the answer.
 */
import { readFileSync } from "node:fs";
import type { BytePath } from "../../../domain/byte-path.ts";
import { uniqueName } from "../../files/durable-write.ts";
import { lookAt, permissions, quickStatOf } from "../../files/file-stat.ts";
import { onDisk } from "../../files/byte-names.ts";
import { examinedPath, type CaptureCache, type ExaminedIndex } from "../capture-cache.ts";
import { attributesKey, conversionsOf } from "../converted-files.ts";
import { indexDifference, type IndexDifference } from "../index-difference.ts";
import { IndexFile, isStatSize } from "../index-file.ts";
import type { IndexSnapshot } from "../index-snapshot.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";
import type { CaptureContext, DefaultModes } from "./context.ts";
import { readLeaf } from "./read-leaf.ts";

const REGULAR = 0o100000;
const TYPE_MASK = 0o170000;

/**
 * What is new in the index since its clean entries were examined. Undefined: nothing is known about them, or what is known was
 * about other default modes.
 */
export function sinceExamined(
  repository: Repository,
  snapshot: IndexSnapshot,
  { examined }: CaptureCache,
  defaults: DefaultModes,
): IndexDifference | undefined {
  if (examined === undefined || snapshot.index === undefined) return undefined;
  if (!examined.identity.endsWith(modesIdentity(defaults))) return undefined;
  if (examined.identity === identityOf(snapshot, defaults)) return { changed: [], samePaths: true };
  try {
    const before = readFileSync(examinedPath(repository, examined.copy));
    return indexDifference(snapshot.index, new IndexFile(before, repository.hash));
  } catch {
    return undefined;
  }
}

function identityOf({ identity }: IndexSnapshot, defaults: DefaultModes): string {
  return `${identity}${modesIdentity(defaults)}`;
}

function modesIdentity({ plain, executable }: DefaultModes): string {
  return `/${plain}/${executable}`;
}

export async function examineClean(
  context: CaptureContext,
  snapshot: IndexSnapshot,
  dirty: ReadonlySet<BytePath>,
  attributeFiles: readonly BytePath[],
  defaults: DefaultModes,
): Promise<ExaminedIndex> {
  const { repository, index, settings, cache } = context;
  const attributes = attributesKey(repository, index, settings, attributeFiles);
  const identity = identityOf(snapshot, defaults);
  const last = cache.examined;
  const sameRules = last !== undefined && last.attributes === attributes;
  const fresh = freshEntries(context, last, dirty);
  const isFresh = new Set(fresh);
  // What is neither new nor dirty nor gone is as it was the last time.
  const stays = (path: BytePath): boolean =>
    !isFresh.has(path) && !dirty.has(path) && (index?.find(path) ?? -1) >= 0;
  const modes = new Map([...(last?.modes ?? [])].filter(([path]) => stays(path)));
  for (const path of fresh) {
    const mode = oddMode(context, path, defaults);
    if (mode !== undefined) modes.set(path, mode);
  }
  // Whatever the rules are now: the bytes of a file that was not touched are the same.
  const known = [...(last?.raw ?? [])].filter(([path]) => stays(path));
  const raw = await keepRaw(context, known, dirty, defaults);
  await findByLength(context, fresh, raw, defaults);
  if (attributes !== undefined) {
    const toAsk = sameRules ? fresh : regularFiles(context, dirty);
    await findConverted(context, toAsk, raw, defaults);
  }
  const copy = last?.identity === identity ? last.copy : uniqueName();
  const skipped = new Set([...dirty, ...fresh.filter((path) => mayChangeUnseen(context, path))]);
  return { identity, attributes, modes, raw, skipped, copy };
}

/**
 * Git compares times by the second, so a chmod in the second of the last change would not be seen the next time.
 * Such a file is looked at again until that second is over.
 */
function mayChangeUnseen({ index, clock }: CaptureContext, path: BytePath): boolean {
  const entry = index?.find(path) ?? -1;
  return entry >= 0 && !clock.isSettled((index?.changeSeconds(entry) ?? 0) * 1000);
}

/** Entries whose stat data is new since the last examination. */
function freshEntries(
  context: CaptureContext,
  last: ExaminedIndex | undefined,
  dirty: ReadonlySet<BytePath>,
): BytePath[] {
  const { index, difference } = context;
  if (last === undefined || index === undefined || difference === undefined) {
    return regularFiles(context, dirty);
  }
  const changed = difference.changed.map((entry) => index.path(entry));
  // What is dirty is read from disk anyway; looked at here as soon as its stat data is the index's.
  return [...new Set([...changed, ...last.skipped])].filter((path) => {
    const entry = index.find(path);
    return entry >= 0 && isRegular(index, entry) && !dirty.has(path);
  });
}

function regularFiles({ index }: CaptureContext, dirty: ReadonlySet<BytePath>): BytePath[] {
  const found: BytePath[] = [];
  for (let entry = 0; entry < (index?.length ?? 0); entry++) {
    if (index === undefined || !isRegular(index, entry)) continue;
    const path = index.path(entry);
    if (!dirty.has(path)) found.push(path);
  }
  return found;
}

function isRegular(index: IndexFile, entry: number): boolean {
  return (index.mode(entry) & TYPE_MASK) === REGULAR;
}

function oddMode(
  context: CaptureContext,
  path: BytePath,
  defaults: DefaultModes,
): number | undefined {
  const stat = quickStatOf(onDisk(context.root, path));
  if (stat === undefined || !stat.isFile()) return undefined;
  const { index } = context;
  const executable = ((index?.mode(index.find(path)) ?? 0) & 0o100) !== 0;
  const mode = permissions(stat);
  return mode === (executable ? defaults.executable : defaults.plain) ? undefined : mode;
}

/** Raw blobs that were found before: nothing to do while the last checkpoint holds them. */
async function keepRaw(
  context: CaptureContext,
  known: readonly (readonly [BytePath, string])[],
  dirty: ReadonlySet<BytePath>,
  defaults: DefaultModes,
): Promise<Map<BytePath, string>> {
  const raw = new Map<BytePath, string>();
  for (const [path, oid] of known) {
    if (dirty.has(path)) continue;
    if (context.cache.held.has(oid)) raw.set(path, oid);
    else await addRaw(context, path, raw, defaults);
  }
  return raw;
}

/**
 * A file that has another length on disk than in git was converted when it was checked out, also by a rule that is gone,
 * hidden or not seen by now.
 */
async function findByLength(
  context: CaptureContext,
  paths: readonly BytePath[],
  raw: Map<BytePath, string>,
  defaults: DefaultModes,
): Promise<void> {
  const { index } = context;
  const sizes = await blobSizes(context, paths);
  for (const path of paths) {
    const entry = index?.find(path) ?? -1;
    if (entry < 0 || isStatSize(index?.statSize(entry) ?? NaN, sizes.get(path) ?? NaN)) continue;
    await addRaw(context, path, raw, defaults);
  }
}

/** Conversions that may keep the length: those files are read. */
async function findConverted(
  context: CaptureContext,
  paths: readonly BytePath[],
  raw: Map<BytePath, string>,
  defaults: DefaultModes,
): Promise<void> {
  const conversions = await conversionsOf(context.repository, paths, context.settings);
  for (const [path, kind] of conversions) {
    if (kind === "any" && !raw.has(path)) await addRaw(context, path, raw, defaults);
  }
}

async function addRaw(
  context: CaptureContext,
  path: BytePath,
  raw: Map<BytePath, string>,
  defaults: DefaultModes,
): Promise<void> {
  const { index } = context;
  const look = lookAt(onDisk(context.root, path));
  const entry = index?.find(path) ?? -1;
  if (look?.kind !== "file" || entry < 0) return;
  const indexOid = index?.oid(entry);
  const leaf = await readLeaf(context, { path, look, indexOid }, defaults);
  if (leaf !== undefined && leaf.oid !== indexOid) raw.set(path, leaf.oid);
}

async function blobSizes(
  context: CaptureContext,
  paths: readonly BytePath[],
): Promise<Map<BytePath, number>> {
  const sizes = new Map<BytePath, number>();
  const { index } = context;
  if (paths.length === 0 || index === undefined) return sizes;
  const unknown: BytePath[] = [];
  for (const path of paths) {
    const size = context.sizes.get(index.oid(index.find(path)));
    if (size === undefined) unknown.push(path);
    else sizes.set(path, size);
  }
  if (unknown.length === 0) return sizes;
  const oids = unknown.map((path) => index.oid(index.find(path)));
  const { stdout } = await runGit(
    context.repository,
    ["cat-file", "--batch-check=%(objectsize)", "--buffer"],
    { input: `${oids.join("\n")}\n` },
  );
  const lines = stdout.toString("latin1").split("\n");
  for (const [position, path] of unknown.entries()) {
    const size = Number(lines[position]);
    if (Number.isInteger(size)) sizes.set(path, size);
  }
  return sizes;
}
