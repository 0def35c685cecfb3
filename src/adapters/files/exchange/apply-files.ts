/** Carries out the file steps of a rollback, and takes them back. Foreign content is kept in both directions. */
import { join, relative } from "node:path";
import type { BytePath } from "../../../domain/byte-path.ts";
import { sameContent, type FileState } from "../../../domain/file-state.ts";
import { forEachWith, SILENT, type ForEach } from "../../../ports/progress.ts";
import type { ForeignSave } from "../../../ports/restorer.ts";
import type { FileMover, Presence } from "./file-mover.ts";
import { asideFile, keptFolder, laterFile, newFile } from "./staging.ts";
import type { Area, FileStep, FolderSteps, RestoreSteps } from "./steps.ts";

export interface FileWork {
  readonly mover: FileMover;
  readonly staging: string;
  readonly steps: RestoreSteps;
}

const SILENTLY = forEachWith(SILENT);

/** Removals first, then folders, then files that come: so a file can become a folder and the other way round. */
export async function applyFiles(
  work: FileWork,
  forEach: ForEach = SILENTLY,
): Promise<ForeignSave[]> {
  const { mover, steps } = work;
  const foreign: ForeignSave[] = [];
  const leaving = steps.files.filter((step) => step.target === null);
  const coming = steps.files.filter((step) => step.target !== null);
  await forEach("removing files", leaving, (step) => {
    takeOut(work, step, foreign);
  });
  for (const { area, remove } of steps.folders) {
    for (const [folder] of remove) mover.removeFolder(area, folder);
  }
  await forEach("writing files", coming, (step) => {
    putIn(work, step, foreign);
  });
  for (const { area, make } of steps.folders) {
    foreign.push(...makeFolders(mover, area, make));
  }
  await forEach("changing modes", steps.modes, ({ area, path, target }) => {
    mover.setMode(area, path, target);
  });
  return foreign;
}

/** Names those in whose place somebody has put something else. */
function makeFolders(mover: FileMover, area: Area, folders: FolderSteps["make"]): ForeignSave[] {
  return folders
    .filter(([folder, mode]) => !mover.makeFolder(area, folder, mode))
    .map(([path]) => ({ path, keptAt: "its path" }));
}

/** True when the path is free now. */
function takeOut(work: FileWork, step: FileStep, foreign: ForeignSave[]): boolean {
  const { mover, staging } = work;
  const aside = asideFile(staging, step.number);
  if (!mover.takeAway(step.area, step.path, aside)) return true;
  if (isState(mover.lookAt(aside), step.before)) return true;
  // Somebody saved it since the safety checkpoint: it goes back.
  foreign.push(giveBack(work, step));
  return false;
}

function putIn(work: FileWork, step: FileStep, foreign: ForeignSave[]): void {
  const { mover, staging } = work;
  if (step.before !== null && !takeOut(work, step, foreign)) return;
  if (!mover.place(step.area, step.path, newFile(staging, step.number))) {
    foreign.push({ path: step.path, keptAt: "its path" });
  }
}

/** Where it was. If somebody has put something else there meanwhile, it stays aside, where it is found when all is over. */
function giveBack(
  { mover, staging }: FileWork,
  { area, path, number }: FileStep,
  fileOf: typeof asideFile = asideFile,
): ForeignSave {
  const isBack = mover.place(area, path, fileOf(staging, number));
  return { path, keptAt: isBack ? "its path" : fileOf(keptFolder(staging), number) };
}

/**
 * Takes out what we had put there. What is compared is what was taken: somebody may have saved since the last look, and
 * that goes back.
 */
function takeOutOurs(work: FileWork, step: FileStep): ForeignSave | undefined {
  const { mover, staging } = work;
  const later = laterFile(staging, step.number);
  // Left by a way back that was killed. A save in there is not overwritten.
  if (isSave(mover.lookAt(later), step.target)) return undefined;
  if (!mover.takeAway(step.area, step.path, later)) return undefined;
  if (!isSave(mover.lookAt(later), step.target)) return undefined;
  return giveBack(work, step, laterFile);
}

/**
 * Writes that went to files after they were moved away, through descriptors that were open. Such a save is put back
 * at its path, and what we had put there goes to the `later` folder.
 */
export async function returnLateSaves(
  work: FileWork,
  forEach: ForEach = SILENTLY,
): Promise<ForeignSave[]> {
  const { mover, staging, steps } = work;
  const found: ForeignSave[] = [];
  await forEach("checking replaced files", steps.files, (step) => {
    const aside = asideFile(staging, step.number);
    const presence = mover.lookAt(aside);
    if (step.before === null || presence.kind === "absent" || isState(presence, step.before)) {
      return;
    }
    const isThere = isState(mover.look(step.area, step.path), step.target);
    const newer = step.target !== null && isThere ? takeOutOurs(work, step) : undefined;
    if (newer !== undefined) found.push(newer);
    found.push(giveBack(work, step));
  });
  return found;
}

