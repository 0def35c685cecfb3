/** What would stop a restore half-way, found out before anything changes. */
import { accessSync, constants, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
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
import { onDisk, type RootFolder } from "../byte-names.ts";
import { disks } from "../disks.ts";
import { errorCode, isDenied } from "../errors.ts";
import { kindOf, statOf } from "../file-stat.ts";
import { realFolders } from "../real-folders.ts";
import type { ForEach } from "../../../ports/progress.ts";
import type { FileMover } from "./file-mover.ts";
import type { Area, FileStep, RestoreSteps } from "./steps.ts";

/** How a path below the root is shown to people. */
type ShowPath = (path: BytePath) => string;

/** A folder where a file has to go must hold nothing but what is taken away. */
export function checkFoldersInTheWay(
  root: RootFolder,
  files: readonly FileStep[],
  show: ShowPath = showPath,
): void {
  const leaving = new Set(files.filter((step) => step.target === null).map((step) => step.path));
  for (const step of files) {
    if (step.target === null || !statOf(onDisk(root, step.path))?.isDirectory()) continue;
    const kept = filesBelow(root, step.path).filter((path) => !leaving.has(path));
    if (kept.length === 0) continue;
    throw new Failure(
      "obstructed",
      `${show(step.path)} was a file and is a folder now, with files in it that no checkpoint contains`,
      {
        hint: `Move these away and try again: ${kept.slice(0, 5).map(show).join(", ")}`,
        details: { paths: kept.map(show) },
      },
    );
  }
}

/** A file or a link where a folder has to be must be one that is taken away. */
export function checkFilesInTheWay(
  root: RootFolder,
  files: readonly FileStep[],
  folders: Iterable<BytePath>,
  show: ShowPath = showPath,
): void {
  const leaving = new Set(files.filter((step) => step.target === null).map((step) => step.path));
  const isReal = realFolders(root);
  for (const folder of folders) {
    if (isReal(folder)) continue;
    // From the top: nothing is looked at through a link.
    const inTheWay = [...ancestorsOf(folder).toReversed(), folder].find((above) => !isReal(above));
    if (inTheWay === undefined || leaving.has(inTheWay)) continue;
    if (statOf(onDisk(root, inTheWay)) === undefined) continue;
    throw new Failure("obstructed", `${show(inTheWay)} is in the way: it is not a folder`, {
      hint: "Move it away and run the command again; nothing was changed.",
      details: { paths: [show(inTheWay)] },
    });
  }
}

/** What no safety checkpoint can hold does not make room for anything. */
export function checkUnheld(root: RootFolder, files: readonly FileStep[]): void {
  const isReal = realFolders(root);
  for (const { path, before, target } of files) {
    if (before !== null || target === null || !isReal(parentOf(path))) continue;
    const unheld = whyUnheld(onDisk(root, path));
    if (unheld === undefined) continue;
    throw new Failure("obstructed", `${showPath(path)} is in the way: ${unheld.why}`, {
      hint: `${unheld.remedy}, and run the command again; nothing was changed.`,
      details: { paths: [showPath(path)] },
    });
  }
}

function whyUnheld(path: Buffer): { readonly why: string; readonly remedy: string } | undefined {
  const stat = statOf(path);
  const kind = stat === undefined ? undefined : kindOf(stat);
  if (kind === "special") {
    return { why: "checkpoints never contain fifos, sockets and devices", remedy: "Move it away" };
  }
  if (kind !== "file") return undefined;
  try {
    accessSync(path, constants.R_OK);
    return undefined;
  } catch (error) {
    if (!isDenied(error)) throw error;
    return {
      why: "it cannot be read, so no checkpoint contains it",
      remedy: "Make it readable for your user, or move it away",
    };
  }
}

export function filesBelow(root: RootFolder, folder: BytePath): BytePath[] {
  const names = readdirSync(onDisk(root, folder), { encoding: "latin1", withFileTypes: true });
  return names.flatMap((entry) => {
    const path = joinPath(folder, entry.name);
    return entry.isDirectory() ? filesBelow(root, path) : [path];
  });
}

export function checkWritable(
  root: RootFolder,
  files: readonly { readonly path: BytePath }[],
  show: ShowPath = showPath,
): void {
  const denied = new Set<string>();
  const looked = new Set<BytePath>();
  const nearest = nearestFolders(root);
  for (const { path } of files) {
    const folder = nearest(parentOf(path));
    if (looked.has(folder)) continue;
    looked.add(folder);
    try {
      accessSync(onDisk(root, folder), constants.W_OK | constants.X_OK);
    } catch (error) {
      if (!isDenied(error) && errorCode(error) !== "EROFS") throw error;
      denied.add(folder === ROOT ? "." : show(folder));
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

/** A mount point cannot be moved away, also if it is a file, as containers have it. */
export function checkMountPoints(
  root: RootFolder,
  files: readonly FileStep[],
  show: ShowPath = showPath,
): void {
  const { isMountPoint } = disks();
  const found = files.find(({ path }) => isMountPoint(onDisk(root, path)));
  if (found !== undefined) throw mounted(show(found.path), "is a mount point");
}

export function mounted(path: string, what: string): Failure {
  return new Failure("obstructed", `${path} ${what}: files cannot be moved away from there`, {
    hint: "Unmount it, or roll back the other paths with --paths; nothing was changed.",
    details: { paths: [path] },
  });
}

const MAX_NAMED = 5;

/**
 * What cannot be moved or changed although its folder can be written: immutable and append-only files, files of another user in a sticky folder.
 * Only trying tells: with a rename that cannot succeed, because a folder is in the place of a file, or a file in that of a folder.
 */
export async function checkMovable(
  mover: FileMover,
  { staging, steps }: { readonly staging: string; readonly steps: RestoreSteps },
  forEach: ForEach,
  show: (step: { readonly area: Area; readonly path: BytePath }) => string = ({ path }) =>
    showPath(path),
): Promise<void> {
  // Elsewhere such a rename says other things.
  if (process.platform !== "linux") return;
  const { files, modes, folders } = steps;
  const file = join(staging, "in-the-way");
  writeFileSync(file, "");
  const changing = [
    ...[...files.filter(({ before }) => before !== null), ...modes].map(({ area, path }) => ({
      area,
      path,
      inTheWay: staging,
    })),
    ...folders.flatMap(({ area, remove }) =>
      remove.map(([path]) => ({ area, path, inTheWay: file })),
    ),
  ];
  const stuck: { readonly area: Area; readonly path: BytePath }[] = modes.filter(
    ({ area, path }) => !mover.mayChangeMode(area, path),
  );
  await forEach("checking permissions", changing, (step) => {
    if (!isMovable(mover, step, step.inTheWay)) stuck.push(step);
  });
  rmSync(file, { force: true });
  const paths = [...new Set(stuck.map(show))];
  if (paths.length === 0) return;
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : "";
  const named = `${paths.slice(0, MAX_NAMED).join(", ")}${more}`;
  throw new Failure("no_permission", `these cannot be moved or changed: ${named}`, {
    hint: "They are immutable or append-only (`lsattr`, `chattr -i -a`), or of another user (in a sticky folder, or with another mode, which only the owner can change). Change that, or roll back other paths with --paths; nothing was changed.",
    details: { paths },
  });
}

function isMovable(
  mover: FileMover,
  { area, path }: { readonly area: Area; readonly path: BytePath },
  inTheWay: string,
): boolean {
  const at = area === "git" ? undefined : mover.at(area, path);
  if (at === undefined) return true;
  try {
    renameSync(at, inTheWay);
  } catch (error) {
    return !isDenied(error);
  }
  // Whatever was in the way was taken away in this moment.
  renameSync(inTheWay, at);
  return true;
}

/** The folder itself, or the nearest one above it that is there. What is behind a link is not: the link is in the way, and goes. */
export function nearestFolders(root: RootFolder): (folder: BytePath) => BytePath {
  const isReal = realFolders(root);
  return (folder) => {
    let nearest = folder;
    while (nearest !== ROOT && !isReal(nearest)) nearest = parentOf(nearest);
    return nearest;
  };
}

/** Folders that do not exist yet and that the coming files need. */
export function missingParents(root: RootFolder, paths: readonly BytePath[]): BytePath[] {
  const missing = new Set<BytePath>();
  // One behind a link is missing, as the link is in the way and goes.
  const isReal = realFolders(root);
  for (const path of paths) {
    for (const folder of ancestorsOf(path)) {
      if (missing.has(folder)) break;
      if (isReal(folder)) break;
      missing.add(folder);
    }
  }
  return [...missing];
}
