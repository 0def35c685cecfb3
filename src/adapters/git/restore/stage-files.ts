/** Writes the files that a rollback will put into place, and finds out whether it can: before anything changes. */
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  statfsSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import {
  ancestorsOf,
  joinPath,
  parentOf,
  ROOT,
  showPath,
  type BytePath,
} from "../../../domain/byte-path.ts";
import { Failure } from "../../../domain/failure.ts";
import type { FileState } from "../../../domain/file-state.ts";
import { onDisk, rootFolder, type RootFolder } from "../../files/byte-names.ts";
import { syncFolder, writeAll } from "../../files/durable-write.ts";
import { isDenied } from "../../files/errors.ts";
import { statOf } from "../../files/file-stat.ts";
import type { ObjectReader } from "../object-reader.ts";
import type { Repository } from "../repository.ts";
import { newFile } from "./file-mover.ts";
import type { FileStep, RestoreSteps } from "./steps.ts";

/** Room that must stay free on the disk beside the new files. */
const RESERVED_BYTES = 4 * 1024 * 1024;

export function makeStaging(staging: string): void {
  for (const name of ["new", "aside", "later"]) {
    mkdirSync(join(staging, name), { recursive: true, mode: 0o700 });
  }
}

/** Reads each blob, checks it, and writes it with its mode; synced, because it will be the only copy in place. */
export async function stageFiles(
  reader: ObjectReader,
  staging: string,
  steps: readonly FileStep[],
): Promise<void> {
  const disk = statfsSync(staging);
  let free = disk.bavail * disk.bsize - RESERVED_BYTES;
  for (const step of steps) {
    if (step.target === null) continue;
    const content = await reader.readChecked(step.target.oid, "blob");
    free -= content.length;
    if (free < 0) {
      throw new Failure("disk_full", `the disk of ${staging} has no room for this rollback`, {
        hint: "Free some disk space there and run the command again; nothing was changed.",
        details: { path: staging },
      });
    }
    writeStaged(newFile(staging, step.number), step.target, content);
  }
  syncFolder(join(staging, "new"));
}

export function writeStaged(path: string, state: FileState, content: Buffer): void {
  if (state.type === "link") {
    symlinkSync(content, path);
    return;
  }
  const fd = openSync(path, "wx", 0o600);
  try {
    writeAll(fd, content);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  chmodSync(path, state.mode);
}

/** Obstacles that would show up half-way otherwise. */
export function checkObstacles(
  repository: Repository,
  steps: RestoreSteps,
  ignoresCase: boolean,
): void {
  const root = rootFolder(repository.workTree);
  const files = steps.files.filter((step) => step.area === "project");
  checkFoldersInTheWay(root, files);
  checkWritable(root, files);
  checkFileSystem(root, files);
  if (ignoresCase) checkCase(files);
}

/** A folder where a file has to go must hold nothing but what is taken away. */
function checkFoldersInTheWay(root: RootFolder, files: readonly FileStep[]): void {
  const leaving = new Set(files.filter((step) => step.target === null).map((step) => step.path));
  for (const step of files) {
    if (step.target === null || !statOf(onDisk(root, step.path))?.isDirectory()) continue;
    const kept = filesBelow(root, step.path).filter((path) => !leaving.has(path));
    if (kept.length === 0) continue;
    throw new Failure(
      "obstructed",
      `${showPath(step.path)} was a file and is a folder now, with files in it that no checkpoint holds`,
      {
        hint: `Move these away and try again: ${kept.slice(0, 5).map(showPath).join(", ")}`,
        details: { paths: kept.map(showPath) },
      },
    );
  }
}

function filesBelow(root: RootFolder, folder: BytePath): BytePath[] {
  const found: BytePath[] = [];
  const names = readdirSync(onDisk(root, folder), { encoding: "latin1", withFileTypes: true });
  for (const entry of names) {
    const path = joinPath(folder, entry.name);
    if (entry.isDirectory()) found.push(...filesBelow(root, path));
    else found.push(path);
  }
  return found;
}

function checkWritable(root: RootFolder, files: readonly FileStep[]): void {
  const denied = new Set<string>();
  const looked = new Set<BytePath>();
  for (const { path } of files) {
    const folder = nearestFolder(root, parentOf(path));
    if (looked.has(folder)) continue;
    looked.add(folder);
    try {
      accessSync(onDisk(root, folder), constants.W_OK | constants.X_OK);
    } catch (error) {
      if (!isDenied(error) && (error as NodeJS.ErrnoException).code !== "EROFS") throw error;
      denied.add(folder === ROOT ? "." : showPath(folder));
    }
  }
  if (denied.size > 0) {
    throw new Failure(
      "no_permission",
      `these folders cannot be written: ${[...denied].join(", ")}`,
      {
        hint: "Make them writable for your user and try again; nothing was changed.",
        details: { paths: [...denied] },
      },
    );
  }
}

/** Files are moved by renaming, which does not work across file systems. */
function checkFileSystem(root: RootFolder, files: readonly FileStep[]): void {
  const own = statOf(onDisk(root, ROOT))?.dev;
  for (const { path } of files) {
    const folder = nearestFolder(root, parentOf(path));
    if (statOf(onDisk(root, folder))?.dev === own) continue;
    throw new Failure(
      "obstructed",
      `${showPath(path)} is on another file system than the project`,
      {
        hint: "Unmount it, or roll back the other paths with --paths; nothing was changed.",
      },
    );
  }
}

function nearestFolder(root: RootFolder, folder: BytePath): BytePath {
  let nearest = folder;
  while (nearest !== ROOT && statOf(onDisk(root, nearest))?.isDirectory() !== true) {
    nearest = parentOf(nearest);
  }
  return nearest;
}

function checkCase(files: readonly FileStep[]): void {
  const seen = new Map<string, BytePath>();
  for (const { path, target } of files) {
    if (target === null) continue;
    const folded = path.toLowerCase();
    const other = seen.get(folded);
    seen.set(folded, path);
    if (other === undefined) continue;
    throw new Failure(
      "case_collision",
      `${showPath(other)} and ${showPath(path)} are one file on this disk, which ignores case`,
      { hint: "Roll back one of them with --paths; nothing was changed." },
    );
  }
}

/** Folders that do not exist yet and that the coming files need. */
export function missingParents(root: RootFolder, paths: readonly BytePath[]): BytePath[] {
  const missing = new Set<BytePath>();
  for (const path of paths) {
    for (const folder of ancestorsOf(path)) {
      if (missing.has(folder)) break;
      if (statOf(onDisk(root, folder))?.isDirectory() === true) break;
      missing.add(folder);
    }
  }
  return [...missing];
}
