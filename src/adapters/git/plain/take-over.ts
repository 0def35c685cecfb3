/**
 * Moves checkpoints and sessions into the store from where they were before: the private repository of a plain folder that has become a git
 * work tree, or the refs of the project itself, where versions before 0.2 kept them. All objects go in one pack, all refs in one
 * transaction, they are checked there, and only then the old ones go. A private repository gets another name and is never deleted.
 *
 * A kill at any point leaves the old ones in their place; the next command starts again. So does a ref that a process of an old version
 * adds later.
 */
import { renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { Failure } from "../../../domain/failure.ts";
import { asFailure } from "../../../domain/system-error.ts";
import type { TakenOver } from "../../../ports/earlier-checkpoints.ts";
import { syncFolder } from "../../files/durable-write.ts";
import { takeLock } from "../../files/owned-lock.ts";
import { walks } from "../archive/admit-archive.ts";
import { isForeign, markForeign } from "../foreign-marks.ts";
import { takeOverMarks } from "../made-here.ts";
import { syncRef } from "../publish.ts";
import { resolveRef } from "../read-refs.ts";
import { Quarantine, sweepQuarantine } from "../quarantine.ts";
import {
  CHECKPOINT_REFS,
  LOCAL_REFS,
  checkpointRef,
  DAMAGED_REFS,
  idOfRef,
  SESSION_REFS,
  STAND_IN_REFS,
  TRASH_REFS,
  trashRef,
} from "../ref-names.ts";
import { refValues } from "../ref-values.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";
import type { RefChange } from "../ref-transaction.ts";
import { readBases } from "../store/bases.ts";
import { protectCommits } from "../store/protect-commits.ts";
import { copyObjects } from "../store/copy-objects.ts";
import { oldNotes } from "../store/store-place.ts";
import { updateRefs } from "../update-refs.ts";
import { earlierPlace, hasPrivateRepository } from "./private-place.ts";

const LOCK_WAIT_MS = 30_000;
/** Others may move refs meanwhile, here or there. */
const TRIES = 5;

function takeOverLockPath(repository: Repository): string {
  return join(repository.sharedDir, "take-over.lock");
}

export function takeOver(
  { store }: Repository,
  plain: Repository,
  at: Date,
): Promise<TakenOver | undefined> {
  return withTries(store, plain, async () =>
    hasPrivateRepository(plain.workTree) ? takeOnce(store, plain, at) : NOTHING,
  );
}

/** The same refs and objects in a store that no command sees yet. The old ones stay. */
export async function copyOldRefs(store: Repository): Promise<void> {
  await withTries(store, store.project, async () => {
    const theirs = await refValues(store.project, ...OLD_REFS);
    const plan = await planRefs(store, store.project, theirs);
    return (await bringIn(store, store.project, plan.changes)) ? plan : undefined;
  });
}

/** What versions before 0.2 kept in the project itself. Undefined: nothing was there to move. */
export function takeOverOldRefs({
  store,
  project,
}: Repository): Promise<Omit<TakenOver, "keptAt"> | undefined> {
  return withTries(store, project, async () => {
    const theirs = await refValues(project, ...OLD_REFS);
    if (theirs.size === 0) {
      rmSync(oldNotes(project), { recursive: true, force: true });
      return NOTHING;
    }
    const plan = await planRefs(store, project, theirs);
    if (!(await bringIn(store, project, plan.changes))) return undefined;
    const left = new Set(plan.left.map(({ ref }) => ref));
    const gone = [...theirs].filter(([ref]) => !left.has(ref));
    const changes = gone.map(([name, old]): RefChange => ({ name, old, new: undefined }));
    if (changes.length > 0 && !(await updateRefs(project, changes, {}))) return undefined;
    // What is left is damaged. Their packs stay: the user's own commits may rely on objects in them.
    rmSync(oldNotes(project), { recursive: true, force: true });
    return { ids: checkpointsAmong(gone.map(([ref]) => ref)), left: plan.left };
  });
}

/** Without values: another process was first. */
const NOTHING = "nothing";

/** `once` gives undefined where a ref was moved meanwhile. */
async function withTries<Taken>(
  store: Repository,
  from: Repository,
  once: () => Promise<Taken | typeof NOTHING | undefined>,
): Promise<Taken | undefined> {
  const doing = "moving checkpoints into the store";
  const lock = await takeLock(takeOverLockPath(store), doing, LOCK_WAIT_MS);
  try {
    // Refs that a killed one left would be taken back later, when the old ones are no longer looked at.
    sweepQuarantine(store);
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const taken = await once();
      if (taken === NOTHING) return undefined;
      if (taken !== undefined) return taken;
    }
  } catch (error) {
    throw asFailure(error, doing);
  } finally {
    lock.release();
  }
  throw new Failure("repository_busy", `other processes keep changing the refs of ${from.gitDir}`, {
    hint: "Run the command again later; nothing was lost.",
  });
}

