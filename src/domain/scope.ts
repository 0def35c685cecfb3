/**
 * What a checkpoint is limited to. Patterns without a slash at the beginning count from the root of the project; the others are absolute
 * and mean files outside of it. What matches a folder covers everything in it.
 */
import type { BytePath } from "./byte-path.ts";
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
