/** Starts a session for a workflow and runs it. One session at a time runs in a work tree: they would write into each other's files. */
import { Failure } from "../../domain/failure.ts";
import type { SessionDocument, WorkflowDefinition } from "../../domain/session.ts";
import { mayBeUnfinished, saysFailed } from "../../domain/session-version.ts";
import { freshProgress } from "../../domain/workflow/change-progress.ts";
import type { Workflow } from "../../domain/workflow/definition.ts";
import { isUnfinished } from "../../domain/workflow/session-status.ts";
import { refuseOtherRun } from "../other-run.ts";
import { acquireSession, type OwnedSession } from "../owned-session.ts";
import type { Project } from "../project.ts";
import { startSession } from "../start-session.ts";
import type { RunOptions } from "./run-options.ts";
import { runWorkflow, type RunResult } from "./run-workflow.ts";

export interface WorkflowSource {
  readonly workflow: Workflow;
  /** What the session keeps of the file; undefined: there is none, and a resume needs the workflow again. */
  readonly source?: WorkflowDefinition;
}

export interface StartOptions {
  readonly sessionId?: string;
  /**
   * Asked when an unfinished session of this workflow is in this work tree; it has to see to it that none is left, or throw.
   * Without it that is refused.
   */
  readonly onUnfinished?: (session: SessionDocument) => Promise<void>;
  /** Begins also while a session here that may be unfinished cannot be read. */
  readonly evenIfUnreadable?: boolean;
  /** Is told why the issue could not be looked at. */
  readonly warn?: (message: string) => void;
}

/** The latest unfinished session of the same workflow in this work tree. */
async function unfinishedSession(
  project: Project,
  given: WorkflowSource,
): Promise<SessionDocument | undefined> {
  const sessions = await sessionsOf(project, given);
  return sessions.find(
    ({ status, archived_at }) => isUnfinished(status) && archived_at === undefined,
  );
}

/** The last one of the same workflow, when that failed: it can be resumed, and a new one can be begun. */
export async function failedSession(
  project: Project,
  given: WorkflowSource,
): Promise<SessionDocument | undefined> {
  const [last] = await sessionsOf(project, given);
  return last?.status === "failed" ? last : undefined;
}

/** What failed here and cannot be read: whether it is of this workflow is not known. */
export async function hiddenFailures(project: Project): Promise<Failure[]> {
  const { unreadable } = await project.sessions.listAll();
  return unreadable.filter((why) => saysFailed(why, project.workTree.id));
}

/** Latest first. */
async function sessionsOf(
  project: Project,
  { workflow, source }: WorkflowSource,
): Promise<SessionDocument[]> {
  const sessions = await project.sessions.list();
  return sessions
    .map(({ document }) => document)
    .filter(
      (session) =>
        !session.implicit &&
        session.worktree_id === project.workTree.id &&
        isOfWorkflow(session, { workflow, source }),
    )
    .toSorted((left, right) => (left.updated_at < right.updated_at ? 1 : -1));
}

/** The same file, or the same kind of workflow about the same thing, whatever its file is called by now. */
function isOfWorkflow(
  { workflow_type, project_name, description, definition }: SessionDocument,
  { workflow, source }: { readonly workflow: Workflow; readonly source: WorkflowSource["source"] },
): boolean {
  if (workflow_type !== workflow.type) return false;
  if (definition?.path === source?.path) return true;
  return (
    description !== undefined &&
    description === workflow.description &&
    (workflow.project === null || project_name === workflow.project)
  );
}

/** An unfinished session of this workflow that nobody runs. One that somebody is just starting is waited for, and refused. */
export async function foundUnfinished(
  project: Project,
  given: WorkflowSource,
  { evenIfUnreadable = false }: Pick<StartOptions, "evenIfUnreadable"> = {},
): Promise<SessionDocument | undefined> {
  const place = await project.runFiles.enter();
  try {
    if (!evenIfUnreadable) await refuseHidden(project);
    const unfinished = await unfinishedSession(project, given);
    if (unfinished !== undefined) await refuseOtherRun(project);
    return unfinished;
  } finally {
    place.leave();
  }
}

