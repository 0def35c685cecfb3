/** Patterns that people type after `--scope`, relative to the folder they are in, as those of a checkpoint's scope. */
import { lstatSync, realpathSync } from "node:fs";
import { relative, resolve } from "node:path";
import { decodeUtf8, isInside, parsePath, ROOT } from "../../domain/byte-path.ts";
import { Failure } from "../../domain/failure.ts";
import { literalPattern, patternProblem } from "../../domain/path-pattern.ts";
import { containsProject } from "../../domain/scope.ts";

export function scopePatterns(root: string, directory: string, texts: readonly string[]): string[] {
  const here = realpathSync(directory);
  return [...new Set(texts.map((text) => scopePattern(root, here, text)))];
}

function scopePattern(root: string, here: string, text: string): string {
  if (text.trim() === "") {
    const hint =
      "Name a file, a folder or a pattern; `.` is this folder. No checkpoint was created.";
    throw new Failure("usage", "--scope: an empty pattern is not allowed", { hint });
  }
  const isQuoted = /^".*"$/s.test(text);
  const bytes = parsePath(text);
  const path = resolve(here, isQuoted ? (decodeUtf8(bytes) ?? bytes) : text);
  // A name that is there means itself, whatever characters it has.
  const isName = isQuoted || lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  const below = relative(root, path);
  if (below === "") return "**";
  const isOutside = below === ".." || below.startsWith("../");
  if (isOutside && isInside(parsePath(root), path === "/" ? ROOT : parsePath(path))) {
    throw containsProject(text);
  }
  if (/^\.(?:git|checkpoints)(?:\/|$)/.test(below)) {
    throw wrong(text, "is never part of a checkpoint", "Name files and folders of the project.");
  }
  const end = text.endsWith("/") && !isName ? "/" : "";
  const plain = isOutside ? path : below;
  const pattern = `${isName ? literalPattern(plain) : plain}${end}`;
  const problem = patternProblem(isOutside ? pattern : `/${pattern}`);
  if (problem !== undefined) {
    throw wrong(text, `is not a pattern: ${problem}`, "Correct it. No checkpoint was created.");
  }
  return pattern;
}

function wrong(text: string, what: string, hint: string): Failure {
  return new Failure("usage", `--scope: ${text} ${what}`, { hint });
}
