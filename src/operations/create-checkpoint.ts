/** Takes a checkpoint of the project as it is, without changing it. */
import type { BytePath } from "../domain/byte-path.ts";
import { makeCheckpointId } from "../domain/checkpoint-id.ts";
import {
  isExpired,
  SCHEMA_VERSION,
  type CheckpointDocument,
  type Trigger,
} from "../domain/checkpoint.ts";
import { withChecksum } from "../domain/document-text.ts";
import { Failure } from "../domain/failure.ts";
import { LAST_INSTANT } from "../domain/instant.ts";
import { latestOf } from "../domain/lineage.ts";
import { implicitSessionId, lineOf, newSession, type SessionDocument } from "../domain/session.ts";
import type { StoredSession } from "../ports/session-store.ts";
import type { Capture } from "../ports/work-tree.ts";
import { audited, type Audit } from "./audited.ts";
import type { Project } from "./project.ts";
import { viewSessions } from "./session-view.ts";

export interface CreateRequest {
  readonly trigger?: Trigger;
  readonly sessionId?: string;
  readonly name?: string;
  readonly reason?: string;
  readonly description?: string;
  readonly phase?: string;
  readonly step?: number;
  readonly taskId?: string;
  readonly issueNumber?: number;
  readonly workflowState?: string;
  readonly metrics?: Readonly<Record<string, unknown>>;
  readonly expiresAt?: string;
  readonly durability?: "safe" | "fast";
  /** Make one even when nothing changed. */
  readonly force?: boolean;
  /** Captured whatever the rules say. */
  readonly include?: ReadonlySet<BytePath>;
  /** Commits to keep alive: old tips of refs that are about to move. */
  readonly keepAlive?: readonly string[];
  /** Refs that are about to move, with the values they have now. */
  readonly refs?: Readonly<Record<string, string | null>>;
  /** A capture of this very moment that the caller already has. */
  readonly capture?: Capture;
}

export type CreateResult =
  | {
      readonly kind: "created";
      readonly checkpoint: CheckpointDocument;
      readonly warnings: readonly string[];
    }
  | {
      readonly kind: "unchanged";
      readonly checkpoint: CheckpointDocument;
      readonly warnings: readonly string[];
    };

/** Two in the same second may get the same four digits; then others are tried. */
const ID_TRIES = 20;

export function createCheckpoint(project: Project, request: CreateRequest): Promise<CreateResult> {
  const audit: Audit<CreateResult> = {
    operation: "create",
    sessionId: request.sessionId,
    reason: request.reason ?? request.description ?? request.name,
    isPart: request.trigger === "pre_rollback",
    outcome: ({ kind, checkpoint: { id, trigger, phase, step } }) =>
      kind === "unchanged" ? undefined : { checkpointIds: [id], details: { trigger, phase, step } },
  };
  return audited(project, audit, () => take(project, request));
}

