/** What would stop a restore half-way, found out before anything changes. */
import { accessSync, constants, readdirSync } from "node:fs";
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
import { errorCode, isDenied } from "../errors.ts";
import { kindOf, statOf } from "../file-stat.ts";
import { realFolders } from "../real-folders.ts";
import type { FileStep } from "./steps.ts";

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
      `${show(step.path)} was a file and is a folder now, with files in it that no checkpoint holds`,
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
    return { why: "no checkpoint holds a fifo, a socket or a device", remedy: "Move it away" };
  }
  if (kind !== "file") return undefined;
  try {
    accessSync(path, constants.R_OK);
    return undefined;
  } catch (error) {
    if (!isDenied(error)) throw error;
    return {
      why: "it cannot be read, so no checkpoint holds it",
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
