/**
 * Takes back what a killed transaction did: git renames one file after another, so it may have got half way. Refs that
 * are no longer where it put them belong to somebody else by now.
 */
import { type RefChange, transaction } from "./ref-transaction.ts";
import type { Repository } from "./repository.ts";
import { runGitSync } from "./run-git.ts";

export function takeBackRefs(repository: Repository, changes: readonly RefChange[]): void {
  const format = "--format=%(objectname) %(refname)";
  const { stdout } = runGitSync(repository, ["for-each-ref", format]);
  const now = new Set(stdout.toString("utf8").split("\n"));
  const back = changes
    .filter(({ name, new: put }) => put !== undefined && now.has(`${put} ${name}`))
    .map(({ name, old, new: put }): RefChange => ({ name, old: put, new: old }));
  if (back.length === 0) return;
  runGitSync(repository, ["update-ref", "--stdin", "-z"], { input: transaction(repository, back) });
}
