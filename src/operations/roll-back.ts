/**
 * Makes the project equal a checkpoint again: plan, safety checkpoint, apply, verify, journal.
 * A rollback that reports an error leaves everything as it was.
 */
import { shortBranch } from "../domain/branch-name.ts";
import { isInside, showPath, type BytePath } from "../domain/byte-path.ts";
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import { sameFile } from "../domain/file-state.ts";
import { cancelled, Failure, type FailureCode } from "../domain/failure.ts";
import { touchedPaths } from "../domain/rollback-plan.ts";
import type { FinishedRollback, RollbackKind, UndoEntry } from "../domain/session.ts";
import type { TaskRecord } from "../domain/task.ts";
import type { HeldPart, PartKept } from "../ports/part-keeper.ts";
import type { ForeignSave, RecoveryResult, Restore } from "../ports/restorer.ts";
import type { Capture } from "../ports/work-tree.ts";
import { audited, type AuditOutcome } from "./audited.ts";
import { createCheckpoint } from "./create-checkpoint.ts";
import { readingCheckpoint, refuseExpired } from "./find-checkpoint.ts";
import { partsInScope, pathsOf, previewParts } from "./part-work.ts";
import {
  coverageOf,
  planRollback,
  type PlannedRollback,
  type RollbackPlan,
  type RollbackScope,
} from "./plan-rollback.ts";
import { applyAndVerify, hashAfter, type UnderWay } from "./apply-rollback.ts";
import type { Project } from "./project.ts";
import { journalEntry, leaveNote } from "./record-rollback.ts";
import type { RollbackOrder, Verification } from "./rollback-order.ts";
import { refuseOtherRun } from "./other-run.ts";
import { heldFailure, isCommandOf, otherHolder } from "./owned-session.ts";
import { isImplicit } from "./which-session.ts";
import { RollbackParts } from "./rollback-parts.ts";
import { RollbackTask, taskIsAsLeft } from "./rollback-task.ts";
import { rebuildCheckpoint } from "./rebuild-checkpoint.ts";
import { recover } from "./recover.ts";
import { interrupted, stopIfAsked } from "./stop-if-asked.ts";
import { isJournaled, writeJournal } from "./write-journal.ts";

export type { RollbackOrder } from "./rollback-order.ts";

export interface RollbackResult {
  readonly id: string;
  readonly kind: RollbackKind;
  /** The checkpoint of the rollback that was undone or redone, where it is still there. */
  readonly undoes: CheckpointDocument | undefined;
  /** Of an undo or redo: what changed since the rollback went with it. */
  readonly revertsLaterWork: boolean;
  readonly plan: RollbackPlan;
  readonly safety: CheckpointDocument;
  readonly foreign: readonly ForeignSave[];
  /** Beside the work tree: what others changed meanwhile, and stayed. */
  readonly keptParts: readonly PartKept[];
  /** Null: there was none to bring back. */
  readonly task: TaskRecord | null;
  readonly verification: Verification;
  readonly recovered: RecoveryResult | undefined;
  /** What could not be tidied up; the next command tries again. */
  readonly leftOver: readonly string[];
}

/** The project equals the checkpoint: there was nothing to do, and there is nothing to undo. */
export interface NothingDiffers {
  readonly kind: "nothing_differs";
  readonly plan: RollbackPlan;
  /** Of the project now. */
  readonly contentHash: string;
  readonly recovered: RecoveryResult | undefined;
}

/** For owners of sessions, who record every rollback: a safety checkpoint is taken even if nothing differs. */
export function rollBack(project: Project, order: RollbackOrder): Promise<RollbackResult> {
  return auditedRollback(project, order, () => goTo(project, order));
}

/** For users: where nothing differs, no checkpoint is taken and nothing is recorded. */
export function rollBackIfDifferent(
  project: Project,
  order: RollbackOrder,
): Promise<RollbackResult | NothingDiffers> {
  return auditedRollback(project, order, () =>
    carryThrough(project, order, (nothing) => ({ kind: "nothing_differs" as const, ...nothing })),
  );
}

