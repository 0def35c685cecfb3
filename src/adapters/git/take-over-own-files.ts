/**
 * Moves what earlier versions, or the time as a plain folder, left in the work tree of a git project to where it is now: audit log, exports, logs of
 * runs, replaced settings. Copies of files (`cp-*`) and private repositories stay.
 *
 * Nothing is replaced, no link is followed and no tracked file is touched. Each file is moved by itself, so after a kill the next command continues.
 */
import { chmodSync, lstatSync, readFileSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { syncFolder, uniqueName, writeDurably } from "../files/durable-write.ts";
import { errorCode, isMissing } from "../files/errors.ts";
import { statOf } from "../files/file-stat.ts";
import { makeFolders } from "../files/make-folders.ts";
import { namesIn } from "../files/names-in.ts";
import { OTHER_OWN_FOLDER, OWN_FOLDER } from "../files/own-folder-name.ts";
import { takeLockNow } from "../files/owned-lock.ts";
import { placeFile } from "../files/place-file.ts";
import { hashFile } from "../files/stable-read.ts";
import { hasMarker, hasPrivateRepository, MARKER } from "./plain/private-place.ts";
import type { Repository } from "./repository.ts";
import { runGit } from "./run-git.ts";
import { recordedWorkTrees } from "./work-tree-roots.ts";

/** What earlier versions wrote into `info/exclude`. */
const LINE = `/${OWN_FOLDER}/`;
const AUDIT = /^audit\.log(?:\.[1-3])?$/;
const FOLDERS = ["exports", "replaced", "runs"];
/** Those are removed when they are empty, and belong to nothing else. */
const EMPTIED = [...FOLDERS, "restore", "tmp"];

/** Returns names from the root of the project. */
export async function takeOverOwnFiles(
  repository: Repository,
): Promise<{ readonly moved: readonly string[] }> {
  const { workTree, privateDir } = repository;
  // Where its repository is still used, the rest is too.
  if (hasPrivateRepository(workTree)) return { moved: [] };
  const olds = [OWN_FOLDER, OTHER_OWN_FOLDER].filter((name) => isOurs(repository, name));
  if (olds.length === 0) return { moved: [] };
  makeFolders(privateDir);
  const what = "moving files out of the work tree";
  const lock = takeLockNow(join(privateDir, "own-files.lock"), what, LOCK_MS);
  // Another process does it.
  if (lock === undefined) return { moved: [] };
  try {
    const moved: string[] = [];
    for (const old of olds) moved.push(...(await takeOver(repository, old)));
    return { moved };
  } finally {
    lock.release();
  }
}

const LOCK_MS = 60_000;

/** A folder that only has the name is the user's. */
function isOurs(repository: Repository, name: string): boolean {
  const folder = join(repository.workTree, name);
  if (!isFolder(folder)) return false;
  const isExcluded = name === OWN_FOLDER && excludeLines(repository)?.includes(LINE) === true;
  return isExcluded || hasMarker(folder);
}

async function takeOver(repository: Repository, name: string): Promise<string[]> {
  const folder = join(repository.workTree, name);
  const found = namesIn(folder).filter((one) => AUDIT.test(one) || FOLDERS.includes(one));
  const left = namesIn(folder).filter((one) => ![...EMPTIED, MARKER, ".gitignore"].includes(one));
  if (found.length === 0 && left.length > 0) return [];
  const tracked = await trackedIn(repository, name);
  const moved: string[] = [];
  for (const one of found.filter((one) => !tracked.has(one)).toSorted()) {
    const from = join(folder, one);
    const isMoved = AUDIT.test(one)
      ? moveLog(from, repository.auditFolder)
      : moveFolder(from, join(repository.ownFolder, one));
    if (isMoved) moved.push(`${name}/${one}`);
  }
  for (const one of EMPTIED) removeEmpty(join(folder, one));
  const kept = namesIn(folder).filter((one) => one !== MARKER && one !== ".gitignore");
  if (kept.length === 0 && tracked.size === 0) removeFolder(repository, folder);
  return moved;
}

/** The names directly in the folder that are tracked, or have tracked files below them. */
async function trackedIn(repository: Repository, folder: string): Promise<Set<string>> {
  const { stdout } = await runGit(repository, ["ls-files", "-z", "--", folder]);
  const paths = stdout.toString("latin1").split("\0");
  return new Set(paths.flatMap((path) => path.split("/")[1] ?? []));
}

/** Older logs have higher numbers: where the name is taken, the next free one is an older log than what is there. */
function moveLog(from: string, folder: string): boolean {
  if (statOf(from)?.isFile() !== true) return false;
  makeFolders(folder, 0o700);
  const first = Number(/\d$/.exec(from)?.[0] ?? 0);
  for (let number = first; number <= 3; number++) {
    const name = number === 0 ? "audit.log" : `audit.log.${number}`;
    if (moveFile(from, join(folder, name))) return true;
  }
  return false;
}

/** True when anything was moved. */
function moveFolder(from: string, to: string): boolean {
  if (!isFolder(from)) return false;
  makeFolders(to, 0o700);
  let hasMoved = false;
  for (const name of namesIn(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    if (isFolder(source)) hasMoved = moveFolder(source, target) || hasMoved;
    else if (statOf(source)?.isFile() === true) hasMoved = moveFile(source, target) || hasMoved;
  }
  removeEmpty(from);
  return hasMoved;
}

/** A process that was killed may have placed it and not removed it where it was. */
function moveFile(from: string, to: string): boolean {
  if (placeFile(from, to, false)) return true;
  if (!isSameFile(from, to)) return false;
  rmSync(from, { force: true });
  return true;
}

function isSameFile(one: string, other: string): boolean {
  const [left, right] = [statOf(one), statOf(other)];
  if (left === undefined || right?.isFile() !== true || left.size !== right.size) return false;
  if (left.dev === right.dev && left.ino === right.ino) return true;
  const idOf = (path: string): string => hashFile(Buffer.from(path), "sha256");
  return idOf(one) === idOf(other);
}

/** The line first: without the folder nobody would look for it any more. */
function removeFolder(repository: Repository, folder: string): void {
  if (basename(folder) === OWN_FOLDER) removeLine(repository, folder);
  for (const name of [".gitignore", MARKER]) rmSync(join(folder, name), { force: true });
  removeEmpty(folder);
}

/** Only where no other work tree has such a folder: the line hides that one too. */
function removeLine(repository: Repository, folder: string): void {
  const lines = excludeLines(repository);
  if (lines?.includes(LINE) !== true) return;
  const others = recordedWorkTrees(repository).map((root) => join(root, OWN_FOLDER));
  if (others.some((other) => other !== folder && isFolder(other))) return;
  const exclude = excludePath(repository);
  const temporary = join(repository.privateDir, `exclude.tmp-${uniqueName()}`);
  try {
    const text = lines.filter((line) => line !== LINE).join("\n");
    writeDurably(temporary, Buffer.from(text, "latin1"), true);
    chmodSync(temporary, lstatSync(exclude).mode & 0o7777);
    // Whoever edits it just now keeps the line.
    if (excludeLines(repository)?.join("\n") !== lines.join("\n")) return;
    renameSync(temporary, exclude);
    syncFolder(dirname(exclude));
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Undefined: there is no such file, or it is a link. */
function excludeLines(repository: Repository): string[] | undefined {
  const path = excludePath(repository);
  if (statOf(path)?.isFile() !== true) return undefined;
  return readFileSync(path, "latin1").split("\n");
}

function excludePath({ commonDir }: Repository): string {
  return join(commonDir, "info", "exclude");
}

function isFolder(path: string): boolean {
  return statOf(path)?.isDirectory() === true;
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!isMissing(error) && errorCode(error) !== "ENOTEMPTY") throw error;
  }
}
