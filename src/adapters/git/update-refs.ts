/** Moves refs in one transaction, each only if it still has the expected value. */
import { comparePaths } from "../../domain/byte-path.ts";
import { gitFailed, runGit, runGitSync } from "./run-git.ts";
import type { Durability } from "./git-environment.ts";
import { nullId } from "./object-hash.ts";
import type { Repository } from "./repository.ts";

export interface RefChange {
  readonly name: string;
  /** Undefined: it must not exist. */
  readonly old: string | undefined;
  /** Undefined: it is deleted. */
  readonly new: string | undefined;
  /** Change HEAD itself and not the branch that it points at. */
  readonly noDereference?: boolean;
}

export interface RefOptions {
  readonly durability?: Durability;
  /** For the reflog of branches. */
  readonly message?: string;
}

/** False when a ref did not have its expected value; then none was changed. */
export async function updateRefs(
  repository: Repository,
  changes: readonly RefChange[],
  options: RefOptions,
): Promise<boolean> {
  const args = ["update-ref", "--stdin", "-z", ...messageArgs(options.message)];
  const result = await runGit(repository, args, {
    input: transaction(repository, changes),
    accept: [0, 128],
    ...(options.durability === undefined ? {} : { durability: options.durability }),
  });
  if (result.exitCode === 0) return true;
  if (/but expected|already exists|unable to resolve|reference is missing/.test(result.stderr)) {
    return false;
  }
  throw gitFailed(args, result);
}

function transaction(repository: Repository, changes: readonly RefChange[]): string {
  const zero = nullId(repository.hash);
  const lines = ["start"];
  // Git locks them in this order: two transactions about the same refs must not wait for each other.
  const sorted = changes.toSorted((left, right) => comparePaths(left.name, right.name));
  for (const change of sorted) {
    if (change.noDereference === true) lines.push("option no-deref");
    if (change.new === undefined) lines.push(`delete ${change.name}`, change.old ?? "");
    else lines.push(`update ${change.name}`, change.new, change.old ?? zero);
  }
  lines.push("prepare", "commit");
  return `${lines.join("\0")}\0`;
}

/**
 * Takes back what a killed transaction did: git renames one file after another, so it may have got half way. Refs that
 * are no longer where it put them belong to somebody else by now.
 */
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

function messageArgs(message: string | undefined): string[] {
  return message === undefined ? [] : ["-m", message];
}
