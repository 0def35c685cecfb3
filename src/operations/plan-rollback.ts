/** Works out what a rollback would do. Reads the project, changes nothing. */
import { shortBranch } from "../domain/branch-name.ts";
import { ancestorsOf, isInside, parsePath, showPath, type BytePath } from "../domain/byte-path.ts";
import {
  gitPartOf,
  isPlain,
  sameIndex,
  type CheckpointDocument,
  type Exclusion,
  type ExclusionReason,
  type GitPart,
  type Operation,
} from "../domain/checkpoint.ts";
import { Failure } from "../domain/failure.ts";
import { holdsProgress, stateEntry } from "../domain/parts.ts";
import { scopeFilter } from "../domain/scope.ts";
import { planHead, planRefs, type HeadPlan, type RefMove } from "../domain/head-plan.ts";
import { labelsBack } from "../domain/task.ts";
import {
  isEmptyPlan,
  notRestored,
  planFiles,
  touchedPaths,
  type FilePlan,
  type NotRestored,
} from "../domain/rollback-plan.ts";
import { restoredWorkflow } from "../domain/workflow/held-workflow.ts";
import { NO_PROGRESS } from "../domain/workflow/progress.ts";
import { stepChange, type StepChange } from "../domain/workflow/step-change.ts";
import type { LeavingCommit } from "../ports/branches.ts";
import type { Capture, Comparison } from "../ports/work-tree.ts";
import { broughtUnseen, judgeBrought } from "./brought-by-rollback.ts";
import { readingCheckpoint } from "./find-checkpoint.ts";
import { filesOfDatabases, partsInScope, previewParts, type PlannedPart } from "./part-work.ts";
import { whyProgressStays, withProgressKept } from "./progress-stays.ts";
import type { Project } from "./project.ts";
import { removedHooks, type RemovedHooks } from "./removed-hooks.ts";
import { isAsItWas, planTask, type PlannedTask } from "./rollback-task.ts";
import { stopIfAsked } from "./stop-if-asked.ts";

export interface RollbackScope {
  readonly filesOnly: boolean;
  readonly keepHead: boolean;
  /** Only these paths; null: everything. */
  readonly paths: readonly BytePath[] | null;
  /** Only the workflow's state. */
  readonly stateOnly?: boolean;
  /** Only its databases. */
  readonly databaseOnly?: boolean;
  /** Leave the task of Backlog.md as it is. */
  readonly keepTask?: boolean;
  /** For undo and redo: the scope of the rollback that is taken back. Otherwise that of the target counts. */
  readonly patterns?: readonly string[] | null;
  /** Also these, whatever the rest says. */
  readonly beside?: readonly BytePath[];
}

export const ONLY_STATE: RollbackScope = {
  filesOnly: true,
  keepHead: true,
  paths: [],
  stateOnly: true,
};

export const ONLY_DATABASE: RollbackScope = {
  filesOnly: true,
  keepHead: true,
  paths: [],
  databaseOnly: true,
};

export interface RollbackPlan {
  readonly target: CheckpointDocument;
  readonly scope: RollbackScope;
  /** Patterns that the rollback is limited to; null: none. */
  readonly patterns: readonly string[] | null;
  /** Files only or some files only: HEAD, refs, the operation and the line of the session stay. */
  readonly isPartial: boolean;
  readonly files: FilePlan;
  readonly head: HeadPlan | null;
  readonly refs: readonly RefMove[];
  readonly restoresIndex: boolean;
  /** Whether what is staged differs; the index file differs more often, as git keeps the stat data of files there. */
  readonly restoresStaged: boolean;
  readonly restoresOperation: boolean;
  /** What is in progress, or was at the checkpoint, is another and stays out of it: with `--keep-head`, where HEAD is another. */
  readonly leavesOperation: boolean;
  /** What is in progress now. */
  readonly operationNow: Operation;
  readonly leaving: readonly LeavingCommit[];
  /** For undo and redo: some of them are of a branch that is not where the rollback had left it. */
  readonly leavesNewWork: boolean;
  /** What changes beside the work tree. */
  readonly parts: readonly PlannedPart[];
  /** Undefined: there is none, or it is not asked for. */
  readonly task: PlannedTask | undefined;
  /** Logs of databases that go with them, in and out of the scope. */
  readonly beside: readonly BytePath[];
  /** One side is a plain folder and the other a git work tree: only files are restored. */
  readonly overBorder: boolean;
  /** What no checkpoint holds, here or there: secrets, files that are too large. It stays as it is, whatever was done to it. */
  readonly notRestored: readonly NotRestored[];
  /** Null: the progress of no session is restored, or it has no steps. */
  readonly steps: StepChange | null;
  /** Files from which Waymark's hooks of an agent disappear. */
  readonly removedHooks: readonly RemovedHooks[];
  /** Nothing at all would change. */
  readonly isEmpty: boolean;
}

