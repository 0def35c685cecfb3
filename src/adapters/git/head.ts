/** Where HEAD points. */
import { lstatSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { shortBranch } from "../../domain/branch-name.ts";
import { Failure } from "../../domain/failure.ts";
import type { ObjectReader } from "./object-reader.ts";
import type { Repository } from "./repository.ts";
import { runGit } from "./run-git.ts";
import { readRegular } from "../files/regular-file.ts";
import { resolveRef } from "./read-refs.ts";

export interface Head {
  /** Full name of the branch, or undefined when detached. */
  readonly branch: string | undefined;
  readonly commit: string | undefined;
  readonly tree: string | undefined;
}

export async function readHead(repository: Repository, reader: ObjectReader): Promise<Head> {
  const branch = await headBranch(repository);
  const oid = await resolveRef(repository, "HEAD");
  const commit = oid === undefined ? undefined : await reader.read(oid);
  if (commit === undefined) await refuseLost(repository, branch);
  const tree = commit === undefined ? undefined : treeOfCommit(commit.content);
  return { branch, commit: commit?.oid, tree };
}

/** A branch whose ref or commit is damaged is not one without commits: a checkpoint that says so would take the branch away. */
async function refuseLost(repository: Repository, branch: string | undefined): Promise<void> {
  const args = ["rev-parse", "--verify", "--quiet", "HEAD"];
  const { exitCode, stdout } = await runGit(repository, args, { accept: [0, 1, 128] });
  if (exitCode !== 0) return refuseBrokenRef(repository, branch);
  const commit = stdout.toString("latin1").trim();
  throw new Failure("git_failed", `HEAD is the commit ${commit}, which is missing or damaged`, {
    hint: "Run `git fsck`. Fetch the commit from another clone, or run `git reset --soft` to an intact commit of `git reflog`, which does not change files and index. No checkpoint was created.",
    details: { commit },
  });
}

/** As a power cut leaves it: an empty file, or one of zeros. */
function refuseBrokenRef({ commonDir }: Repository, branch: string | undefined): void {
  if (branch === undefined) return;
  const file = join(commonDir, branch);
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return;
  throw new Failure(
    "git_failed",
    `the branch ${shortBranch(branch)} is damaged: ${file} names no commit`,
    {
      hint: `The last line of ${join(commonDir, "logs", branch)} names its last commit: remove the damaged file, then run \`git update-ref ${branch} COMMIT\`. Nothing was changed.`,
      details: { branch },
    },
  );
}

/** Whether HEAD still leads to a commit. A `git gc` that is at work may be taking one that it has left. */
export async function headLeadsTo(project: Repository, commit: string): Promise<boolean> {
  const head = await resolveRef(project, "HEAD");
  if (head === undefined || head === commit) return head === commit;
  const args = ["merge-base", "--is-ancestor", commit, head];
  return (await runGit(project, args, { accept: [0, 1, 128] })).exitCode === 0;
}

export function sameHead(left: Head, right: Head): boolean {
  return left.branch === right.branch && left.commit === right.commit;
}

export function treeOfCommit(content: Buffer): string | undefined {
  return /^tree ([0-9a-f]+)\n/.exec(content.toString("latin1", 0, 80))?.[1];
}

export async function headBranch(repository: Repository): Promise<string | undefined> {
  const path = join(repository.gitDir, "HEAD");
  const text = lstatSync(path).isSymbolicLink()
    ? `ref: ${readlinkSync(path)}`
    : readRegular(path, "utf8");
  const name = /^ref: (.+?)\s*$/.exec(text)?.[1];
  // Repositories with reftables keep a stand-in here.
  if (name !== "refs/heads/.invalid") return name;
  const result = await runGit(repository, ["symbolic-ref", "-q", "HEAD"], { accept: [0, 1] });
  return result.exitCode === 0 ? result.stdout.toString("utf8").trim() : undefined;
}
