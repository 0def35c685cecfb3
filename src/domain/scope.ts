/**
 * What a checkpoint is limited to. Patterns without a slash at the beginning count from the root of the project; the others are absolute
 * and mean files outside of it. What matches a folder covers everything in it.
 */
import { asBytePath, parsePath, ROOT, type BytePath } from "./byte-path.ts";
import { Failure } from "./failure.ts";
import type { Part } from "./parts.ts";
import { mayMatchBelow, pathMatcher, type PathMatcher } from "./path-pattern.ts";

/** As documents have it. */
export interface CheckpointScope {
  /** Null: all files. */
  readonly files: readonly string[] | null;
  /** Null: all of the state. */
  readonly state_keys: readonly string[] | null;
}

export interface ScopeFilter {
  readonly covers: PathMatcher;
  /** Whether anything below a folder could be covered. */
  readonly reaches: (folder: BytePath) => boolean;
}

/** Patterns of files in the project, in the form of `.gitignore`. */
export function insidePatterns(files: readonly string[]): string[] {
  return files.filter((text) => !text.startsWith("/")).map((text) => `/${text}`);
}

export function outsidePatterns(files: readonly string[]): string[] {
  return files.filter((text) => text.startsWith("/"));
}

/** Undefined: everything. */
export function scopeFilter(files: readonly string[] | null | undefined): ScopeFilter | undefined {
  if (files === null || files === undefined) return undefined;
  const inside = insidePatterns(files);
  return { covers: pathMatcher(inside), reaches: mayMatchBelow(inside) };
}

/** Such a pattern would hold everything around the project, and the project itself not. */
export function refuseAroundProject(files: readonly string[], root: string): void {
  const project = asBytePath(parsePath(root).slice(1));
  for (const pattern of outsidePatterns(files)) {
    if (pathMatcher([pattern])(project, true)) throw containsProject(pattern);
  }
}

export function containsProject(pattern: string): Failure {
  return new Failure(
    "usage",
    `--scope: ${pattern} is or matches a folder that contains the project, but would exclude the project itself`,
    {
      hint: "Name the files and folders outside one by one, and `.` for the project. No checkpoint was created.",
    },
  );
}

/** Whether copies of a file outside of the project, or of something in a folder there, are among these parts. */
export function holdsOutside(parts: readonly Part[], path: BytePath): boolean {
  const outside = parts.flatMap((part) => (part.type === "file_backup" ? part.outside : []));
  const below = asBytePath(path.slice(1));
  return below !== ROOT && (pathMatcher(outside)(below, true) || mayMatchBelow(outside)(below));
}