export interface PlannedRollback {
  readonly plan: RollbackPlan;
  /** The moment that the plan was made for; it holds every path that the plan touches. */
  readonly capture: Capture;
  /** What the project looks like by the usual rules, without the paths that this plan needs besides. */
  readonly sameness: string;
}

/** Paths that stand in the way of others turn up one after the other, but there are not many kinds of them. */
const ROUNDS = 5;

export async function planRollback(
  project: Project,
  target: CheckpointDocument,
  scope: RollbackScope,
  {
    putThereBy,
    sessionId = target.session_id,
    distrusted,
  }: {
    /** For undo and redo: what the rollback that is taken back had gone to. */
    readonly putThereBy?: CheckpointDocument | undefined;
    /** The session that is rolled back. */
    readonly sessionId?: string;
    /** Objects that are missing or damaged: the capture holds them anew. */
    readonly distrusted?: ReadonlySet<string>;
  } = {},
): Promise<PlannedRollback> {
  await readingCheckpoint(project, target, () => project.checkpoints.refuseHarmful(target));
  const previews = await previewParts(
    project,
    sessionId,
    partsInScope(project, target, scope, putThereBy),
    scope,
  );
  const parts = await withProgressKept(project, target, sessionId, previews);
  const include = new Set<BytePath>();
  /** Held too, and nothing that would be removed for it. */
  const alsoHeld = new Set<BytePath>();
  const inDatabases = filesOfDatabases(partsInScope(project, target, scope));
  const task = await planTask(project, target, scope);
  const ofTask = new Set(task?.paths);
  const isCovered = coverageOf(target, scope);
  const beside = new Set(scope.beside);
  /** Logs of databases that are none of ours. */
  const apart = new Set<BytePath>();
  const covers = (path: BytePath, isFolder: boolean): boolean =>
    !inDatabases.has(path) &&
    !apart.has(path) &&
    (isCovered(path, isFolder) || beside.has(path)) &&
    (task?.isRestored !== false || !ofTask.has(path));
  let brought: ReadonlyMap<BytePath, ExclusionReason> | undefined;
  let sameness: string | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    const capture = await project.workTree.capture({
      policy: project.policy,
      include: new Set([...include, ...alsoHeld]),
      leaveOut: inDatabases,
      ...(distrusted === undefined ? {} : { distrusted }),
      readMapped: true,
      stopIfAsked: () => stopIfAsked(project),
    });
    sameness ??= capture.sameness;
    try {
      if (brought === undefined) {
        brought = await broughtUnseen(project, capture, putThereBy);
        if (brought.size > 0) {
          for (const path of brought.keys()) include.add(path);
          capture.discard();
          continue;
        }
      }
      const comparison = await readingCheckpoint(project, target, () =>
        project.workTree.compare(capture, target),
      );
      const { ours, foreign } = await judgeBrought(project, brought, putThereBy, comparison);
      const removable = new Set([...include, ...ours].filter((path) => !foreign.has(path)));
      const files = await planTheFiles(comparison, covers, removable, foreign);
      const coming = [...files.write.map((step) => step.path), ...files.makeFolders.keys()];
      const inTheWay = [...comparison.inTheWay(coming), ...leavingBelow(coming, parts)].filter(
        (path) => !include.has(path),
      );
      const unheld = (await unheldOf(project, target, comparison, task)).filter(
        (path) => !include.has(path) && !alsoHeld.has(path),
      );
      const changing = [...files.write, ...files.remove].map(({ path }) => path);
      const logs = comparison.logsBeside(changing).filter((path) => !beside.has(path));
      const foreignLogs = await logsOfUnheld(comparison, changing);
      for (const path of foreignLogs) apart.add(path);
      if (inTheWay.length + unheld.length + logs.length + foreignLogs.length === 0) {
        const known = withoutTaken(files, [...takenAwayBy(parts), ...alsoHeld]);
        // Copies have left out more than the work tree.
        const atTarget = [...comparison.excludedAtTarget, ...target.coverage.excluded];
        const leftOut = { atTarget, now: capture.details.excluded };
        const left = notRestored(known, leftOut, covers, (path) => comparison.isMissing(path));
        const more = {
          parts,
          task,
          putThereBy,
          beside: [...beside],
          notRestored: left,
          steps: await planSteps(project, target, scope, sessionId),
        };
        const plan = await complete(project, target, scope, known, capture, more);
        return { capture, plan, sameness };
      }
      for (const path of [...inTheWay, ...logs]) include.add(path);
      for (const path of logs) beside.add(path);
      for (const path of unheld) alsoHeld.add(path);
      capture.discard();
    } catch (error) {
      capture.discard();
      throw error;
    }
  }
  throw new Failure("repository_busy", "the project kept changing while the rollback was planned", {
    hint: "Stop the program that writes to it, then run the command again.",
  });
}

