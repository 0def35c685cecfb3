/** What processes that were killed in the middle of a restore had moved away. */
import { readFileSync, rmSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import type { BytePath } from "../../../domain/byte-path.ts";
import { hostTag, writeDurably } from "../durable-write.ts";
import { changedSince, isState } from "../exchange/apply-files.ts";
import type { FileMover } from "../exchange/file-mover.ts";
import { keepFolder, movedNames } from "../exchange/kept-aside.ts";
import { asideFile } from "../exchange/staging.ts";
import { decodeSteps, encodeSteps, type FileStep, type RestoreSteps } from "../exchange/steps.ts";
import { statOf } from "../file-stat.ts";
import { isLeftBehind } from "../left-behind.ts";
import { namesIn } from "../names-in.ts";
import { wholePath } from "./plan-restore.ts";

/** The steps that share a staging folder. */
export interface Group {
  readonly staging: string;
  readonly steps: RestoreSteps;
}

/** Restores of this process that are going on. */
export const activeStagings = new Set<string>();

/**
 * Puts back what somebody had saved right before it was moved away: nothing else holds that. All the rest is in the safety backup and
 * stays aside for its time. Returns the paths of what was put back.
 */
export function returnFromDead(root: string, stagings: string, mover: FileMover): BytePath[] {
  return namesIn(stagings)
    .map((name) => join(stagings, name))
    .filter(isLeft)
    .flatMap((staging) => {
      const groups = readGroups(root, staging);
      const found = groups.flatMap((group) => returnSaves(group, mover));
      for (const group of groups) putAway(group, mover, group.staging === staging);
      // Killed before anything was moved.
      if (movedNames(staging).length === 0) {
        rmSync(staging, { recursive: true, force: true });
      }
      return found;
    });
}

const NAME = /^part-(\d+)-([0-9a-f]{6})[0-9a-z]+-\d+$/;

function isLeft(staging: string): boolean {
  const name = basename(staging);
  const [, pid, tag] = NAME.exec(name) ?? [];
  if (pid === undefined || tag === undefined || activeStagings.has(name)) return false;
  const isOwn = tag === hostTag() && Number(pid) === process.pid;
  return isOwn || isLeftBehind(staging, Number(pid), tag);
}

interface StoredGroup {
  /** From the project, which may be at another place by then; absolute when it is outside of it. */
  readonly staging: string;
  readonly steps: unknown;
}

/** In the staging folder of the first group, which is beside git's files. */
export function writeGroups(root: string, groups: readonly Group[]): void {
  const main = groups[0]?.staging;
  if (main === undefined) return;
  const record: StoredGroup[] = groups.map(({ staging, steps }) => ({
    staging: staging === main ? MAIN : fromRoot(root, staging),
    steps: encodeSteps(steps),
  }));
  writeDurably(join(main, "steps.json"), JSON.stringify(record), true);
}

/** The record is in it. */
const MAIN = ".";

function readGroups(root: string, staging: string): Group[] {
  try {
    const stored: unknown = JSON.parse(readFileSync(join(staging, "steps.json"), "utf8"));
    if (!Array.isArray(stored)) return [];
    const found = (stored as readonly StoredGroup[]).map((group) => ({
      staging: group.staging === MAIN ? staging : resolve(root, group.staging),
      steps: decodeSteps(group.steps),
    }));
    // The record may have come with the project, and name any folder.
    const beside = nameBeside(basename(staging));
    return found.filter((group) => group.staging === staging || basename(group.staging) === beside);
  } catch {
    return [];
  }
}

/** What the staging folder of the same restore is called on another disk. */
export function nameBeside(name: string): string {
  return `.waymark-${name}`;
}

function fromRoot(root: string, path: string): string {
  const below = relative(root, path);
  return below.startsWith("..") ? path : below;
}

/** The record may have come with the project: it brings no file to the user's folders and no hook to git. Such a file stays aside. */
function mayReturn({ area, path }: FileStep): boolean {
  return area === "project" && !/(?:^|\/)\.git(?:\/|$)/i.test(path);
}

function returnSaves({ staging, steps }: Group, mover: FileMover): BytePath[] {
  return steps.files.filter(mayReturn).flatMap((step) => {
    const aside = asideFile(staging, step.number);
    if (statOf(aside) === undefined || isState(mover.lookAt(aside), step.before)) return [];
    if (mover.look(step.area, step.path).kind !== "absent") return [];
    return mover.place(step.area, step.path, aside) ? [wholePath(step)] : [];
  });
}

/** What was moved away stays for a while beside git's files; elsewhere only what somebody wrote to since. */
export function putAway({ staging, steps }: Group, mover: FileMover, isMain: boolean): void {
  if (isMain) {
    keepFolder(staging, encodeSteps(steps), "sha256");
    return;
  }
  const changed = changedSince(staging, steps.files, (path) => mover.lookAt(path));
  if (changed.length === 0) rmSync(staging, { recursive: true, force: true });
}
