/** The library: docs/library.md has an example for each of its main functions. */
import { openGitProject, type OpenOptions } from "./app.ts";
import type { Project } from "./operations/project.ts";

/** Opens the project that a folder belongs to. Every other function takes it; `project.close()` ends the git that reads for it. */
export async function openProject(options: OpenOptions): Promise<Project> {
  return openGitProject(options);
}

export type { OpenOptions, Project };
export {
  openSession,
  type AskedOfSession,
  type OpenSession,
  type OpenSessionOptions,
  type SessionPhaseOptions,
} from "./library/open-session.ts";
export type { PhaseContext, PhaseWork } from "./library/phase-work.ts";
export {
  rollBack,
  type RollBackOptions,
  type RollBackPreview,
  type RolledBack,
} from "./library/roll-back.ts";
export {
  resumeSession,
  runWorkflow,
  type ResumeSessionOptions,
  type RunWorkflowOptions,
} from "./library/run-workflow.ts";
export { withPhase, type WithPhaseOptions } from "./library/with-phase.ts";
export { createCheckpoint } from "./operations/create-checkpoint.ts";
export type { CreateRequest, CreateResult } from "./operations/create-request.ts";
export type { CheckpointDocument, Trigger } from "./domain/checkpoint.ts";
export { diffCheckpoints } from "./operations/diff-checkpoints.ts";
export { readJournal } from "./operations/read-journal.ts";
export { exportCheckpoints } from "./operations/export-checkpoints.ts";
export { importArchive } from "./operations/import-archive.ts";
export { sessionState } from "./operations/session-state.ts";
export { planDeletion, deleteCheckpoints } from "./operations/delete-checkpoints.ts";
export {
  guard,
  type GuardAttempt,
  type GuardEvent,
  type GuardRequest,
  type GuardResult,
} from "./operations/guard.ts";
export { type Step, type StepContext, type StepOutcome } from "./operations/guard-step.ts";
export {
  readIsolated,
  removeIsolated,
  removeLeftOver,
  startIsolated,
  type LeftOverEnd,
  type NodeResult,
  type PlaceInWorkflow,
} from "./operations/isolated-trees.ts";
export { type RemovedTree } from "./operations/removed-tree.ts";
export {
  concludeConflict,
  mergeIsolated,
  type Conclusion,
  type MergeOutcome,
  type MergeReport,
  type MergeRequest,
  type ResolverAnswer,
} from "./operations/merge-isolated.ts";
export { startSession, type StartRequest } from "./operations/start-session.ts";
export {
  acquireSession,
  type Acquired,
  type Acquisition,
  type OwnedSession,
} from "./operations/owned-session.ts";
export {
  describeSession,
  type InvalidatedCheckpoint,
  type SessionDescription,
} from "./operations/describe-session.ts";
export {
  listSessions,
  type SessionList,
  type SessionListRequest,
} from "./operations/list-sessions.ts";
export type { DescribedLease, SessionSummary } from "./operations/session-summary.ts";
export { saveSession, type SavedSession } from "./operations/save-session.ts";
export type { ProgressSave } from "./domain/workflow/saved-progress.ts";
export {
  endOwnedSession,
  endSession,
  pauseSession,
  type EndedSession,
  type EndRequest,
  type PausedSession,
  type PauseRequest,
  type SessionEnd,
} from "./operations/end-session.ts";
export type { SessionDocument } from "./domain/session.ts";
export type { WorkflowProgress } from "./domain/workflow/progress.ts";
export { listCheckpoints } from "./operations/list-checkpoints.ts";
export {
  planResume,
  type ResumeAnswers,
  type ResumePlan,
  type ResumeRequest,
} from "./operations/resume/plan-resume.ts";
export { describeResume, type ResumeDescription } from "./operations/resume/describe-resume.ts";
export type { RollbackPlan } from "./operations/plan-rollback.ts";
export { takeBack, type TakeBackOptions } from "./library/take-back.ts";
export { redo, undo, type UndoOptions } from "./library/undo.ts";
export type { KeptFile, TakeBackPlan } from "./operations/selective/plan-take-back.ts";
export type { TakenBack } from "./operations/selective/take-back.ts";
export { cleanUp, planCleanup } from "./operations/clean-up.ts";
export { pinCheckpoints, unpinCheckpoints } from "./operations/pin-checkpoints.ts";
export { undeleteCheckpoints } from "./operations/undelete-checkpoints.ts";
export { stashCheckpoint } from "./operations/stash-checkpoint.ts";
export { savepoint } from "./operations/database-savepoint.ts";
export type {
  Savepoint,
  SavepointClient,
  SavepointOptions,
} from "./operations/database-savepoint.ts";
export { recover } from "./operations/recover.ts";
export { checkSecrets } from "./operations/check-secrets.ts";
export { redact } from "./domain/secrets/redact.ts";
export { Failure, type FailureCode } from "./domain/failure.ts";
export type { StartOptions } from "./operations/run/start-workflow.ts";
export type { RunResult } from "./operations/run/run-workflow.ts";
export type {
  Breakpoint,
  FailedCheckpoint,
  NodeOutput,
  RunObserver,
  RunOptions,
} from "./operations/run/run-options.ts";
export type { RunEvent } from "./domain/workflow/run-event.ts";
export type { ControlCommand } from "./domain/workflow/control.ts";
export type {
  NodeShape,
  OutputShape,
  PhaseShape,
  WorkflowShape,
} from "./domain/workflow/file-shape.ts";