/** A database that no rule captures stays, and its log with it, although that one is captured. */
async function logsOfUnheld(
  comparison: Comparison,
  paths: readonly BytePath[],
): Promise<BytePath[]> {
  const alone = comparison.logsWithoutFile(paths);
  if (alone.size === 0) return [];
  const ignored = await comparison.protect([...alone.values()]);
  return [...alone].flatMap(([log, file]) =>
    ignored.has(file) || comparison.unknownAtTarget(file) !== undefined ? [log] : [],
  );
}

/** Copied files that another part takes away, in folders that have to make room for files. */
function leavingBelow(coming: readonly BytePath[], parts: readonly PlannedPart[]): BytePath[] {
  const files = new Set(coming);
  return takenAwayBy(parts).filter((path) => ancestorsOf(path).some((above) => files.has(above)));
}

function takenAwayBy(parts: readonly PlannedPart[]): BytePath[] {
  return parts
    .flatMap(({ part, preview }) => (part.type === "file_backup" ? preview.changes : []))
    .filter(({ operation }) => operation === "removed")
    .map(({ what }) => parsePath(what));
}

/** Files of the task that no rule captures, such as ignored ones: they are changed after the others, and have to be held. */
async function unheldOf(
  project: Project,
  target: CheckpointDocument,
  comparison: Comparison,
  task: PlannedTask | undefined,
): Promise<BytePath[]> {
  if (task?.isRestored !== true) return [];
  const found = new Set(comparison.inTheWay(task.paths));
  const unknown = task.paths.filter((path) => found.has(path));
  // What is the same now and then is no change, and held.
  const same = new Set(await project.workTree.pathsIn(target, unknown));
  return unknown.filter((path) => !same.has(path));
}

/** What another part takes away, or the task is about, is not what stays. */
function withoutTaken(files: FilePlan, others: readonly BytePath[]): FilePlan {
  const taken = new Set(others);
  return { ...files, keep: files.keep.filter(({ path }) => !taken.has(path)) };
}

/** Which paths a rollback may touch. */
export function coverageOf(
  target: CheckpointDocument,
  scope: RollbackScope,
): (path: BytePath, isFolder: boolean) => boolean {
  const filter = scopeFilter(patternsOf(target, scope));
  const { paths } = scope;
  return (path, isFolder) =>
    (filter === undefined || filter.covers(path, isFolder)) &&
    (paths === null || paths.some((part) => isInside(path, part)));
}

function patternsOf(target: CheckpointDocument, scope: RollbackScope): readonly string[] | null {
  return scope.patterns ?? target.scope?.files ?? null;
}

/** HEAD, refs, the operation and the line of the session stay. */
export function isPartial(target: CheckpointDocument, scope: RollbackScope): boolean {
  return scope.filesOnly || scope.paths !== null || patternsOf(target, scope) !== null;
}

