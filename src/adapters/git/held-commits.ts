/**
 * A checkpoint relies on commits of the user: HEAD for everything that did not change, and others that an operation may go back to. A
 * `git gc --prune=now` that began before its ref was there takes what nothing else holds, also some time after the ref was made.
 */
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isMissing } from "../files/errors.ts";
import { isGone } from "../files/process-identity.ts";
import { readRegular } from "../files/regular-file.ts";
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
  if (await mayBeTaken(repository, others, ref)) return false;
  const found = await Promise.all(others.map((oid) => reader.read(oid)));
  return found.every((object) => object?.type === "commit");
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

/**
 * Whether a `git gc` is at work that these commits may be nothing to, as only the new refs lead to them. It is waited for if it does not
 * take long; after that, what is there stays there. `newRefs` may be a pattern.
 */
export async function mayBeTaken(
  repository: Repository,
  commits: readonly string[],
  newRefs: string,
): Promise<boolean> {
  if (!isCollecting(repository) || (await areReachable(repository, commits, newRefs))) return false;
  return !(await isDoneSoon(repository));
}

/** By something else than the new refs: then they were so before those, too. */
async function areReachable(
  repository: Repository,
  commits: readonly string[],
  newRefs: string,
): Promise<boolean> {
  const excluded = [newRefs, `${TAG_REFS}/*`].map((refs) => `--exclude=${refs}`);
  const others = ["--not", ...excluded, "--all", "--reflog"];
  const args = ["rev-list", "--max-count=1", "--stdin", ...others];
  const input = commits.map((oid) => `${oid}\n`).join("");
  const { exitCode, stdout } = await runGit(repository, args, { input, accept: [0, 128] });
  return exitCode === 0 && stdout.length === 0;
}

/** The process of a `git gc` is written in a file while it is at work; one that was killed leaves it. */
function isCollecting({ commonDir }: Repository): boolean {
  try {
    const [pid, host] = readRegular(join(commonDir, "gc.pid"), "latin1").trim().split(" ");
    return host !== hostname() || !isGone(Number(pid));
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

const LONGEST_WAIT_MS = 10_000;
const LOOK_AGAIN_MS = 50;

async function isDoneSoon(repository: Repository): Promise<boolean> {
  const until = Date.now() + LONGEST_WAIT_MS;
  while (isCollecting(repository)) {
    if (Date.now() > until) return false;
    await sleep(LOOK_AGAIN_MS);
  }
  return true;
}
