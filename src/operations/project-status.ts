/** Where the project is: the last checkpoint, what changed since, what undo and redo would do, what was interrupted. Changes nothing. */
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import { Failure } from "../domain/failure.ts";
import { isEnded } from "../domain/workflow/session-status.ts";
import type { CheckedOut } from "../ports/branches.ts";
import type { DiffSummary } from "../ports/differ.ts";
import type { Unfinished } from "../ports/restorer.ts";
import { listCheckpoints } from "./list-checkpoints.ts";
import type { Project } from "./project.ts";
import { currentSummary, type SessionSummary } from "./session-summary.ts";
import { undoTarget } from "./undo.ts";
import { lookForUnfinished } from "./unfinished-rollback.ts";

export interface ProjectStatus {
  readonly place: CheckedOut;
  /** The one that was started here and goes on. */
  readonly session: SessionSummary | undefined;
  readonly checkpoints: number;
  readonly last: CheckpointDocument | undefined;
  /** From the last checkpoint to now; undefined: there is none, or it cannot be read. */
  readonly changed: ChangedSince | undefined;
  readonly undo: NextStep | undefined;
  readonly redo: NextStep | undefined;
  readonly unfinished: Unfinished | undefined;
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
  /** The checkpoint that the rollback went to. */
  readonly wentTo: string;
}

export async function projectStatus(
  project: Project,
  tell: (message: string) => void,
): Promise<ProjectStatus> {
  const unfinished = lookForUnfinished(project, tell);
  const { checkpoints } = await listCheckpoints(project, {});
  const current = checkpoints.find((listed) => listed.kind === "ok" && listed.isCurrent);
  const last = current?.kind === "ok" ? current.document : undefined;
  return {
    place: await project.branches.current(),
    session: await startedSession(project),
    checkpoints: checkpoints.length,
    last,
    changed: last === undefined ? undefined : await changedSince(project, last),
    undo: await nextStep(project, "undo"),
    redo: await nextStep(project, "redo"),
    unfinished,
  };
}

async function startedSession(project: Project): Promise<SessionSummary | undefined> {
  const id = project.currentSession.get();
  if (id === undefined) return undefined;
  const { sessions } = await project.sessions.listAll();
  const session = sessions.find(({ document }) => document.id === id)?.document;
  if (session === undefined || isEnded(session.status)) return undefined;
  return currentSummary(project, session);
}

async function changedSince(
  project: Project,
  last: CheckpointDocument,
): Promise<ChangedSince | undefined> {
  const capture = await project.workTree.capture({ policy: project.policy });
  try {
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
  } finally {
    capture.discard();
  }
}

/** Undefined: there is none, or what it needs is gone. */
async function nextStep(project: Project, kind: "undo" | "redo"): Promise<NextStep | undefined> {
  try {
    const { target, entry } = await undoTarget(project, undefined, kind);
    return { rollbackId: entry.rollback_id, target, wentTo: entry.to_id };
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