async function planTheFiles(
  comparison: Comparison,
  inScope: (path: BytePath, isFolder: boolean) => boolean,
  /** Not protected: in the way of a file that comes back, or put there by the rollback that is taken back. */
  removable: ReadonlySet<BytePath>,
  /** Of what was put there: what stays all the same. */
  foreign: ReadonlyMap<BytePath, ExclusionReason>,
): Promise<FilePlan> {
  const input = {
    ...comparison,
    unknownAtTarget: (path: BytePath) =>
      foreign.get(path) ?? (removable.has(path) ? undefined : comparison.unknownAtTarget(path)),
    inScope,
  };
  const unprotected = planFiles({ ...input, protectedFromRemoval: new Map() });
  const candidates = unprotected.remove
    .map((step) => step.path)
    // These go even if they are ignored: the safety checkpoint holds them.
    .filter((path) => !removable.has(path));
  const protectedFromRemoval = await comparison.protect(candidates);
  if (protectedFromRemoval.size === 0) return unprotected;
  return planFiles({ ...input, protectedFromRemoval });
}

async function complete(
  project: Project,
  target: CheckpointDocument,
  scope: RollbackScope,
  files: FilePlan,
  capture: Capture,
  {
    parts,
    task,
    beside,
    notRestored: left,
    steps,
    putThereBy,
  }: Pick<RollbackPlan, "parts" | "task" | "beside" | "notRestored" | "steps"> & {
    readonly putThereBy: CheckpointDocument | undefined;
  },
): Promise<RollbackPlan> {
  const isWayBack = putThereBy !== undefined;
  // Over that border there is nothing to go back to but files: HEAD, branches, index and operation stay.
  const overBorder = isPlain(target.git) !== isPlain(capture.git);
  const partial = isPartial(target, scope) || overBorder;
  const head =
    partial || scope.keepHead ? null : await planTheHead(project, target, capture, isWayBack);
  // A merge or rebase is about the HEAD that it began at: with another one, ending it would move the branch that is to stay.
  const isAtHead =
    capture.git.branch === target.git.branch && capture.git.commit === target.git.commit;
  const operationStays = scope.keepHead && !isAtHead;
  const refs =
    partial || operationStays ? [] : await planTheRefs(project, target, scope, head, isWayBack);
  const leaving: LeavingCommit[] = [];
  let leavesNewWork = false;
  for (const move of head?.move ? [head.move, ...refs] : refs) {
    if (move.from === null || !move.name.startsWith("refs/heads/")) continue;
    const commits = await project.branches.leaving(move.name, move.from, move.to ?? undefined);
    // Branches that a rebase moves together have most of them in common.
    const named = new Set(leaving.map(({ commit }) => commit));
    leaving.push(...commits.filter(({ commit }) => !named.has(commit)));
    // Of the branch that HEAD is on, the sameness of the project tells.
    const isKnown = move.name === capture.git.branch || isWhere(putThereBy, move.name, move.from);
    if (commits.length > 0 && !isKnown) leavesNewWork = true;
  }
  const part = gitPartOf(target);
  const restoresIndex =
    !scope.filesOnly && !overBorder && part !== undefined && indexDiffers(files, capture, part);
  const hasOtherOperation = !partial && part?.operation !== capture.part.operation;
  const restoresOperation = hasOtherOperation && !operationStays;
  return {
    target,
    scope,
    patterns: patternsOf(target, scope),
    isPartial: partial,
    files,
    head,
    refs,
    restoresIndex,
    restoresStaged: restoresIndex && stagedDiffers(capture, target, part),
    restoresOperation,
    leavesOperation: hasOtherOperation && operationStays,
    operationNow: capture.git.operation,
    leaving,
    leavesNewWork,
    parts,
    task,
    beside,
    overBorder,
    notRestored: left,
    steps,
    removedHooks: await removedHooks(project, target, files),
    isEmpty:
      (task === undefined || isAsItWas(task)) &&
      parts.every(({ preview }) => preview.changes.length + preview.kept.length === 0) &&
      isEmptyPlan(files) &&
      head === null &&
      refs.length === 0 &&
      !restoresIndex &&
      !restoresOperation,
  };
}