async function take(project: Project, request: CreateRequest): Promise<CreateResult> {
  refuseBadExpiry(project, request.expiresAt);
  project.sweep();
  const warnings = unfinishedWarning(project);
  const sessionId = request.sessionId ?? implicitSessionId(project.workTree.id);
  // What a rollback is in the middle of is no moment of the project; its own safety checkpoint comes before that.
  const isSafety = request.trigger === "pre_rollback";
  if (!isSafety) await project.restorer.whenIdle();
  let activity = project.restorer.activity();
  // The first capture is begun at once: reading the session takes as long as starting git.
  const first = request.capture ?? takeCapture(project, request);
  const before = await Promise.allSettled([readPlace(project, sessionId), first]);
  const [place, captured] = before;
  if (place.status === "rejected") {
    if (captured.status === "fulfilled") captured.value.discard();
    throw place.reason;
  }
  if (captured.status === "rejected") throw captured.reason;
  const { session, latest } = place.value;
  for (let attempt = 0; attempt < ID_TRIES; attempt++) {
    const capture = attempt === 0 ? captured.value : await takeCapture(project, request);
    try {
      if (!isSafety && project.restorer.activity() !== activity) {
        await project.restorer.whenIdle();
        activity = project.restorer.activity();
        continue;
      }
      const last = latest.document;
      const isSame = last?.sameness === capture.sameness && !isExpired(last, project.clock.now());
      if (last !== undefined && isSame && mayBeSkipped(request)) {
        return { kind: "unchanged", checkpoint: last, warnings };
      }
      const document = await describe(project, request, {
        capture,
        sessionId,
        session: session?.document,
        latest,
      });
      const published = await project.interruption.holdOff(async () => {
        const result = await project.checkpoints.publish({
          document,
          capture,
          keepAlive: request.keepAlive ?? [],
        });
        if (result.kind !== "published") return undefined;
        rememberLatest(project, document, latest);
        if (session === undefined) await startSession(project, sessionId, document.created_at);
        return result.warnings ?? [];
      });
      if (published !== undefined) {
        return {
          kind: "created",
          checkpoint: document,
          warnings: [...warnings, ...published],
        };
      }
    } finally {
      capture.discard();
    }
  }
  throw new Failure("repository_busy", "the project kept changing while the checkpoint was taken", {
    hint: "Run the command again when less is going on. No checkpoint was made; nothing was changed.",
  });
}

/** One that has expired when it is taken, or whose time nobody can read, is of no use to anybody. */
function refuseBadExpiry(project: Project, expiresAt: string | undefined): void {
  if (expiresAt === undefined) return;
  const at = Date.parse(expiresAt);
  if (at > project.clock.now().getTime() && at <= LAST_INSTANT) return;
  throw new Failure("usage", `a checkpoint cannot expire at ${expiresAt}`, {
    hint: "Name a time in the future, such as 2030-01-31T18:00:00.000Z. No checkpoint was made.",
  });
}

function takeCapture(project: Project, request: CreateRequest): Promise<Capture> {
  return project.workTree.capture({
    policy: project.policy,
    ...(request.include === undefined ? {} : { include: request.include }),
  });
}

/** Where in the session the new checkpoint goes. */
async function readPlace(
  project: Project,
  sessionId: string,
): Promise<{ session: StoredSession | undefined; latest: Latest }> {
  const session = await project.sessions.read(sessionId);
  const latest =
    (await hintedLatest(project, sessionId, session?.document)) ??
    (await latestCheckpoint(project, sessionId));
  return { session, latest };
}

interface Latest {
  readonly document: CheckpointDocument | undefined;
  readonly highestSeq: number;
}

/** The hint counts when that checkpoint is there and belongs to the present line of the session. */
async function hintedLatest(
  project: Project,
  sessionId: string,
  session: SessionDocument | undefined,
): Promise<Latest | undefined> {
  const hint = project.latestHint.get(sessionId);
  if (hint === undefined) return undefined;
  const stored = await project.checkpoints.read(hint.id);
  if (stored?.kind !== "ok") return undefined;
  const { document } = stored;
  const isCurrent =
    document.session_id === sessionId &&
    document.worktree_id === project.workTree.id &&
    document.epoch === lineOf(session, project.workTree.id).epoch;
  return isCurrent ? { document, highestSeq: hint.seq } : undefined;
}

function rememberLatest(project: Project, document: CheckpointDocument, latest: Latest): void {
  const id = document.trigger === "pre_rollback" ? latest.document?.id : document.id;
  if (id !== undefined) project.latestHint.set(document.session_id, { id, seq: document.seq });
}

