/**
 * Shell commands that bring something back from a checkpoint without Waymark. They work in any folder, write to a private one
 * first, look at what they got, and stop at the first thing that fails: until then nothing was changed.
 */
import { quoteForShell } from "./shell-quote.ts";

/** Git with this folder as its repository, wherever it is called. */
export function gitAt(gitDir: string): string {
  return `git ${quoteForShell(`--git-dir=${gitDir}`)}`;
}

export interface HeldFile {
  readonly git: string;
  /** What git calls it: a ref and a path. */
  readonly revision: string;
  readonly bytes: number;
}

/** Writes a file of a checkpoint to `name` and makes sure that it is all there. */
export function fetchStep({ git, revision, bytes }: HeldFile, name: string): string {
  const blob = quoteForShell(revision);
  return `${git} cat-file blob ${blob} > ${name} && test "$(wc -c < ${name})" -eq ${bytes}`;
}

/** One command of steps that run in a private folder, which goes afterwards; `tidy` is done before that. */
export function inPrivateFolder(steps: readonly string[], tidy?: string): string {
  const end = `${tidy === undefined ? "" : `${tidy}; `}rm -rf "$dir"`;
  const start = ["dir=$(mktemp -d)", `trap ${quoteForShell(end)} EXIT`, 'cd "$dir"'];
  return `(${[...start, ...steps].join(" && ")})`;
}
