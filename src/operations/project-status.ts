/** Where the project is: the last checkpoint, what changed since, what undo and redo would do, what was interrupted. Changes nothing. */
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import { Failure } from "../domain/failure.ts";
import type { SessionDocument } from "../domain/session.ts";
import { isOfProcess, phaseOf } from "../domain/workflow/progress.ts";
import { mayBecome } from "../domain/workflow/session-status.ts";
import type { CheckedOut, OperationInProgress } from "../ports/branches.ts";
import type { DiffSummary } from "../ports/differ.ts";
import type { Unfinished } from "../ports/restorer.ts";
import type { Capture } from "../ports/work-tree.ts";
import { listCheckpoints } from "./list-checkpoints.ts";
import { filesOfDatabases, partsInScope } from "./part-work.ts";
import type { Project } from "./project.ts";
import { filesAreAsLeft } from "./roll-back.ts";
import { currentSummary, type SessionSummary } from "./session-summary.ts";
import { undoTarget } from "./undo.ts";
import { lookForUnfinished } from "./unfinished-rollback.ts";

export interface ProjectStatus {
  readonly place: CheckedOut;
  readonly operation: OperationInProgress | undefined;
  /** The one that was started here and can continue. */
  readonly session: SessionSummary | undefined;
  readonly stopped: StoppedWork | undefined;
  readonly checkpoints: number;
  /** Those of them that are known to be damaged. */
  readonly damaged: number;
  /** Those that a newer Waymark wrote. */
  readonly newer: number;
  readonly last: CheckpointDocument | undefined;
  /** From the last checkpoint to now; undefined: there is none, or it cannot be read. */
  readonly changed: ChangedSince | undefined;
  readonly undo: NextStep | undefined;
  readonly redo: NextStep | undefined;
  readonly unfinished: Unfinished | undefined;
}

/** Work of the session that no process does, and that `resume` continues. */
export interface StoppedWork {
  readonly kind: "failed" | "interrupted" | "paused";
  readonly phase: string | null;
}

export interface ChangedSince extends DiffSummary {
  /** That HEAD has and had not then. */
  readonly commits: number;
}

export interface NextStep {
  /** The rollback that undo reverts, or that redo repeats. */
  readonly rollbackId: string;
  /** What the project would be like. */
  readonly target: CheckpointDocument;
  /** The checkpoint that the rollback went to, as `undo` names it. */
  readonly wentTo: string;
  readonly doneAt: string | undefined;
  /** The project was changed since, and those changes would go with it. */
  readonly revertsLaterWork: boolean;
}

export async function projectStatus(
  project: Project,
  tell: (message: string) => void,
): Promise<ProjectStatus> {
  const unfinished = lookForUnfinished(project, tell);
  const { checkpoints } = await listCheckpoints(project, {});
  const current = checkpoints.find((listed) => listed.kind === "ok" && listed.standing.valid);
  const last = current?.kind === "ok" ? current.document : undefined;
  const session = await startedSession(project);
  const capture =
    last === undefined ? undefined : await project.workTree.capture({ policy: project.policy });
  try {
    return {
      place: await project.branches.current(),
      operation: await project.branches.operation(),
      session: session && (await currentSummary(project, session)),
      stopped: session && stoppedWork(project, session),
      checkpoints: checkpoints.length,
      damaged: checkpoints.filter(
        (listed) =>
          listed.kind === "damaged" || (listed.kind === "ok" && listed.damage !== undefined),
      ).length,
      newer: checkpoints.filter(({ kind }) => kind === "newer").length,
      last,
      changed: capture && last && (await changedSince(project, last, capture)),
      undo: await nextStep(project, "undo", capture),
      redo: await nextStep(project, "redo", capture),
      unfinished,
    };
  } finally {
    capture?.discard();
  }
}

async function startedSession(project: Project): Promise<SessionDocument | undefined> {
  const id = project.currentSession.get();
  if (id === undefined) return undefined;
  const { sessions } = await project.sessions.listAll();
  const session = sessions.find(({ document }) => document.id === id)?.document;
  return session !== undefined && mayBecome(session.status, "active") ? session : undefined;
}

function stoppedWork(
  project: Project,
  { status, workflow, lease, last_error: error }: SessionDocument,
): StoppedWork | undefined {
  if (workflow === undefined || workflow.phases.length === 0) return undefined;
  const holder = lease?.holder ?? null;
  if (holder !== null && project.liveness.lifeOf(holder) !== "dead") return undefined;
  const phase = phaseOf(workflow, workflow.current_phase ?? "");
  if (status === "failed" || (status === "active" && phase?.status === "failed")) {
    return { kind: "failed", phase: error?.phase ?? workflow.current_phase };
  }
  if (status === "paused") return { kind: "paused", phase: workflow.current_phase };
  // A process that ends in order gives the session up.
  const isKilled = holder !== null || (phase !== undefined && isOfProcess(phase));
  if (status !== "interrupted" && !isKilled) return undefined;
  return { kind: "interrupted", phase: workflow.current_phase };
}

async function changedSince(
  project: Project,
  last: CheckpointDocument,
  capture: Capture,
): Promise<ChangedSince | undefined> {
  const [back] = await project.differ.summaries({ kind: "now", capture }, [last]);
  if (back === undefined) return undefined;
  const { commit } = capture.git;
  const commits =
    commit === null || commit === last.git.commit
      ? []
      : await project.branches.leaving("HEAD", commit, last.git.commit ?? undefined);
  return {
    files: back.files,
    added: back.removed,
    removed: back.added,
    commits: commits.length,
  };
}

/** Undefined: there is none, or what it needs is gone. */
async function nextStep(
  project: Project,
  kind: "undo" | "redo",
  capture: Capture | undefined,
): Promise<NextStep | undefined> {
  try {
    const { target, entry, undoes, doneAt, scope } = await undoTarget(project, undefined, kind);
    // Files that a database part restores are no part of what the rollback compared.
    const isComparable = filesOfDatabases(partsInScope(project, target, scope)).size === 0;
    return {
      rollbackId: entry.rollback_id,
      target,
      wentTo: undoes?.id ?? entry.to_id,
      doneAt,
      revertsLaterWork:
        isComparable &&
        capture !== undefined &&
        !(await filesAreAsLeft(project, { entry, scope }, { capture, sameness: capture.sameness })),
    };
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