function checkpointsAmong(refs: readonly string[]): string[] {
  return refs.filter((ref) => ref.startsWith(`${CHECKPOINT_REFS}/`)).map(idOfRef);
}

async function takeOnce(
  repository: Repository,
  plain: Repository,
  at: Date,
): Promise<TakenOver | undefined> {
  const theirs = await refValues(plain, ...TAKEN);
  const plan = await planRefs(repository, plain, theirs);
  if (!(await bringIn(repository, plain, plan.changes))) return undefined;
  const keptAt = earlierPlace(plain.gitDir, at);
  renameSync(plain.gitDir, keptAt);
  syncFolder(dirname(keptAt));
  // A process that had opened it before it was renamed may have stored a checkpoint in the last moment.
  if (!sameRefs(await refValues({ ...plain, gitDir: keptAt }, ...TAKEN), theirs)) {
    renameSync(keptAt, plain.gitDir);
    return undefined;
  }
  const lost = new Set(plan.left.map(({ ref }) => ref));
  const ids = checkpointsAmong([...theirs.keys()].filter((ref) => !lost.has(ref)));
  return { ids, left: plan.left, keptAt };
}

const TAKEN = [CHECKPOINT_REFS, LOCAL_REFS, SESSION_REFS, TRASH_REFS];
const OLD_REFS = [...TAKEN, STAND_IN_REFS, DAMAGED_REFS];

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
  if (isSession && plain.isPlain && isLinked(repository.project))
    return "a linked work tree has a session of its own";
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
    if (plain.isPlain) {
      const ids = changes.map(({ name }) => idOfRef(name));
      takeOverMarks(plain, repository);
      markForeign(
        repository,
        ids.filter((id) => isLinked(repository.project) || isForeign(plain, id)),
      );
    }
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
  store: Repository,
  from: Repository,
  quarantine: Quarantine,
  tips: readonly string[],
): Promise<void> {
  const order = { to: store, quarantine, revs: true };
  const isCopied = from.isPlain
    ? await copyObjects({ ...order, from, objects: tips })
    : await moveFromProject(store, quarantine, tips);
  if (!isCopied) throw notWhole();
}

/** Of the user's own commits only the young ones. */
async function moveFromProject(
  store: Repository,
  quarantine: Quarantine,
  tips: readonly string[],
): Promise<boolean> {
  const head = await resolveRef(store.project, "HEAD");
  const args = ["for-each-ref", "--format=%(parent)", CHECKPOINT_REFS, TRASH_REFS];
  const { stdout } = await runGit(store.project, args);
  const parents = new Set(stdout.toString("latin1").split(/\s+/).filter(Boolean));
  const others = [...parents].filter((oid) => oid !== head);
  const { lost } = await protectCommits(store, quarantine, { head, others });
  const known = readBases(store).stored.filter((oid) => !lost.includes(oid));
  const objects = [...tips, ...known.map((oid) => `^${oid}`)];
  return copyObjects({ from: store, to: store, quarantine, objects, revs: true });
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
