/** Paths that people type, relative to the folder they are in, as paths of the project. */
import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { parsePath, type BytePath } from "../../domain/byte-path.ts";
import { Failure } from "../../domain/failure.ts";

export function inProject(
  root: string,
  directory: string,
  path: string,
  option = "--paths",
): BytePath {
  // As git has it: a variable that is not set must not stand for the whole project.
  if (path === "") {
    throw new Failure("usage", `${option}: an empty path is not allowed`, {
      hint: "`.` is the current folder. Nothing was changed.",
    });
  }
  const found = relative(root, resolve(directory, path));
  if (found === ".." || found.startsWith("../")) {
    throw new Failure("usage", `${option}: ${path} is outside the project`, {
      hint: `Name files and folders below ${root}.`,
    });
  }
  if (found === ".git" || found.startsWith(".git/")) {
    throw new Failure(
      "usage",
      `${option}: ${path} is in the git folder, which checkpoints never contain`,
      {
        hint: "Name files and folders of the project.",
      },
    );
  }
  return parsePath(found);
}

export function existingInProject(
  root: string,
  directory: string,
  path: string,
  option: string,
): BytePath {
  const found = inProject(root, directory, path, option);
  if (isThere(root, found)) return found;
  throw new Failure("usage", `${option}: no such file or folder: ${path}`, {
    hint: "Name existing files and folders. Nothing was changed.",
  });
}

/** The same for files that may be outside: those are absolute. */
export function existingAnywhere(
  root: string,
  directory: string,
  path: string,
  option: string,
): BytePath {
  const found = resolve(directory, path);
  const below = relative(root, found);
  const isOutside = below === ".." || below.startsWith("../");
  if (!isOutside || lstatSync(found, { throwIfNoEntry: false }) === undefined) {
    return existingInProject(root, directory, path, option);
  }
  return parsePath(found);
}

/** Whether there is anything at a path of the project; the root is text, paths are bytes. */
export function isThere(root: string, path: BytePath): boolean {
  const file = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, "latin1")]);
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // A file in the place of a folder of the path.
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return false;
    throw error;
  }
}

/** An absolute path as checkpoints record it: no folder on the way is a link. What is not there stays as it was typed. */
export function withoutLinks(path: string): string {
  const folder = dirname(path);
  if (folder === path) return path;
  try {
    return join(realpathSync(folder), basename(path));
  } catch {
    return join(withoutLinks(folder), basename(path));
  }
}
