/**
 * Files that restores moved away stay for a while: a program that still has one open may write to it.
 * When they are swept, each is compared with what the safety checkpoint holds, or with what the restore had brought; one that
 * changed stays.
 */
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { forEachWith, SILENT, type ForEach } from "../../../ports/progress.ts";
import { writeDurably } from "../durable-write.ts";
import { namesIn } from "../names-in.ts";
import { changedSince } from "./apply-files.ts";
import { presenceAt, type ContentIds } from "./file-mover.ts";
import { keptFolder } from "./staging.ts";
import { decodeSteps, type FileStep } from "./steps.ts";

const ASIDE_GRACE_MS = 10 * 60 * 1000;

/** What the ids in the record are. */
const ID_KINDS = ["git", "sha256"] as const;
export type IdKind = (typeof ID_KINDS)[number];

interface Kept {
  readonly kept_since: string;
  readonly steps: unknown;
  /** Not there: git. */
  readonly ids?: IdKind;
}

/** `steps`: as `encodeSteps` made them. */
export function keepFolder(staging: string, steps: unknown, ids: IdKind): void {
  if (!existsSync(staging)) return;
  rmSync(join(staging, "new"), { recursive: true, force: true });
  if (movedNames(staging).length === 0) {
    rmSync(staging, { recursive: true, force: true });
    return;
  }
  // Left by a process that was killed while it wrote the manifest.
  for (const left of namesIn(staging)) {
    if (left.startsWith("manifest.json.tmp-")) rmSync(join(staging, left), { force: true });
  }
  const kept: Kept = { kept_since: new Date().toISOString(), steps, ids };
  writeDurably(join(staging, "manifest.json"), JSON.stringify(kept), false);
  const place = keptFolder(staging);
  if (!existsSync(place)) renameSync(staging, place);
}

/** What was staged and is not needed: a large rollback was interrupted. */
export async function removeStaged(staging: string, forEach: ForEach): Promise<void> {
  await removeFiles("removing staged files", [join(staging, "new")], forEach);
}

async function removeFiles(
  label: string,
  folders: readonly string[],
  forEach: ForEach,
): Promise<void> {
  const files = folders.flatMap((folder) => namesIn(folder).map((name) => join(folder, name)));
  await forEach(label, files, (file) => rmSync(file, { force: true }));
}

/** Of all files that a restore moved, in both directions. */
export function movedNames(staging: string): string[] {
  return ["aside", "later"].flatMap((folder) => namesIn(join(staging, folder)));
}

/** Returns the files that somebody wrote to after they were moved away; those stay. */
export async function sweepKept(
  roots: readonly string[],
  ids: Readonly<Record<IdKind, ContentIds>>,
  forEach: ForEach = forEachWith(SILENT),
): Promise<string[]> {
  const changed: string[] = [];
  for (const root of roots) {
    const kept = namesIn(root).filter((name) => name.startsWith("kept-"));
    for (const name of kept) changed.push(...(await sweepOne(join(root, name), ids, forEach)));
  }
  return changed;
}

async function sweepOne(
  folder: string,
  ids: Readonly<Record<IdKind, ContentIds>>,
  forEach: ForEach,
): Promise<string[]> {
  const kept = readManifest(folder);
  if (kept === undefined || Date.now() - kept.since < ASIDE_GRACE_MS) return [];
  const { files, idKind } = kept;
  const known = new Set(files.map(({ number }) => String(number)));
  if (!movedNames(folder).every((name) => known.has(name))) return [];
  const changed: string[] = [];
  await forEach("checking files of an earlier rollback", files, (step) => {
    changed.push(...changedSince(folder, [step], (path) => presenceAt(path, ids[idKind])));
  });
  if (changed.length > 0) return changed;
  const moved = ["aside", "later"].map((name) => join(folder, name));
  await removeFiles("removing files of an earlier rollback", moved, forEach);
  rmSync(folder, { recursive: true, force: true });
  return [];
}

interface Manifest {
  readonly since: number;
  readonly files: readonly FileStep[];
  readonly idKind: IdKind;
}

/** Undefined when it is damaged: nobody knows then what the files should be, and all of them stay. */
function readManifest(folder: string): Manifest | undefined {
  try {
    const kept: Kept = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
    const since = Date.parse(kept.kept_since);
    const idKind = kept.ids ?? "git";
    if (Number.isNaN(since) || !ID_KINDS.includes(idKind)) return undefined;
    return { since, files: decodeSteps(kept.steps).files, idKind };
  } catch {
    return undefined;
  }
}