/** What it has done already would be done again. */
async function refuseHidden(project: Project): Promise<void> {
  const { unreadable } = await project.sessions.listAll();
  const why = unreadable.find((each) => mayBeUnfinished(each, project.workTree.id));
  if (why === undefined) return;
  throw new Failure(why.code, `${why.message}, and it may be unfinished`, {
    hint: `--fresh starts a new one anyway. ${why.hint}`,
    details: { ...why.details, flags: ["--fresh"] },
  });
}

/** A new session for the workflow that this process runs; nobody else can start one here at the same time. */
export async function beginWorkflow(
  project: Project,
  given: WorkflowSource,
  { sessionId, onUnfinished, evenIfUnreadable = false, warn }: StartOptions = {},
): Promise<OwnedSession> {
  const { workflow, source } = given;
  const place = await project.runFiles.enter();
  try {
    await refuseOtherRun(project);
    if (!evenIfUnreadable) await refuseHidden(project);
    const unfinished = await unfinishedSession(project, given);
    if (unfinished !== undefined) {
      if (onUnfinished === undefined) throw unfinishedFailure(unfinished);
      await onUnfinished(unfinished);
    }
    return await project.interruption.holdOff(async () => {
      const graphId = `graph-${project.clock.now().getTime().toString(36)}-${project.clock.fourDigits()}`;
      const { id } = await startSession(project, {
        ...(sessionId === undefined ? {} : { id: sessionId }),
        workflowType: workflow.type,
        ...(warn === undefined ? {} : { warn }),
        ...(workflow.project === null ? {} : { projectName: workflow.project }),
        ...(workflow.description === null ? {} : { description: workflow.description }),
        ...(workflow.topic === null ? {} : { topic: workflow.topic }),
        ...(workflow.task === null ? {} : { taskId: workflow.task }),
        ...(workflow.issue === null ? {} : { issueNumber: workflow.issue }),
        ...(source === undefined ? {} : { definition: source }),
        progress: freshProgress(workflow, graphId),
      });
      const { owned } = await acquireSession(project, id, { purpose: "run" });
      return owned;
    });
  } finally {
    place.leave();
  }
}

export function unfinishedFailure({ id, status }: SessionDocument): Failure {
  return new Failure(
    "needs_confirmation",
    `session ${id} of this workflow is unfinished (${status})`,
    {
      hint: `\`waymark resume ${id}\` (or --resume) continues it; --fresh archives it and starts over. Nothing was changed.`,
      details: { session_id: id, status, flags: ["--resume", "--fresh"] },
    },
  );
}

export interface WorkflowRun extends RunOptions, StartOptions {
  /** A workflow file. */
  readonly file?: string;
  /** Or the workflow itself. */
  readonly definition?: Workflow;
}

/** All of it: reads the file, starts a session, runs it. */
export async function startWorkflow(project: Project, request: WorkflowRun): Promise<RunResult> {
  const { file, definition, sessionId, onUnfinished, evenIfUnreadable, warn, ...options } = request;
  if ((file === undefined) === (definition === undefined)) {
    throw new Failure("usage", "exactly one of `file` and `workflow` is needed", {
      hint: "Pass either `file` or `workflow`. Nothing was run.",
    });
  }
  const given: WorkflowSource =
    definition === undefined
      ? await project.workflowFiles.read(file ?? "")
      : { workflow: definition };
  const owned = await beginWorkflow(project, given, {
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(onUnfinished === undefined ? {} : { onUnfinished }),
    ...(evenIfUnreadable === undefined ? {} : { evenIfUnreadable }),
    ...(warn === undefined ? {} : { warn }),
  });
  return runWorkflow(project, owned, given.workflow, options);
}
