/** Begins a session: from here on the checkpoints of this work tree are its own. */
import { Failure } from "../domain/failure.ts";
import { redact, redactValue } from "../domain/secrets/redact.ts";
import {
  newSession,
  recordEvent,
  type IssueSnapshot,
  type SessionDocument,
  type WorkflowDefinition,
} from "../domain/session.ts";
import { followedLabel } from "../domain/issue-snapshot.ts";
import { sessionIdOf } from "../domain/workflow/session-id.ts";
import { NO_PROGRESS, type WorkflowProgress } from "../domain/workflow/progress.ts";
import { audited } from "./audited.ts";
import type { Project } from "./project.ts";
import { snapshotIssue } from "./snapshot-issue.ts";
import { refuseSecretSession } from "./refuse-request.ts";

export interface StartRequest {
  /** Made of type, project and time when it is not given. */
  readonly id?: string;
  readonly workflowType: string;
  /** Undefined: the name of the project's folder. */
  readonly projectName?: string;
  readonly description?: string;
  readonly topic?: string;
  readonly taskId?: string;
  readonly issueNumber?: number;
  /** Undefined: the issue is looked at, where there is one and the settings want it. */
  readonly issueSnapshot?: IssueSnapshot;
  /** Is told why an issue could not be looked at. */
  readonly warn?: (message: string) => void;
  readonly definition?: WorkflowDefinition;
  readonly progress?: WorkflowProgress;
}

/** Two in the same second get a number at the end. */
const ID_TRIES = 100;

export function startSession(project: Project, request: StartRequest): Promise<SessionDocument> {
  return audited(
    project,
    {
      operation: "session",
      command: "session start",
      reason: request.description ?? request.topic,
      outcome: ({ id }) => ({ checkpointIds: [], details: { session_id: id, became: "active" } }),
    },
    () => start(project, request),
  );
}

async function start(project: Project, request: StartRequest): Promise<SessionDocument> {
  refuseEmptyId(request.id);
  refuseSecretSession(request.id);
  const at = project.clock.now();
  const folder = project.workTree.root.split("/").findLast((name) => name !== "") ?? "project";
  const projectName = redact(request.projectName ?? folder);
  const workflowType = redact(request.workflowType);
  const issue = await issueOf(project, request);
  const now = await project.branches.current();
  const branch = now.kind === "branch" ? now.name : null;
  for (let number = 1; number <= ID_TRIES; number++) {
    const made = sessionIdOf(workflowType, projectName, at);
    const id = request.id ?? (number === 1 ? made : `${made}_${number}`);
    const document = documentOf(
      { ...request, ...issue },
      {
        id,
        workflowType,
        projectName,
        at: at.toISOString(),
        branch,
        project,
      },
    );
    // First: a kill in between must not leave a session that is taken for one from elsewhere.
    if (request.definition !== undefined) project.commandTrust.add(id, request.definition);
    if (await project.sessions.write(document, undefined, `session ${id} begins`)) {
      project.currentSession.set(id);
      return document;
    }
    if (request.id !== undefined) break;
  }
  throw new Failure("already_exists", `session ${request.id ?? ""} already exists`, {
    hint: "Choose another id, or omit it to have one generated. Nothing was changed.",
  });
}

function refuseEmptyId(id: string | undefined): void {
  if (id === undefined || id.trim() !== "") return;
  throw new Failure("usage", "the id of a session cannot be empty", {
    hint: "Omit it to have one generated. Nothing was changed.",
  });
}

/** Optional and time-boxed: a session begins also when nobody can see the issue. */
async function issueOf(
  project: Project,
  { issueNumber, issueSnapshot, warn }: StartRequest,
): Promise<Pick<StartRequest, "issueSnapshot">> {
  if (issueNumber === undefined || issueSnapshot !== undefined) return {};
  const look = await snapshotIssue(project, issueNumber);
  if (look.kind === "taken") return { issueSnapshot: look.snapshot };
  if (look.kind === "unavailable") warn?.(`issue ${issueNumber} could not be read: ${look.why}`);
  return {};
}

/** Where the workflow is, by the labels of the issue. */
function labelled(progress: WorkflowProgress, issue: IssueSnapshot | undefined): WorkflowProgress {
  if (issue === undefined) return progress;
  return { ...progress, state_label: followedLabel(progress.state_label, [], issue.labels) };
}

interface Start {
  readonly id: string;
  readonly workflowType: string;
  readonly projectName: string;
  readonly at: string;
  readonly branch: string | null;
  readonly project: Project;
}

function documentOf(
  request: StartRequest,
  { id, workflowType, projectName, at, branch, project }: Start,
): SessionDocument {
  const text = (name: string, value: string | undefined): Record<string, string> =>
    value === undefined ? {} : { [name]: redact(value) };
  const { issueNumber, issueSnapshot, definition } = request;
  const progress = labelled(request.progress ?? NO_PROGRESS, issueSnapshot);
  const document: SessionDocument = {
    ...newSession(id, at),
    implicit: false,
    workflow_type: workflowType,
    project_name: projectName,
    ...text("description", request.description),
    ...text("topic", request.topic),
    ...text("task_id", request.taskId),
    ...(issueNumber === undefined ? {} : { issue_number: issueNumber }),
    ...(issueSnapshot === undefined ? {} : { issue_snapshot: issueSnapshot }),
    branch,
    worktree_id: project.workTree.id,
    ...(definition === undefined ? {} : { definition }),
    workflow: redactValue(progress) as WorkflowProgress,
    last_error: null,
  };
  return recordEvent(document, {
    kind: "session",
    at,
    by: project.actor.user,
    reason: request.description ?? request.topic ?? null,
    checkpoint_ids: [],
    details: { became: "active" },
  });
}
