/**
 * A checkpoint relies on commits of the user: HEAD for everything that did not change, and others that an operation may go back to. A
 * `git gc --prune=now` that began before its ref was there takes what nothing else holds, also some time after the ref was made.
 */
import { hostname } from "node:os";
import { join } from "node:path";
import { statOf } from "../files/file-stat.ts";
import { readRegular } from "../files/regular-file.ts";
import { isGone } from "../files/process-identity.ts";
import type { ObjectReader } from "./object-reader.ts";
import { TAG_REFS } from "./ref-names.ts";
import type { Repository } from "./repository.ts";
import { runGit } from "./run-git.ts";

export interface Relied {
  /** The checkpoint, which may be there by now. */
  readonly ref: string;
  readonly head: string | undefined;
  readonly others: readonly string[];
}

/** False: one of them may be about to go, or is gone. */
export async function areHeld(
  repository: Repository,
  reader: ObjectReader,
  { ref, head, others }: Relied,
): Promise<boolean> {
  if (!(await isHeldByHead(repository, reader, head))) return false;
  if (others.length === 0) return true;
  const there = await thoseThere(repository, reader, others);
  return there.length === others.length && !(await mayBeTaken(repository, others, ref));
}

/** Those of some commits that a checkpoint can hold: what git is about to throw away it cannot keep. */
export async function thoseToHold(
  repository: Repository,
  reader: ObjectReader,
  { ref, others }: Omit<Relied, "head">,
): Promise<readonly string[]> {
  const there = await thoseThere(repository, reader, others);
  return (await mayBeTaken(repository, there, ref)) ? [] : there;
}

/** What HEAD leads to, now that the ref is there, was never free to be pruned. */
async function isHeldByHead(
  repository: Repository,
  reader: ObjectReader,
  commit: string | undefined,
): Promise<boolean> {
  const head = await reader.read("HEAD^{commit}");
  if (commit === undefined || head?.oid === commit) return true;
  if (head === undefined) return false;
  const args = ["merge-base", "--is-ancestor", commit, head.oid];
  return (await runGit(repository, args, { accept: [0, 1, 128] })).exitCode === 0;
}

/** A process that has read a pack finds everything in it also after the pack was deleted. */
async function thoseThere(
  repository: Repository,
  reader: ObjectReader,
  commits: readonly string[],
): Promise<string[]> {
  if (commits.length === 0) return [];
  if (reader.seesThePresent()) {
    const found = await Promise.all(commits.map((oid) => reader.read(oid)));
    return commits.filter((_, at) => found[at]?.type === "commit");
  }
  const args = ["cat-file", "--batch-check=%(objecttype)"];
  const input = commits.map((oid) => `${oid}\n`).join("");
  const lines = (await runGit(repository, args, { input })).stdout.toString("latin1").split("\n");
  return commits.filter((_, at) => lines[at] === "commit");
}

/** Whether a `git gc` is at work that these commits may be nothing to, as only new refs lead to them. `newRefs` may be a pattern. */
export async function mayBeTaken(
  repository: Repository,
  commits: readonly string[],
  newRefs: string,
): Promise<boolean> {
  if (commits.length === 0 || !isCollecting(repository)) return false;
  const excluded = [newRefs, `${TAG_REFS}/*`].map((refs) => `--exclude=${refs}`);
  const args = ["rev-list", "--max-count=1", "--stdin", "--not", ...excluded, "--all", "--reflog"];
  const input = commits.map((oid) => `${oid}\n`).join("");
  const { exitCode, stdout } = await runGit(repository, args, { input, accept: [0, 128] });
  return exitCode !== 0 || stdout.length > 0;
}

/** As git judges it: one that was killed leaves the file, and nobody collects for longer than this. */
const LONGEST_GC_MS = 12 * 3_600_000;

/** The process of a `git gc` is written in a file while it is at work. */
function isCollecting({ commonDir }: Repository): boolean {
  const path = join(commonDir, "gc.pid");
  const stat = statOf(path);
  if (stat === undefined || Date.now() - stat.mtime.getTime() > LONGEST_GC_MS) return false;
  try {
    const [, pid, host] = /^(\d+) (\S+)$/.exec(readRegular(path, "latin1").trim()) ?? [];
    if (pid === undefined || Number(pid) === 0) return false;
    return host !== hostname() || !isGone(Number(pid));
  } catch {
    return true;
  }
}