async function latestCheckpoint(project: Project, sessionId: string): Promise<Latest> {
  // Without a hint nothing was taken here before, so nothing was deleted either.
  const mayHaveTrash = project.latestHint.get(sessionId) !== undefined;
  const [view, trash] = await Promise.all([
    viewSessions(project, sessionId),
    mayHaveTrash ? project.checkpoints.listTrash() : [],
  ]);
  const isOwn = (document: CheckpointDocument): boolean =>
    document.session_id === sessionId && document.worktree_id === project.workTree.id;
  const own = view.documents.filter(isOwn);
  // The number of a deleted one is not given again: it may be brought back.
  const deleted = trash.flatMap((stored) => (stored.kind === "ok" ? [stored.document] : []));
  return {
    document: latestOf(own, view.standing),
    highestSeq: [...own, ...deleted.filter(isOwn)].reduce(
      (highest, document) => Math.max(highest, document.seq),
      0,
    ),
  };
}

/** A checkpoint that somebody named, or that marks a point of a workflow, has to be there to be found. */
function mayBeSkipped(request: CreateRequest): boolean {
  if (request.force === true) return false;
  const trigger = request.trigger ?? "manual";
  if (trigger === "tool_use" || trigger === "auto") return true;
  const says = [
    request.name,
    request.reason,
    request.description,
    request.phase,
    request.step,
    request.taskId,
    request.issueNumber,
    request.workflowState,
    request.metrics,
    request.expiresAt,
  ];
  return trigger === "manual" && says.every((value) => value === undefined);
}

interface Moment {
  readonly capture: Capture;
  readonly sessionId: string;
  readonly session: SessionDocument | undefined;
  readonly latest: Latest;
}

async function describe(
  project: Project,
  request: CreateRequest,
  moment: Moment,
): Promise<CheckpointDocument> {
  const { capture, sessionId, latest } = moment;
  const trigger = request.trigger ?? "manual";
  const at = project.clock.now();
  const step = request.step ?? null;
  const id = makeCheckpointId({
    step,
    label: request.phase ?? request.name ?? trigger,
    at,
    hash: project.clock.fourDigits(),
  });
  const previous = latest.document;
  return withChecksum(
    {
      schema_version: SCHEMA_VERSION,
      id,
      session_id: sessionId,
      worktree_id: project.workTree.id,
      seq: latest.highestSeq + 1,
      previous_id: previous?.id ?? null,
      epoch: lineOf(moment.session, project.workTree.id).epoch,
      name: request.name ?? null,
      task_id: request.taskId ?? null,
      issue_number: request.issueNumber ?? null,
      phase: request.phase ?? null,
      step,
      previous_phase: previous?.phase ?? null,
      workflow_state: request.workflowState ?? null,
      trigger,
      reason: request.reason ?? null,
      description: request.description ?? null,
      created_at: at.toISOString(),
      created_by: project.actor,
      git: { ...capture.git, refs: { ...capture.git.refs, ...request.refs } },
      parts: [capture.part],
      coverage: capture.coverage,
      // As it will be read back: a date becomes text here and not only in the stored document.
      metrics: JSON.parse(JSON.stringify(request.metrics ?? {})) as Record<string, unknown>,
      files: await project.workTree.changesSince(previous, capture),
      sameness: capture.sameness,
      content_hash: capture.contentHash,
      state_digest: null,
      durability: request.durability ?? "safe",
      expires_at: timeStamp(request.expiresAt),
      restore_command: `waymark rollback ${id}`,
    },
    project.sha256,
  );
}

/** However it was written: in the form that all time stamps have. */
function timeStamp(at: string | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}

/** Another process may be first; the session is there then, which is all that is needed. */
async function startSession(project: Project, sessionId: string, at: string): Promise<void> {
  await project.sessions.write(newSession(sessionId, at), undefined, `session ${sessionId} begins`);
}

function unfinishedWarning(project: Project): string[] {
  const unfinished = project.restorer.unfinished();
  if (unfinished === undefined) return [];
  return [
    `a rollback to ${unfinished.targetId || "a checkpoint"} was interrupted ${unfinished.since}; ` +
      "run `waymark recover` to finish it or take it back",
  ];
}