function auditedRollback<Result extends RollbackResult | NothingDiffers>(
  project: Project,
  order: RollbackOrder,
  work: () => Promise<Result>,
): Promise<Result> {
  return audited<Result>(
    project,
    {
      operation: order.kind,
      sessionId: order.sessionId,
      reason: order.reason,
      checkpointIds: [order.target.id],
      outcome: (result) =>
        result.kind === "nothing_differs" ? undefined : rollbackOutcome(result),
    },
    async () => {
      if (order.evenIfExpired !== true) await refuseExpired(project, order.target);
      return work();
    },
  );
}

/** For the audit log. */
export function rollbackOutcome({ id, plan, safety }: RollbackResult): AuditOutcome {
  return {
    checkpointIds: [plan.target.id],
    details: {
      rollback_id: id,
      undo_checkpoint_id: safety.id,
      files: touchedPaths(plan.files).length,
    },
  };
}

/** The same without an entry in the audit log: `undo` makes its own. */
export function goTo(project: Project, order: RollbackOrder): Promise<RollbackResult> {
  return carryThrough<never>(project, order);
}

/** Answers instead of the rollback where its plan is empty. */
type WhenEmpty<Nothing> = (found: Omit<NothingDiffers, "kind">) => Nothing;

async function carryThrough<Nothing>(
  project: Project,
  order: RollbackOrder,
  whenEmpty?: WhenEmpty<Nothing>,
): Promise<RollbackResult | Nothing> {
  project.sweep();
  await project.sweepKept();
  // With nothing to recover and nothing to ask, nothing is done before it is looked at again below.
  if (!order.confirmed || project.restorer.unfinished() !== undefined) {
    await refuseUnderOwner(project, order);
  }
  const recovered = await recover(project);
  const agreedTo = order.confirmed
    ? NO_COMMITS
    : await askFirst(project, order, whenEmpty !== undefined);
  // Nobody begins to run anything here meanwhile.
  const place = await project.runFiles.enter(`a ${order.kind}`);
  try {
    await refuseUnderOwner(project, order);
    const changed: { files?: () => Restore["changedFiles"] } = {};
    const work = (): Promise<RollbackResult | Nothing> =>
      project.interruption.holdOff(
        () => carryOut(project, order, { recovered, agreedTo, whenEmpty, changed }),
        () => whenInterrupted(changed.files?.()),
      );
    try {
      return await work();
    } catch (error) {
      if (!(await isRepaired(project, order, error))) throw error;
      return await work();
    }
  } finally {
    place.leave();
  }
}

/** What the checkpoint has lost may still be in the work tree, or among the files that a rollback moved away. */
async function isRepaired(
  project: Project,
  { target }: RollbackOrder,
  error: unknown,
): Promise<boolean> {
  if (!(error instanceof Failure) || error.code !== "checkpoint_damaged") return false;
  try {
    await rebuildCheckpoint(project, { selector: target.id, exactly: true });
    return true;
  } catch (failed) {
    if (failed instanceof Failure) return false;
    throw failed;
  }
}

/**
 * Somebody runs this session, or another one in this work tree: only its owner, or a command that the owner runs, takes the files
 * away under it.
 */
async function refuseUnderOwner(
  project: Project,
  { sessionId, scope }: RollbackOrder,
): Promise<void> {
  if (scope.filesOnly || scope.paths !== null) return;
  const session = isImplicit(project, sessionId)
    ? undefined
    : (await project.sessions.read(sessionId))?.document;
  const lease = session === undefined ? undefined : otherHolder(project, session);
  const isHeld = session !== undefined && !isCommandOf(project, session);
  if (lease !== undefined && isHeld) throw heldFailure(project, sessionId, lease);
  await refuseOtherRun(project);
}

