/** Paths that people type, relative to the folder they are in, as paths of the project. */
import { relative, resolve } from "node:path";
import { parsePath, type BytePath } from "../../domain/byte-path.ts";
import { Failure } from "../../domain/failure.ts";

export function inProject(root: string, directory: string, path: string): BytePath {
  const found = relative(root, resolve(directory, path));
  if (found === ".." || found.startsWith("../")) {
    throw new Failure("usage", `--paths: ${path} is outside the project`, {
      hint: `Name files and folders below ${root}.`,
    });
  }
  if (found === ".git" || found.startsWith(".git/")) {
    throw new Failure("usage", `--paths: ${path} belongs to git and is in no checkpoint`, {
      hint: "Name files and folders of the project.",
    });
  }
  return parsePath(found);
}
