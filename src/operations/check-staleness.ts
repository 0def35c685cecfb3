/** Looks at what happened since a session stopped, and says whether it can be resumed. Changes nothing. */
import { parsePath, showPath } from "../domain/byte-path.ts";
import { isPlain, SCHEMA_VERSION, type CheckpointDocument } from "../domain/checkpoint.ts";
import { Failure } from "../domain/failure.ts";
import type { SessionDocument } from "../domain/session.ts";
import {
  leaseStanding,
  type HolderLife,
  type Lease,
  type LeaseHolder,
} from "../domain/workflow/lease.ts";
import type { WorkflowProgress } from "../domain/workflow/progress.ts";
import {
  namedOutputs,
  stateLinks,
  type NamedOutput,
} from "../domain/workflow/session-references.ts";
import { assessStaleness, type StalenessReport } from "../domain/workflow/staleness.ts";
import type {
  ChangesSince,
  IssueNow,
  PresentMoment,
  RecordedMoment,
} from "../domain/workflow/staleness/moments.ts";
import { diffCheckpoints } from "./diff-checkpoints.ts";
import type { Project } from "./project.ts";
import { needsOf, type SessionNeeds } from "./session-needs.ts";
import { snapshotIssue, type IssueView } from "./snapshot-issue.ts";

export interface StalenessRequest {
  readonly session: SessionDocument;
  /**
   * The checkpoint to roll back to before going on. What is there now is that rollback's business then, so branch, HEAD and
   * files are not compared. Undefined: the session goes on from where it is.
   */
  readonly from?: string;
  /** How far it had come there; undefined: what the session says. */
  readonly progress?: WorkflowProgress;
  /** Of a lease that whoever asks holds itself. */
  readonly ownToken?: number;
  readonly lifeOf: (holder: LeaseHolder) => HolderLife;
  /** The text of a workflow file as it is now; undefined: there is none. */
  readonly currentText: (path: string) => Promise<string | undefined>;
}

export interface StalenessCheck {
  readonly report: StalenessReport;
  /** The checkpoint that was compared with; undefined: there is none that can be read. */
  readonly checkpoint: CheckpointDocument | undefined;
  /** All that changed since, in full: the report's lists have an end. */
  readonly changes: ChangesSince;
  /** The issue as it is now, for the session to keep. */
  readonly issue: IssueView;
  /** The text of the workflow file now, when the session has one. */
  readonly definitionText: string | undefined;
}

export async function checkStaleness(
  project: Project,
  request: StalenessRequest,
): Promise<StalenessCheck> {
  // The network is slow; everything else is done meanwhile, and when that fails nobody waits for it.
  const stop = new AbortController();
  try {
    const [issue, rest] = await Promise.all([
      issueOf(project, request.session, stop.signal),
      lookAround(project, request),
    ]);
    const { recorded, present, checkpoint, definitionText } = rest;
    const report = assessStaleness(recorded, { ...present, issue: issueNow(issue) });
    return { report, checkpoint, changes: present.changes, issue, definitionText };
  } finally {
    stop.abort();
  }
}

interface Surroundings {
  readonly recorded: RecordedMoment;
  readonly present: Omit<PresentMoment, "issue">;
  readonly checkpoint: CheckpointDocument | undefined;
  readonly definitionText: string | undefined;
}

async function lookAround(project: Project, request: StalenessRequest): Promise<Surroundings> {
  const { session, from } = request;
  const progress = request.progress ?? session.workflow;
  const needs = await needsOf(project, session, { from, progress });
  const checkpoint = needs.checkpoint;
  const branch = from === undefined ? branchOf(session, checkpoint) : null;
  const current = await project.branches.current();
  const checkedOut = current.kind === "branch" ? current.name : null;
  const { definition } = session;
  const definitionText = definition && (await request.currentText(definition.path));
  return {
    checkpoint,
    definitionText,
    recorded: {
      sessionId: session.id,
      formatVersion: session.schema_version,
      status: session.status,
      worktreeId: session.worktree_id ?? null,
      branch,
      checkpoint: checkpoint === undefined ? null : momentOf(checkpoint),
      definition: definition ?? null,
      issue: session.issue_snapshot ?? null,
      progress,
    },
    present: {
      at: project.clock.now(),
      formatVersion: SCHEMA_VERSION,
      heldBy: heldBy(request),
      worktreeId: project.workTree.id,
      // A branch without a commit is there while it is checked out.
      branchExists:
        branch === null ||
        branch === checkedOut ||
        (await project.branches.tip(branch)) !== undefined,
      checkedOut,
      newerCheckpoints: needs.newer,
      damagedCheckpoints: needs.damaged,
      lastValidId: needs.lastValidId,
      changes: await changesSince(project, request, needs),
      definitionDigest:
        definitionText === undefined ? null : `sha256:${project.sha256(definitionText)}`,
      missingOutputs: await missingOutputs(
        project,
        progress,
        needs.damaged.some(({ id }) => id === checkpoint?.id) ? undefined : checkpoint,
        from !== undefined,
      ),
      missingStates: stateLinks(session.state).filter((id) => !needs.knownIds.has(id)),
    },
  };
}