interface Beginning<Nothing> {
  readonly recovered: RecoveryResult | undefined;
  readonly agreedTo: ReadonlySet<string>;
  readonly whenEmpty: WhenEmpty<Nothing> | undefined;
  readonly changed: { files?: () => Restore["changedFiles"] };
}

async function carryOut<Nothing>(
  project: Project,
  order: RollbackOrder,
  { recovered, agreedTo, whenEmpty, changed }: Beginning<Nothing>,
): Promise<RollbackResult | Nothing> {
  const parts = new RollbackParts(project, {
    ...order,
    putThereBy: await putThereBy(project, order),
  });
  const restore = await project.restorer.begin(order.id, order.target.id, () =>
    stopIfAsked(project),
  );
  changed.files = () => restore.changedFiles;
  const task = new RollbackTask(project);
  const shown = project.progress.begin("rolling back");
  let isOver = false;
  try {
    await refuseOvertaken(order);
    const { plan, capture, sameness, distrusted } = await planSurely(project, order);
    let safety: CheckpointDocument;
    let revertsLaterWork: boolean;
    try {
      stopIfAsked(project);
      refuseLosingCommits(plan, order, sameness, agreedTo);
      order.check?.(plan, capture.sameness);
      revertsLaterWork = !(await isAsLeft(project, order, { plan, capture, sameness }));
      if (plan.isEmpty && whenEmpty !== undefined) {
        const contentHash = await hashAfter(project, order.target, capture, parts.target);
        await restore.takeBack();
        return whenEmpty({ plan, contentHash, recovered });
      }
      await readingCheckpoint(project, order.target, () =>
        restore.prepare({
          rollbackId: order.id,
          target: order.target,
          before: capture,
          files: plan.files,
          head: plan.head,
          refs: plan.refs,
          index: plan.restoresIndex ? indexOrder(plan) : { kind: "none" },
          operation: plan.restoresOperation,
          parts: parts.numbers,
          partPaths: pathsOf(order.scope),
        }),
      );
      stopIfAsked(project);
      const held = { capture, distrusted, parts: parts.target };
      safety = await takeSafety(project, order, plan, held);
      if (order.check !== undefined) await refuseMovedParts(project, order, plan, parts.target);
    } finally {
      capture.discard();
    }
    stopIfAsked(project);
    await readingCheckpoint(project, order.target, () => parts.prepare(safety));
    stopIfAsked(project);
    const done = await applyAndVerify(project, order, { restore, parts, task }, plan, safety);
    stopIfAsked(project);
    const journal = await journalEntry(project, order, plan, safety, done);
    await writeJournalSurely(project, journal);
    // From here on the rollback is a fact; what is left over is tidied up by the next command.
    isOver = true;
    const leftOver = tidy(
      () => restore.finish(),
      () => leaveNote(project, order, plan, safety),
      () => project.guards.forget(order.target.id),
    );
    return {
      id: order.id,
      kind: order.kind,
      undoes: order.undoes,
      revertsLaterWork,
      plan,
      safety,
      foreign: done.foreign,
      keptParts: done.keptParts,
      task: done.task,
      verification: done.verification,
      recovered,
      leftOver,
    };
  } catch (error) {
    if (isOver) throw error;
    throw await afterFailure(project, { restore, parts, task }, error);
  } finally {
    shown.end();
    parts.close();
  }
}

/** What a wish to stop leads to, for the user. */
function whenInterrupted(changed: Restore["changedFiles"] | undefined): string {
  if (changed === undefined || changed.total === 0) return "nothing was changed yet";
  const count = (number: number): string => number.toLocaleString("en-US");
  return `reverting all changes (${count(changed.done)}/${count(changed.total)} files)`;
}

