/** Moves HEAD, branches and the refs of an operation, forwards and back. Each only if it is where we think it is. */
import { existsSync, readFileSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { HeadPlan, HeadPosition, RefMove } from "../../../domain/head-plan.ts";
import { Failure } from "../../../domain/failure.ts";
import { syncFile, syncFolder } from "../../files/durable-write.ts";
import { statOf } from "../../files/file-stat.ts";
import { readHead } from "../head.ts";
import type { ObjectReader } from "../object-reader.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";
import type { RefChange } from "../ref-transaction.ts";
import { refValues } from "../ref-values.ts";
import { updateRefs } from "../update-refs.ts";
import { removeDeadPackedLock } from "../dead-packed-lock.ts";

export interface RefPlan {
  readonly head: HeadPlan | null;
  readonly refs: readonly RefMove[];
  readonly message: string;
}

export async function moveRefs(repository: Repository, plan: RefPlan): Promise<void> {
  const { head } = plan;
  const changes = plan.refs.map(toChange);
  if (head?.move) changes.push(toChange(head.move));
  if (changes.length > 0) await change(repository, changes, plan.message);
  if (head !== null) await pointHead(repository, head.from, head.to, plan.message);
  syncRefs(repository, changes);
}

/** What is no longer where we put it was moved by somebody else since, and stays. */
export async function moveRefsBack(
  repository: Repository,
  reader: ObjectReader,
  plan: RefPlan,
): Promise<void> {
  const { head } = plan;
  const now = await readHead(repository, reader);
  const position: HeadPosition = { branch: now.branch ?? null, commit: now.commit ?? null };
  if (head !== null && position.branch === head.to.branch && head.from.branch !== head.to.branch) {
    await pointHead(repository, head.to, head.from, plan.message);
  } else if (head !== null && isDetachedAt(position, head.to)) {
    await pointHead(repository, head.to, head.from, plan.message);
  }
  const moves = head?.move ? [...plan.refs, head.move] : plan.refs;
  for (const move of await notSurelyThere(repository, moves)) {
    const back: RefMove = { name: move.name, from: move.to, to: move.from };
    // False: somebody else has moved it since, or it was never moved.
    await updateRefs(repository, [toChange(back)], { message: plan.message });
  }
  syncRefs(repository, moves);
}

function isDetachedAt(now: HeadPosition, there: HeadPosition): boolean {
  return there.branch === null && now.branch === null && now.commit === there.commit;
}

/**
 * Without those that surely are where they were: they need no lock, which may be the very reason why they were not moved. One that git
 * does not name is no such one: a git that runs out of file handles leaves refs out without a word.
 */
async function notSurelyThere(
  repository: Repository,
  moves: readonly RefMove[],
): Promise<readonly RefMove[]> {
  if (moves.length === 0) return [];
  const values = await refValues(repository, ...moves.map(({ name }) => name));
  return moves.filter(({ name, from }) => from === null || values.get(name) !== from);
}

function toChange(move: RefMove): RefChange {
  return { name: move.name, old: move.from ?? undefined, new: move.to ?? undefined };
}

async function change(
  repository: Repository,
  changes: readonly RefChange[],
  message: string,
): Promise<void> {
  const real = changes.filter((one) => one.old !== one.new);
  if (real.length === 0 || (await updateRefs(repository, real, { message }))) return;
  throw new Failure(
    "repository_busy",
    `another process moved ${real.map((one) => one.name).join(" or ")} meanwhile`,
    {
      hint: "The rollback was reverted. Look at `git log`, then run the command again.",
    },
  );
}

async function pointHead(
  repository: Repository,
  from: HeadPosition,
  to: HeadPosition,
  message: string,
): Promise<void> {
  if (to.branch !== null) {
    if (from.branch === to.branch) return;
    await runGit(repository, ["symbolic-ref", "-m", message, "HEAD", to.branch]);
    return;
  }
  if (to.commit === null || (from.branch === null && from.commit === to.commit)) return;
  await runGit(repository, ["update-ref", "--no-deref", "-m", message, "HEAD", to.commit]);
}

/**
 * `git symbolic-ref` syncs nothing, and no command syncs the folders. HEAD may be a link (core.preferSymlinkRefs), which is synced with its
 * folder; it points to no file while its branch is packed or has no commits.
 */
function syncRefs(repository: Repository, changes: readonly { readonly name: string }[]): void {
  const head = join(repository.gitDir, "HEAD");
  if (statOf(head)?.isFile() === true) syncFile(head);
  const folders = new Set([repository.gitDir]);
  for (const { name } of changes) folders.add(dirname(join(repository.commonDir, name)));
  for (const folder of folders) if (existsSync(folder)) syncFolder(folder);
}

/**
 * Lock files that a killed git child of this rollback left on refs. Removed only when the rollback's process is dead,
 * the lock is younger than the rollback, says what we were about to write (or nothing yet), and no process has it open.
 */
export function removeDeadRefLocks(repository: Repository, plan: RefPlan, since: Date): void {
  const moves = plan.head?.move ? [...plan.refs, plan.head.move] : plan.refs;
  const ours = new Set(moves.flatMap((move) => [move.to ?? "", move.from ?? ""]));
  if (plan.head !== null) {
    for (const { branch, commit } of [plan.head.from, plan.head.to]) {
      ours.add(branch === null ? (commit ?? "") : `ref: ${branch}`);
      ours.add(commit ?? "");
    }
  }
  ours.add("");
  const candidates = [
    ...moves.flatMap((move) =>
      [repository.commonDir, repository.gitDir].map((folder) => join(folder, `${move.name}.lock`)),
    ),
    join(repository.gitDir, "HEAD.lock"),
  ];
  for (const path of candidates) {
    const stat = statOf(path);
    if (stat === undefined || stat.mtime < since || isOpenSomewhere(path)) continue;
    const content = readFileSync(path, "utf8").trim();
    // A part of it is what a write that was cut short left.
    const isOurs = [...ours].some((value) => value.startsWith(content));
    if (isOurs) rmSync(path, { force: true });
  }
  if (moves.some((move) => move.to === null || move.from === null)) {
    removeDeadPackedLock(repository, since);
  }
}

function isOpenSomewhere(path: string): boolean {
  let pids: string[];
  try {
    pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    // Without /proc there is no proof that it is dead.
    return true;
  }
  return pids.some((pid) => {
    try {
      return readdirSync(`/proc/${pid}/fd`).some(
        (fd) => linkTarget(`/proc/${pid}/fd/${fd}`) === path,
      );
    } catch {
      return false;
    }
  });
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