/** Fetches the content of a safety checkpoint's file when its set-aside copy is gone. */
export type Refill = (state: FileState, to: string) => Promise<void>;

export async function takeBackFiles(
  work: FileWork,
  refill: Refill,
  forEach: ForEach = SILENTLY,
): Promise<ForeignSave[]> {
  const { mover, steps } = work;
  const foreign: ForeignSave[] = [];
  const saved = new Set<FileStep>();
  for (const { area, path, before, target } of steps.modes) {
    if (mover.modeOf(area, path) === target) mover.setMode(area, path, before);
  }
  const came = steps.files.filter((step) => step.target !== null);
  await forEach("removing what was written", came, (step) => {
    if (!isOurs(mover.look(step.area, step.path), step)) return;
    const save = takeOutOurs(work, step);
    if (save === undefined) return;
    foreign.push(save);
    saved.add(step);
  });
  for (const { area, make, parents } of steps.folders) {
    const made = [...make.map(([folder]) => folder), ...parents];
    for (const folder of deepestFirst(made)) mover.removeFolder(area, folder);
  }
  for (const { area, remove } of steps.folders) {
    foreign.push(...makeFolders(mover, area, remove.toReversed()));
  }
  const left = steps.files.filter((step) => step.before !== null && !saved.has(step));
  await forEach("putting files back", left, async (step) => {
    if (step.before !== null) await putBack(work, step, step.before, refill, foreign);
  });
  return [...foreign, ...(await stillMoved(work, saved, forEach))];
}

/** Saves in what was moved away, through descriptors that were open. Their paths are taken, so they stay where they are. */
async function stillMoved(
  { mover, staging, steps }: FileWork,
  known: Set<FileStep>,
  forEach: ForEach,
): Promise<ForeignSave[]> {
  const found: ForeignSave[] = [];
  const others = steps.files.filter((step) => !known.has(step));
  await forEach("checking replaced files", others, (step) => {
    for (const path of changedSince(staging, [step], (file) => mover.lookAt(file))) {
      const keptAt = join(keptFolder(staging), relative(staging, path));
      found.push({ path: step.path, keptAt });
    }
  });
  return found;
}

/** Files in the folder of a restore that are not what it had moved there: somebody wrote to them. */
export function changedSince(
  folder: string,
  files: readonly FileStep[],
  lookAt: (path: string) => Presence,
): string[] {
  return files.flatMap(({ number, before, target }) => {
    const aside = asideFile(folder, number);
    const later = laterFile(folder, number);
    return [
      ...(isSave(lookAt(aside), before) ? [aside] : []),
      ...(isSave(lookAt(later), target) ? [later] : []),
    ];
  });
}

/** Whether it is what the step brings, and not what was there before. With the same bytes on both sides the mode tells. */
function isOurs(presence: Presence, { before, target }: FileStep): boolean {
  if (presence.kind !== "present" || !isState(presence, target)) return false;
  if (!sameContent(before, target)) return true;
  return presence.state.mode === target?.mode && target.mode !== before?.mode;
}

function isSave(presence: Presence, ours: FileState | null): boolean {
  return presence.kind !== "absent" && !isState(presence, ours);
}

async function putBack(
  work: FileWork,
  step: FileStep,
  before: FileState,
  refill: Refill,
  foreign: ForeignSave[],
): Promise<void> {
  const { mover, staging } = work;
  const now = mover.look(step.area, step.path);
  if (isState(now, before)) return;
  if (now.kind !== "absent") {
    foreign.push({ path: step.path, keptAt: "its path" });
    return;
  }
  const aside = asideFile(staging, step.number);
  const set = mover.lookAt(aside);
  if (set.kind === "absent") await refill(before, aside);
  if (!mover.place(step.area, step.path, aside)) {
    foreign.push({ path: step.path, keptAt: "its path" });
  } else if (set.kind === "present" && !sameContent(set.state, before)) {
    // A late save went to the set-aside file; it is back at its path now.
    foreign.push({ path: step.path, keptAt: "its path" });
  }
}

/** Whether taking the steps back moves anything: then the folder of the restore has to be there. */
export function needsStaging(mover: FileMover, steps: RestoreSteps): boolean {
  return steps.files.some((step) => {
    const now = mover.look(step.area, step.path);
    if (isOurs(now, step)) return true;
    return now.kind === "absent" && step.before !== null;
  });
}

export function isState(presence: Presence, expected: FileState | null): boolean {
  if (expected === null) return presence.kind === "absent";
  return presence.kind === "present" && sameContent(presence.state, expected);
}

function deepestFirst(folders: readonly BytePath[]): BytePath[] {
  return folders.toSorted((left, right) => right.length - left.length);
}