/** In words, for people; null: nothing is left out. */
export function operationLeft({
  leavesOperation,
  operationNow,
  target,
}: RollbackPlan): string | null {
  if (!leavesOperation) return null;
  const then = target.git.operation;
  const stays = operationNow === "none" ? "" : `the ${operationNow} in progress stays`;
  const missing = then === "none" ? "" : `the ${then} of the checkpoint is not restored`;
  const what = [stays, missing].filter((part) => part !== "").join(", and ");
  return `${what === "" ? "what is in progress stays" : what}: HEAD differs from the checkpoint`;
}

/** Whether a rollback to the checkpoint puts the branch there. */
function isWhere(target: CheckpointDocument | undefined, branch: string, tip: string): boolean {
  if (target === undefined) return false;
  const { git } = target;
  return git.refs[branch] === tip || (git.branch === branch && git.commit === tip);
}

/**
 * Where files come back, the index comes back as the very file it was: its record of their sizes is what keeps git
 * from calling a file with converted line ends modified.
 */
function indexDiffers(files: FilePlan, capture: Capture, part: GitPart): boolean {
  if (!sameIndex(capture.part, part)) return true;
  return files.write.length > 0 && capture.part.index_raw !== part.index_raw;
}

/** An index that is that of HEAD on both sides follows HEAD. */
function stagedDiffers(
  capture: Capture,
  { git }: CheckpointDocument,
  part: GitPart | undefined,
): boolean {
  if (part === undefined || sameIndex(capture.part, part)) return false;
  const count = ({ staged, conflicted }: CheckpointDocument["git"]["stats"]): number =>
    staged + conflicted;
  const isFollowing = capture.part.index_flags === part.index_flags;
  return !isFollowing || count(capture.git.stats) + count(git.stats) > 0;
}

async function planTheHead(
  project: Project,
  target: CheckpointDocument,
  capture: Capture,
  /** Of an undo or redo. */
  isWayBack: boolean,
): Promise<HeadPlan | null> {
  const branch = target.git.detached ? null : target.git.branch;
  const tip = branch === null ? undefined : await project.branches.tip(branch);
  const now = { branch: capture.git.branch, commit: capture.git.commit };
  const head = planHead(now, target.git, tip ?? null);
  if (head === null || branch === null) return head;
  // Two work trees were on it before; that nothing of it moves is all that the other one needs.
  if (isWayBack && head.move === null) return head;
  await refuseInUse(project, branch, isWayBack);
  if (head.move !== null) await refuseUnmakeable(project, head.move, isWayBack);
  return head;
}

async function refuseInUse(project: Project, branch: string, isWayBack: boolean): Promise<void> {
  const found = await project.branches.inUseElsewhere(branch);
  if (found === undefined) return;
  const { folder, use } = found;
  const way =
    use === "checked out"
      ? "switch that work tree to another branch"
      : `finish or abort the ${use === "being rebased" ? "rebase" : "bisect"} there`;
  throw new Failure("branch_in_use", `the branch ${branch} is ${use} in ${folder}`, {
    hint: isWayBack
      ? `${way[0]?.toUpperCase()}${way.slice(1)}, then run the command again. Nothing was changed.`
      : `Use --keep-head to leave branches alone, or ${way}.`,
  });
}

async function refuseUnmakeable(
  project: Project,
  { name, from, to }: RefMove,
  isWayBack: boolean,
): Promise<void> {
  if (from !== null || to === null) return;
  const found = await project.branches.inTheWayOf(name);
  if (found === undefined) return;
  const other = shortBranch(found);
  throw new Failure(
    "obstructed",
    `the branch ${shortBranch(name)} cannot be created: git does not allow it next to ${other}`,
    {
      hint: `Rename or delete ${other}${isWayBack ? "" : ", or use --keep-head to leave branches alone"}. Nothing was changed.`,
    },
  );
}