/** Chosen before the locks were ours: somebody may have rolled back since, and to undo that is what undo means now. */
async function refuseOvertaken({ kind, isStillNext }: RollbackOrder): Promise<void> {
  if (isStillNext === undefined || (await isStillNext())) return;
  throw new Failure(
    "repository_busy",
    `another rollback started at the same time; nothing was changed`,
    { hint: `Check the project, then run \`waymark ${kind}\` again.` },
  );
}

/** An error after the journal was written, such as a disk that fails to answer, does not make the rollback undone. */
async function writeJournalSurely(project: Project, journal: FinishedRollback): Promise<void> {
  try {
    await writeJournal(project, journal);
  } catch (error) {
    if (!(await isJournaled(project, journal.record.id))) throw error;
  }
}

function tidy(...steps: readonly (() => void)[]): string[] {
  return steps.flatMap((step) => {
    try {
      step();
      return [];
    } catch (error) {
      return [(error as Error).message];
    }
  });
}

/** What would be done. Changes nothing. */
export async function planFor(
  project: Project,
  order: Pick<RollbackOrder, "target" | "scope" | "sessionId" | "entry">,
  distrusted?: ReadonlySet<string>,
): Promise<PlannedRollback> {
  const { target, scope, sessionId } = order;
  const options = { putThereBy: await putThereBy(project, order), sessionId };
  return planRollback(project, target, scope, {
    ...options,
    ...(distrusted === undefined ? {} : { distrusted }),
  });
}

/**
 * The plan, and a capture that holds every byte of what the plan touches: whatever was taken on trust for it is read, and captured
 * again from the disk where it is not whole.
 */
async function planSurely(
  project: Project,
  order: RollbackOrder,
): Promise<PlannedRollback & { readonly distrusted: ReadonlySet<string> }> {
  const planned = await planFor(project, order);
  try {
    const distrusted = await damagedFor(project, planned);
    if (distrusted.size === 0) return { ...planned, distrusted };
    planned.capture.discard();
    const again = await planFor(project, order, distrusted);
    if ((await damagedFor(project, again)).size === 0) return { ...again, distrusted };
    again.capture.discard();
    throw savedMeanwhile();
  } catch (error) {
    planned.capture.discard();
    throw error;
  }
}

function damagedFor(
  project: Project,
  { plan, capture }: PlannedRollback,
): Promise<ReadonlySet<string>> {
  const paths = [...touchedPaths(plan.files), ...(plan.task?.paths ?? [])];
  return project.workTree.damagedIn(capture, paths, () => stopIfAsked(project));
}

/** For undo and redo: what the rollback that is taken back had gone to. */
async function putThereBy(
  project: Project,
  { entry }: Pick<RollbackOrder, "entry">,
): Promise<CheckpointDocument | undefined> {
  if (entry === undefined) return undefined;
  const stored = await project.checkpoints.read(entry.to_id);
  return stored?.kind === "ok" ? stored.document : undefined;
}

const NO_COMMITS: ReadonlySet<string> = new Set();

/** Returns the commits that the user saw leaving a branch and agreed to. */
async function askFirst(
  project: Project,
  order: RollbackOrder,
  mayBeEmpty: boolean,
): Promise<ReadonlySet<string>> {
  const planned = await planFor(project, order);
  const { plan } = planned;
  let expected: boolean;
  try {
    if (plan.isEmpty && mayBeEmpty) return NO_COMMITS;
    expected = await isAsLeft(project, order, planned);
  } finally {
    planned.capture.discard();
  }
  if (!(await order.confirm(plan, expected, order.undoes))) {
    throw cancelled();
  }
  return new Set(plan.leaving.map(({ commit }) => commit));
}

/** For undo and redo: nothing was done since the rollback that is taken back, so nothing else goes with it. */
export async function isAsLeft(
  project: Project,
  order: Pick<RollbackOrder, "scope" | "sessionId" | "entry">,
  planned: PlannedRollback,
): Promise<boolean> {
  const { entry, scope } = order;
  if (entry === undefined) return true;
  if (planned.plan.leavesNewWork) return false;
  const touched = new Set(touchedPaths(planned.plan.files));
  return (
    (await filesAreAsLeft(project, { entry, scope }, planned, (path) => touched.has(path))) &&
    (await partsAreAsLeft(project, order, entry))
  );
}

