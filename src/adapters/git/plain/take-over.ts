/**
 * Brings the checkpoints of a plain folder into the git repository that the folder has become: all objects in one pack,
 * all refs in one transaction, checked there, and only then the private repository gets another name. It is never deleted.
 *
 * A kill at any point leaves the private repository in its place; the next command starts again.
 */
import { renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { Failure } from "../../../domain/failure.ts";
import { asFailure } from "../../../domain/system-error.ts";
import type { TakenOver } from "../../../ports/earlier-checkpoints.ts";
import { syncFolder } from "../../files/durable-write.ts";
import { takeLock } from "../../files/owned-lock.ts";
import { walks } from "../archive/admit-archive.ts";
import { isForeign, markForeign } from "../foreign-marks.ts";
import { takeOverMarks } from "../made-here.ts";
import { moveIn, syncRef } from "../publish.ts";
import { Quarantine, sweepQuarantine } from "../quarantine.ts";
import {
  CHECKPOINT_REFS,
  checkpointRef,
  idOfRef,
  SESSION_REFS,
  TAG_REFS,
  TRASH_REFS,
  trashRef,
} from "../ref-names.ts";
import { refValues } from "../ref-values.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";
import type { RefChange } from "../ref-transaction.ts";
import { updateRefs } from "../update-refs.ts";
import { earlierPlace, hasPrivateRepository } from "./private-place.ts";

const LOCK_WAIT_MS = 30_000;
/** Others may move refs meanwhile, here or there. */
const TRIES = 5;

function takeOverLockPath(repository: Repository): string {
  return join(repository.sharedDir, "take-over.lock");
}

export async function takeOver(
  repository: Repository,
  plain: Repository,
  at: Date,
): Promise<TakenOver | undefined> {
  const lock = await takeLock(
    takeOverLockPath(repository),
    "moving checkpoints into the repository",
    LOCK_WAIT_MS,
  );
  try {
    // Refs that a killed one left would be taken back later, when the private repository is no longer looked at.
    sweepQuarantine(repository);
    for (let attempt = 0; attempt < TRIES; attempt++) {
      if (!hasPrivateRepository(plain.workTree)) return undefined;
      const taken = await takeOnce(repository, plain, at);
      if (taken !== undefined) return taken;
    }
  } catch (error) {
    throw asFailure(error, "moving checkpoints into the repository");
  } finally {
    lock.release();
  }
  throw new Failure(
    "repository_busy",
    `other processes keep changing the refs of ${plain.gitDir}`,
    {
      hint: "Run the command again later; nothing was lost.",
    },
  );
}

async function takeOnce(
  repository: Repository,
  plain: Repository,
  at: Date,
): Promise<TakenOver | undefined> {
  const theirs = await refValues(plain, ...TAKEN);
  const plan = await planRefs(repository, plain, theirs);
  if (!(await bringIn(repository, plain, plan.changes))) return undefined;
  const keptAt = earlierPlace(plain.workTree, at);
  renameSync(plain.gitDir, keptAt);
  syncFolder(dirname(keptAt));
  // A process that had opened it before it was renamed may have stored a checkpoint in the last moment.
  if (!sameRefs(await refValues({ ...plain, gitDir: keptAt }, ...TAKEN), theirs)) {
    renameSync(keptAt, plain.gitDir);
    return undefined;
  }
  const lost = new Set(plan.left.map(({ ref }) => ref));
  const ids = [...theirs.keys()]
    .filter((ref) => ref.startsWith(`${CHECKPOINT_REFS}/`) && !lost.has(ref))
    .map(idOfRef);
  return { ids, left: plan.left, keptAt };
}

const TAKEN = [CHECKPOINT_REFS, SESSION_REFS, TRASH_REFS, TAG_REFS];

function sameRefs(left: ReadonlyMap<string, string>, right: ReadonlyMap<string, string>): boolean {
  return left.size === right.size && [...left].every(([name, oid]) => right.get(name) === oid);
}

interface RefsPlan {
  readonly changes: readonly RefChange[];
  readonly left: TakenOver["left"];
}

async function planRefs(
  repository: Repository,
  plain: Repository,
  theirs: ReadonlyMap<string, string>,
): Promise<RefsPlan> {
  const ours = await refValues(repository, ...TAKEN);
  const changes: RefChange[] = [];
  const left: { ref: string; why: string }[] = [];
  for (const [ref, oid] of theirs) {
    const old = ours.get(ref);
    if (old === oid || isElsewhere(ref, oid, ours)) continue;
    const why = await whyNot(repository, plain, { name: ref, old, new: oid });
    if (why === undefined) changes.push({ name: ref, old, new: oid });
    else left.push({ ref, why });
  }
  const damaged = await damagedAmong(plain, changes);
  return {
    changes: changes.filter((change) => !damaged.includes(change)),
    left: [...left, ...damaged.map(({ name }) => ({ ref: name, why: "it is damaged" }))],
  };
}

/** One look at all of them is enough where nothing is wrong. */
async function damagedAmong(
  plain: Repository,
  changes: readonly RefChange[],
): Promise<RefChange[]> {
  const damaged: RefChange[] = [];
  if (await walks(plain, ["--objects"], tipsOf(changes))) return damaged;
  for (const change of changes) {
    if (!(await walks(plain, ["--objects"], tipsOf([change])))) damaged.push(change);
  }
  return damaged;
}

function tipsOf(changes: readonly RefChange[]): string[] {
  return changes.flatMap((change) => change.new ?? []);
}

/** In the trash here, or brought back from it here. */
function isElsewhere(ref: string, oid: string, ours: ReadonlyMap<string, string>): boolean {
  const other = ref.startsWith(`${TRASH_REFS}/`)
    ? checkpointRef(idOfRef(ref))
    : trashRef(idOfRef(ref));
  return ours.get(other) === oid;
}

async function whyNot(
  repository: Repository,
  plain: Repository,
  { name, old, new: oid }: RefChange,
): Promise<string | undefined> {
  if (plain.hash !== repository.hash) return "this repository uses another object format";
  const isSession = name.startsWith(`${SESSION_REFS}/`);
  if (isSession && isLinked(repository)) return "a linked work tree has a session of its own";
  if (old === undefined || (isSession && (await isAncestor(plain, old, oid ?? "")))) {
    return undefined;
  }
  return "another ref with this name exists here";
}

function isLinked({ gitDir, commonDir }: Repository): boolean {
  return gitDir !== commonDir;
}

async function isAncestor(plain: Repository, ours: string, theirs: string): Promise<boolean> {
  const args = ["merge-base", "--is-ancestor", ours, theirs];
  return (await runGit(plain, args, { accept: [0, 1, 128] })).exitCode === 0;
}

/** False when a ref here is no longer as it was when the plan was made; then nothing of it is visible. */
async function bringIn(
  repository: Repository,
  plain: Repository,
  changes: readonly RefChange[],
): Promise<boolean> {
  if (changes.length === 0) return true;
  const tips = tipsOf(changes);
  const quarantine = new Quarantine(repository);
  try {
    await moveObjects(repository, plain, quarantine, tips);
    const ids = changes.map(({ name }) => idOfRef(name));
    takeOverMarks(plain, repository);
    markForeign(
      repository,
      ids.filter((id) => isLinked(repository) || isForeign(plain, id)),
    );
    quarantine.announceTransaction(changes);
    const isDone = await updateRefs(repository, changes, {});
    if (isDone) {
      for (const { name } of changes) syncRef(repository, name);
      if (!(await walks(repository, ["--objects"], tips))) throw notWhole();
    }
    quarantine.settle();
    return isDone;
  } catch (error) {
    quarantine.takeBack();
    throw error;
  } finally {
    quarantine.discard();
  }
}

async function moveObjects(
  repository: Repository,
  plain: Repository,
  quarantine: Quarantine,
  tips: readonly string[],
): Promise<void> {
  const base = quarantine.path("taken");
  const settings = ["-c", "pack.writeReverseIndex=false", "-c", "pack.packSizeLimit=0"];
  const { stdout } = await runGit(
    plain,
    [...settings, "pack-objects", "-q", "--revs", "--delta-base-offset", base],
    { input: tips.map((oid) => `${oid}\n`).join("") },
  );
  const hash = stdout.toString("latin1").trim();
  moveIn(repository, quarantine, `${base}-${hash}.pack`, hash, true);
}

function notWhole(): Failure {
  return new Failure(
    "git_failed",
    "the checkpoints were not copied completely into this repository",
    {
      hint: "Run `git fsck`, then the command again; nothing was moved, and nothing was lost.",
    },
  );
}