async function planTheRefs(
  project: Project,
  target: CheckpointDocument,
  scope: RollbackScope,
  head: HeadPlan | null,
  isWayBack: boolean,
): Promise<RefMove[]> {
  const now = new Map(await project.branches.operationRefs());
  for (const name of Object.keys(target.git.refs)) {
    const tip = await project.branches.tip(name);
    if (tip !== undefined) now.set(name, tip);
  }
  const own = new Set([head?.move?.name, head === null ? undefined : head.to.branch]);
  const moves = planRefs(now, target.git.refs).filter(
    (move) => !own.has(move.name) && !(scope.keepHead && move.name.startsWith("refs/heads/")),
  );
  for (const move of moves) {
    if (!move.name.startsWith("refs/heads/")) continue;
    await refuseInUse(project, move.name, isWayBack);
    await refuseUnmakeable(project, move, isWayBack);
  }
  return moves;
}

/** Without sizes: they are those of then. */
export function notRestoredDocument({
  notRestored: left,
}: RollbackPlan): (Pick<Exclusion, "path" | "reason" | "detail"> & { readonly missing?: true })[] {
  return left.map(({ path, reason, detail, isMissing }) => ({
    path,
    reason,
    ...(detail === undefined ? {} : { detail }),
    ...(isMissing ? { missing: true } : {}),
  }));
}

export function planSummary(plan: RollbackPlan): Record<string, unknown> {
  return {
    target_id: plan.target.id,
    write: plan.files.write.map((step) => ({
      path: showPath(step.path),
      operation: step.before === null ? "restore" : "change",
    })),
    remove: plan.files.remove.map((step) => showPath(step.path)),
    mode: plan.files.mode.map((step) => showPath(step.path)),
    keep: plan.files.keep.map((kept) => ({ path: showPath(kept.path), reason: kept.reason })),
    not_restored: notRestoredDocument(plan),
    make_folders: [...plan.files.makeFolders.keys()].map(showPath),
    remove_folders: plan.files.removeFolders.map(showPath),
    head: plan.head,
    refs: plan.refs,
    index: plan.restoresIndex,
    operation: plan.restoresOperation,
    operation_left: operationLeft(plan),
    parts: plan.parts.map(({ part, preview }) => ({
      type: part.type,
      changes: preview.changes,
      kept: preview.kept,
    })),
    task: plan.task === undefined ? null : taskSummary(plan.task),
    commits_leaving: plan.leaving,
    steps: stepsDocument(plan.steps),
    hooks_removed: plan.removedHooks.map(({ agent, path }) => ({ agent, path: showPath(path) })),
    touched: touchedPaths(plan.files).length,
  };
}

function stepsDocument(steps: StepChange | null) {
  if (steps === null) return null;
  const { from, to, next, discards } = steps;
  return {
    from_step: from.step,
    from_phase: from.phase,
    to_step: to.step,
    to_phase: to.phase,
    next_step: next,
    discards: discards === null ? null : { first: discards[0], last: discards[1] },
  };
}

/** Of the session whose progress is restored. */
async function planSteps(
  project: Project,
  target: CheckpointDocument,
  scope: RollbackScope,
  sessionId: string,
): Promise<StepChange | null> {
  const held = partsInScope(project, target, scope).find(({ part }) => holdsProgress(part));
  if (held === undefined || (await whyProgressStays(project, target, sessionId)) !== undefined) {
    return null;
  }
  const session = (await project.sessions.read(sessionId))?.document;
  const read = (): Promise<Buffer> => held.read(stateEntry("workflow"));
  const bytes = await readingCheckpoint(project, target, read);
  const then = restoredWorkflow(JSON.parse(bytes.toString("utf8")))?.progress;
  if (then === undefined) return null;
  const now = session?.workflow ?? NO_PROGRESS;
  return stepChange(now, then, target, session?.definition !== undefined);
}

function taskSummary({
  isRestored,
  snapshot: then,
  now,
  changes,
}: PlannedTask): Record<string, unknown> {
  const before = now.kind === "found" ? now.task : undefined;
  const after = isRestored ? then : before;
  return {
    id: then.id,
    status_before: before?.status ?? null,
    status_after: after?.status ?? null,
    labels_before: before?.labels ?? null,
    labels_after:
      after === undefined ? null : labelsBack(before?.labels ?? after.labels, after.labels),
    folder_before: before?.folder ?? null,
    folder_after: after?.folder ?? null,
    changes,
    problem: now.kind === "unreadable" ? now.problem : null,
  };
}