/** An undo of some files reverts what was changed in these only. */
export async function filesAreAsLeft(
  project: Project,
  { entry, scope }: { readonly entry: UndoEntry; readonly scope: RollbackScope },
  { capture, sameness }: Pick<PlannedRollback, "capture" | "sameness">,
  isTouched = (path: BytePath): boolean =>
    scope.paths?.some((folder) => isInside(path, folder)) !== false,
): Promise<boolean> {
  if (entry.result === sameness || scope.stateOnly === true || scope.databaseOnly === true) {
    return true;
  }
  if (!scope.filesOnly && scope.paths === null) return false;
  const stored = await project.checkpoints.read(entry.to_id);
  if (stored?.kind !== "ok") return false;
  const { changes } = await project.workTree.compare(capture, stored.document);
  return changes.every(({ path, before, target }) => !isTouched(path) || sameFile(before, target));
}

/** Nothing beside the work tree changed since the rollback that is taken back. */
async function partsAreAsLeft(
  project: Project,
  { scope, sessionId }: Pick<RollbackOrder, "scope" | "sessionId">,
  entry: UndoEntry,
): Promise<boolean> {
  const stored = await project.checkpoints.read(entry.to_id);
  if (stored?.kind !== "ok") return true;
  const held = partsInScope(project, stored.document, scope);
  const now = await previewParts(project, sessionId, held, scope);
  return (
    now.every(({ preview }) => preview.changes.length === 0) &&
    (await taskIsAsLeft(project, stored.document, scope))
  );
}

/** To undo or redo with nothing done since is to go where the user already was: no commit is at stake that is new. */
export function refuseLosingCommits(
  plan: RollbackPlan,
  order: Pick<RollbackOrder, "entry" | "discardCommits">,
  sameness: string,
  agreedTo: ReadonlySet<string> = NO_COMMITS,
): void {
  const isWayBack =
    order.entry !== undefined && order.entry.result === sameness && !plan.leavesNewWork;
  const isAgreed = plan.leaving.every(({ commit }) => agreedTo.has(commit));
  if (order.discardCommits || isWayBack || isAgreed) return;
  const [first] = plan.leaving;
  const count = plan.leaving.length;
  throw new Failure(
    "commits_would_leave",
    `${count} ${count === 1 ? "commit" : "commits"} would be dropped from ${shortBranch(first?.branch ?? "")}: ` +
      plan.leaving
        .slice(0, 5)
        .map((commit) => `${commit.commit.slice(0, 8)} ${commit.subject}`)
        .join(", "),
    {
      hint:
        "Add --discard-commits (the commits are kept in the safety checkpoint)" +
        (order.entry === undefined ? ", or --keep-head to leave the branch where it is." : "."),
      details: { commits: plan.leaving },
    },
  );
}

interface ToHold {
  readonly capture: Capture;
  readonly distrusted: ReadonlySet<string>;
  readonly parts: readonly HeldPart[];
}

async function takeSafety(
  project: Project,
  order: RollbackOrder,
  plan: RollbackPlan,
  { capture, distrusted, parts }: ToHold,
): Promise<CheckpointDocument> {
  const moves = plan.head?.move ? [...plan.refs, plan.head.move] : plan.refs;
  const { checkpoint, gitSameness } = await createCheckpoint(project, {
    trigger: "pre_rollback",
    sessionId: order.sessionId,
    reason:
      order.undoes === undefined
        ? `before ${order.kind} to ${order.target.id}`
        : `before ${order.kind} of the rollback to ${order.undoes.id}`,
    force: true,
    capture,
    distrusted,
    partsLike: parts,
    ...(plan.task?.isRestored === true ? { holdsTask: plan.task.snapshot.id } : {}),
    include: new Set(touchedPaths(plan.files)),
    keepAlive: moves.flatMap((move) => move.from ?? []),
    refs: Object.fromEntries(moves.map((move) => [move.name, move.from])),
  });
  if (gitSameness !== capture.sameness) throw savedMeanwhile();
  return checkpoint;
}