function momentOf({ id, git }: CheckpointDocument): RecordedMoment["checkpoint"] {
  return { id, head: git.commit, operation: git.operation };
}

/** Where the work was last. Snapshots from elsewhere have the short name of it. */
function branchOf(
  session: SessionDocument,
  checkpoint: CheckpointDocument | undefined,
): string | null {
  if (checkpoint !== undefined) return isPlain(checkpoint.git) ? null : checkpoint.git.branch;
  const name = session.branch === undefined ? session.issue_snapshot?.branch : session.branch;
  if (name === undefined || name === null) return null;
  return name.startsWith("refs/") ? name : `refs/heads/${name}`;
}

function heldBy({ session: { lease }, ownToken, lifeOf }: StalenessRequest): Lease | null {
  if (lease === undefined || lease.holder === null || lease.token === ownToken) return null;
  return leaseStanding(lease, lifeOf(lease.holder)) === "held" ? lease : null;
}

async function changesSince(
  project: Project,
  { session, from }: StalenessRequest,
  { checkpoint, damaged }: SessionNeeds,
): Promise<ChangesSince> {
  const isWhole = damaged.every(({ id }) => id !== checkpoint?.id);
  if (checkpoint === undefined || from !== undefined || !isWhole) return { kind: "not_asked" };
  const request = { from: checkpoint.id, to: undefined, sessionId: session.id, paths: [] };
  try {
    return await diffCheckpoints(project, request, ({ moments: [, now], ...found }) => {
      const { git } = now.kind === "now" ? now.capture : now.document;
      const changes = {
        head: git.commit,
        operation: git.operation,
        files: found.files.map(({ path, change }) => ({ path: showPath(path), change })),
        commitsGained: found.commits.gained,
        commitsLost: found.commits.lost,
        isIndexChanged: found.indexDiffers,
        parts: found.parts.map(({ type, what, change }) => ({ type, what, change })),
      };
      return Promise.resolve({ kind: "known", changes });
    });
  } catch (error) {
    // A database that does not answer, a state file that is broken: somebody has to know, and can decide.
    if (!(error instanceof Failure) || error.code === "interrupted") throw error;
    return { kind: "unknown", why: error.message };
  }
}

async function missingOutputs(
  project: Project,
  progress: WorkflowProgress | undefined,
  checkpoint: CheckpointDocument | undefined,
  comesBack: boolean,
): Promise<NamedOutput[]> {
  const named = progress === undefined ? [] : namedOutputs(progress);
  if (named.length === 0) return [];
  const gone = new Set(await project.namedFiles.missing(named.map(({ path }) => path)));
  const missing: NamedOutput[] = [];
  for (const output of named.filter(({ path }) => gone.has(path))) {
    const isHeld = async (): Promise<boolean> =>
      checkpoint !== undefined &&
      (await project.workTree.holds(checkpoint, parsePath(output.path)));
    const isMissing =
      output.isGuess === true ? !comesBack && (await isHeld()) : !comesBack || !(await isHeld());
    if (isMissing) missing.push(output);
  }
  return missing;
}

async function issueOf(
  project: Project,
  session: SessionDocument,
  signal: AbortSignal,
): Promise<IssueView> {
  const number = session.issue_snapshot?.number ?? session.issue_number;
  if (number === undefined) return { kind: "not_asked", why: null };
  return snapshotIssue(project, number, { signal });
}

/** There was somebody to look when the snapshot was taken: that there is nobody now is worth a word. */
function issueNow(view: IssueView): IssueNow {
  if (view.kind !== "not_asked" || view.why === null) return view;
  return { kind: "unavailable", why: view.why };
}
