/** Files that a tool names, as paths of the project. */
import { realpathSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import { asBytePath, encodeUtf8, showPath } from "../../domain/byte-path.ts";
import { withoutLinks } from "../cli/project-path.ts";

/** A tool may name as many as it likes; nobody looks at all of them. */
const MOST = 1000;

/** Those outside are left out. Of a link, both it and where it leads: writing to it changes that. */
export function pathsInProject(
  root: string,
  directory: string,
  paths: readonly string[],
): readonly string[] {
  const found = paths.slice(0, MOST).flatMap((path) => {
    const named = withoutLinks(resolve(directory, path));
    return [named, ...leadsTo(named)];
  });
  return [...new Set(found.flatMap((path) => below(root, path)))];
}

function leadsTo(path: string): string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}

function below(root: string, path: string): string[] {
  const shown = relative(root, path).split(sep).join("/");
  const isOutside = shown === "" || shown === ".." || shown.startsWith("../");
  const isGits = shown === ".git" || shown.startsWith(".git/");
  return isOutside || isGits ? [] : [showPath(asBytePath(encodeUtf8(shown)))];
}