/** What was agreed to is what the safety checkpoint holds; from then on parts exchange nothing else. */
async function refuseMovedParts(
  project: Project,
  { sessionId, scope }: RollbackOrder,
  plan: RollbackPlan,
  held: readonly HeldPart[],
): Promise<void> {
  const now = await previewParts(project, sessionId, held, scope);
  if (now.every(({ preview }, at) => preview.now === plan.parts[at]?.preview.now)) return;
  throw savedMeanwhile();
}

function savedMeanwhile(): Failure {
  return new Failure("repository_busy", "the project changed while it was being saved", {
    hint: "Run the command again; nothing was changed.",
  });
}

function indexOrder({ target, scope, isPartial }: RollbackPlan) {
  if (scope.filesOnly) return { kind: "none" as const };
  if (!isPartial) return { kind: "all" as const };
  const covers = coverageOf(target, scope);
  return { kind: "some" as const, covers: (path: BytePath) => covers(path, false) };
}

async function afterFailure(
  project: Project,
  { restore, parts, task }: UnderWay,
  error: unknown,
): Promise<unknown> {
  let keptParts: readonly PartKept[];
  try {
    restore.makeRoom();
    await task.takeBack();
    keptParts = await parts.takeBack();
  } catch (failed) {
    restore.leave();
    return failed;
  }
  const foreign = await restore.takeBack();
  const failure = failureAfterwards(project, error);
  if (!(failure instanceof Failure)) return failure;
  return withKept(failure, [
    ...foreign.map(({ path, keptAt }) => ({ what: showPath(path), where: keptAt })),
    ...keptParts.map(({ what, reason }) => ({ what, where: reason })),
  ]);
}

function failureAfterwards(project: Project, error: unknown): unknown {
  if (isDatabaseTrouble(error)) return withFilesAlone(error);
  // A git that was interrupted with us fails in its own words.
  if (project.interruption.isAsked && error instanceof Failure) return interrupted(error);
  if (!(error instanceof Failure) || error.code !== "restore_failed") return error;
  return new Failure("restore_failed", `${error.message}. All changes were reverted.`, {
    hint: error.hint,
    details: { ...error.details, kept: [] },
    cause: error,
  });
}

const MOST_NAMED = 5;

/** What the way back found saved by somebody else, and did not put back. */
function withKept(
  failure: Failure,
  kept: readonly { readonly what: string; readonly where: string }[],
): Failure {
  if (kept.length === 0) return failure;
  const saves = kept.map(({ what, where }) => `${what} (${where})`);
  const more = saves.length > MOST_NAMED ? `, and ${saves.length - MOST_NAMED} more` : "";
  return new Failure(failure.code, failure.message, {
    hint: `${failure.hint} Saved by other programs meanwhile and kept: ${saves.slice(0, MOST_NAMED).join(", ")}${more}.`,
    details: { ...failure.details, kept: kept.map(({ what }) => what) },
    cause: failure.cause,
  });
}

const DATABASE_TROUBLE: readonly FailureCode[] = [
  "database_failed",
  "database_busy",
  "tool_missing",
];

function isDatabaseTrouble(error: unknown): error is Failure {
  return error instanceof Failure && DATABASE_TROUBLE.includes(error.code);
}

/** A server that is down must not keep anybody from their files. */
function withFilesAlone(failure: Failure): Failure {
  return new Failure(failure.code, `${failure.message}. Nothing was changed.`, {
    hint: `${failure.hint} Or restore the files without the database: add --files-only.`,
    details: failure.details,
    cause: failure,
  });
}
