/** Takes a checkpoint of the project as it is, without changing it. */
import { showPath, type BytePath } from "../domain/byte-path.ts";
import { typeOf, type CheckpointDocument } from "../domain/checkpoint.ts";
import { Failure } from "../domain/failure.ts";
import { outOfSightWarning } from "../domain/out-of-sight.ts";
import {
  databaseFiles,
  isSavedState,
  isWholeState,
  SAVED_STATES,
  stateEntry,
} from "../domain/parts.ts";
import { newSession, stateRecord } from "../domain/session.ts";
import { withSavedState } from "../domain/workflow/held-workflow.ts";
import { placeInWorkflow } from "../domain/workflow/place-in-workflow.ts";
import type { Capture } from "../ports/work-tree.ts";
import { audited, type Audit } from "./audited.ts";
import type { CreateRequest, CreateResult } from "./create-request.ts";
import { describeCheckpoint } from "./describe-checkpoint.ts";
import { refuseNoSecrets, refuseOnlySecrets } from "./include-secrets.ts";
import { reportKilledGuards } from "./killed-guards.ts";
import { withWorkflow } from "./part-asks.ts";
import { samenessWith, trackedDatabases } from "./part-sameness.ts";
import { captureParts, NO_PARTS, partProblems, type CapturedParts } from "./part-work.ts";
import { setAsideText, WITHOUT_IT } from "../domain/session-version.ts";
import type { Project } from "./project.ts";
import { lookForUnfinished } from "./unfinished-rollback.ts";
import { redactedWarning, redactRequest } from "./redact-request.ts";
import {
  refuseBadExpiry,
  refuseOtherType,
  refuseSecretSession,
  refuseSelector,
  refuseUnmatched,
} from "./refuse-request.ts";
import { readPlace, rememberLatest } from "./session-place.ts";
import { isSameTask, NO_TASK, taskOf, type TaskToHold } from "./task-to-hold.ts";
import { updateSession } from "./update-session.ts";
import { isImplicit, sessionToWrite } from "./which-session.ts";

export type { CreateRequest, CreateResult } from "./create-request.ts";

/** Two in the same second may get the same four digits; then others are tried. */
const ID_TRIES = 20;

export function createCheckpoint(project: Project, given: CreateRequest): Promise<CreateResult> {
  const { request, redacted } = redactRequest(given);
  const audit: Audit<CreateResult> = {
    operation: "create",
    sessionId: request.sessionId,
    reason: request.reason ?? request.description ?? request.name,
    details: {
      trigger: request.trigger ?? "manual",
      phase: request.phase,
      step: request.step,
      name: request.name,
    },
    isPart: request.trigger === "pre_rollback",
    outcome: ({ kind, checkpoint: { id, session_id, trigger, phase, step } }) =>
      kind === "unchanged"
        ? undefined
        : { checkpointIds: [id], sessionId: session_id, details: { trigger, phase, step } },
  };
  const isSafety = request.trigger === "pre_rollback";
  return audited(project, audit, async () => {
    const shown = project.progress.begin(
      isSafety ? "saving the current state" : "creating a checkpoint",
    );
    try {
      return await take(project, request, redacted);
    } finally {
      shown.end();
    }
  });
}

async function take(
  project: Project,
  asked: CreateRequest,
  redacted: ReturnType<typeof redactRequest>["redacted"],
): Promise<CreateResult> {
  refuseBadExpiry(project, asked.expiresAt);
  refuseSecretSession(asked.sessionId);
  refuseSelector(asked.name);
  project.sweep();
  const unread: string[] = [];
  const sessionId = await sessionToWrite(project, asked.sessionId, (said) => unread.push(said));
  // What a rollback is in the middle of is no moment of the project; its own safety checkpoint comes before that.
  const isSafety = asked.trigger === "pre_rollback";
  if (!isSafety) await project.restorer.whenIdle();
  const activity = project.restorer.activity();
  if (asked.scope !== undefined) await refuseUnmatched(project, asked.scope);
  // A safety checkpoint holds what its rollback changes, and is at no point of the workflow.
  const session =
    isSafety || isImplicit(project, sessionId)
      ? undefined
      : (await project.sessions.read(sessionId))?.document;
  const place = isSafety ? {} : placeInWorkflow(asked, session, project.config.phases.order);
  // What a session says may come from elsewhere.
  const { request } = redactRequest({ ...asked, ...place });
  const wanted = { asks: withWorkflow(project, asked, session), like: asked.partsLike ?? [] };
  const isPlain = wanted.asks.length + wanted.like.length === 0;
  const parts = isPlain ? NO_PARTS : await captureParts(project, sessionId, wanted);
  try {
    refuseOtherType(request, parts.parts);
    const id = request.taskId ?? request.holdsTask;
    const task = id === undefined ? NO_TASK : await taskOf(project, id);
    const warnings = [
      ...unread,
      ...redactedWarning(redacted),
      ...(await nameWarning(project, request.name)),
      ...task.warnings,
    ];
    const maySkip = mayBeSkipped(asked);
    return await takeOne(project, request, {
      sessionId,
      activity,
      parts,
      task,
      warnings,
      maySkip,
    });
  } finally {
    parts.discard();
  }
}

async function nameWarning({ checkpoints }: Project, name: string | undefined): Promise<string[]> {
  if (name === undefined) return [];
  const all = await checkpoints.glance();
  const same = all.find((stored) => stored.kind === "ok" && stored.document.name === name);
  return same === undefined ? [] : [`${same.id} has the same name: only the ids tell them apart`];
}

interface Beginning {
  readonly sessionId: string;
  readonly activity: string;
  readonly parts: CapturedParts;
  readonly task: TaskToHold;
  readonly warnings: readonly string[];
  /** None is needed where nothing differs from the last one. */
  readonly maySkip: boolean;
}

async function takeOne(
  project: Project,
  request: CreateRequest,
  { sessionId, parts, task: { task }, ...beginning }: Beginning,
): Promise<CreateResult> {
  const isSafety = request.trigger === "pre_rollback";
  const warnings = [
    ...unfinishedWarning(project),
    ...(isSafety ? [] : reportKilledGuards(project)),
    ...beginning.warnings,
    ...parts.warnings,
  ];
  let { activity } = beginning;
  // The first capture is begun at once: reading the session takes as long as starting git.
  const first = request.capture ?? takeCapture(project, request, parts);
  const before = await Promise.allSettled([readPlace(project, sessionId), first]);
  const [place, captured] = before;
  if (place.status === "rejected") {
    if (captured.status === "fulfilled") captured.value.discard();
    throw place.reason;
  }
  if (captured.status === "rejected") throw captured.reason;
  const { session, latest } = place.value;
  if (session?.setAside !== undefined) warnings.push(setAsideText(session.setAside, WITHOUT_IT));
  for (let attempt = 0; attempt < ID_TRIES; attempt++) {
    const capture = attempt === 0 ? captured.value : await takeCapture(project, request, parts);
    try {
      if (!isSafety && project.restorer.activity() !== activity) {
        if (parts.parts.length > 0) throw cameBetween();
        await project.restorer.whenIdle();
        activity = project.restorer.activity();
        continue;
      }
      refuseNoSecrets(request.includeSecrets ?? [], capture, parts.parts);
      if (request.scope !== undefined) refuseOnlySecrets(request.scope, capture, parts);
      const last = latest.document;
      const sameness = samenessWith(project, capture, parts);
      const isSame =
        last?.sameness === sameness &&
        lastsAsLong(last, request) &&
        (request.type ?? typeOf(last)) === typeOf(last) &&
        isSameTask(last.task, task);
      // What was stored anew is part of a checkpoint, or it is not stored.
      const isRepair = capture.damage !== undefined;
      if (last !== undefined && isSame && !isRepair && beginning.maySkip) {
        project.workTree.remember(capture);
        if (project.latestHint.here() !== last.id) project.latestHint.setHere(last.id);
        return { kind: "unchanged", checkpoint: last, gitSameness: capture.sameness, warnings };
      }
      await capture.add(parts.entries());
      const document = await describeCheckpoint(project, request, {
        capture,
        sessionId,
        session: session?.document,
        latest,
        sameness,
        parts,
        task,
      });
      const published = await project.interruption.holdOff(async () => {
        const keepAlive = request.keepAlive ?? [];
        const result = await project.checkpoints.publish({ document, capture, keepAlive });
        if (result.kind !== "published") return undefined;
        await refuseBadParts(project, document);
        rememberLatest(project, document, latest);
        if (session === undefined) await startSession(project, sessionId, document.created_at);
        if (!isSafety) await noteState(project, document, parts);
        return result.warnings ?? [];
      });
      if (published !== undefined) {
        warnings.push(...trackedDatabases(document.parts, capture), ...damageWarnings(capture));
        return {
          kind: "created",
          checkpoint: document,
          previous: last,
          gitSameness: capture.sameness,
          warnings: [...warnings, ...published],
        };
      }
    } finally {
      capture.discard();
    }
  }
  throw new Failure(
    "repository_busy",
    "the project kept changing while the checkpoint was being created",
    {
      hint: "Run the command again later. No checkpoint was created; nothing was changed.",
    },
  );
}

const MOST_NAMED = 5;

/** What the repository has lost, and whether the checkpoint makes up for it. */
function damageWarnings({ damage }: Capture): string[] {
  if (damage === undefined) return [];
  const { repaired, lost, objects } = damage;
  const from = repaired.length === 0 ? "" : `: ${someNames(repaired)}`;
  const stored = `missing or damaged objects of the repository were restored from the files on disk${from}. Run \`git fsck\``;
  const gone = `the committed or staged content of ${someNames(lost)} is lost: the repository does not have it. The files are captured as they are on disk`;
  return [...(objects > lost.length ? [stored] : []), ...(lost.length > 0 ? [gone] : [])];
}

function someNames(paths: readonly BytePath[]): string {
  const more = paths.length > MOST_NAMED ? `, and ${paths.length - MOST_NAMED} more` : "";
  return `${paths.slice(0, MOST_NAMED).map(showPath).join(", ")}${more}`;
}

function cameBetween(): Failure {
  return new Failure("repository_busy", "a rollback started or ended in the meantime", {
    hint: "Run the command again. No checkpoint was created; nothing was changed.",
  });
}

/** Read again as a rollback would: one that could not be used is no checkpoint. */
async function refuseBadParts(project: Project, document: CheckpointDocument): Promise<void> {
  const found = (await partProblems(project, document)).flatMap(({ problems }) => problems);
  if (found.length === 0) return;
  await project.checkpoints.remove([document.id]);
  throw new Failure(
    "io_failed",
    `the stored checkpoint could not be verified: ${found.join("; ")}`,
    {
      hint: "Check the disk, then run the command again. No checkpoint was created.",
    },
  );
}

function takeCapture(
  project: Project,
  request: CreateRequest,
  { parts }: CapturedParts,
): Promise<Capture> {
  return project.workTree.capture({
    policy: project.policy,
    ...(request.include === undefined ? {} : { include: request.include }),
    ...(request.evenIfIgnored === undefined ? {} : { evenIfIgnored: request.evenIfIgnored }),
    ...(request.includeSecrets === undefined ? {} : { includeSecrets: request.includeSecrets }),
    ...(request.scope === undefined ? {} : { scope: request.scope }),
    ...(request.distrusted === undefined ? {} : { distrusted: request.distrusted }),
    ...(parts.length === 0 ? {} : { leaveOut: new Set(databaseFiles(parts)) }),
  });
}

/** A checkpoint with a name, or one that marks a point of a workflow, has to be there to be found. A message alone is no reason for one. */
function mayBeSkipped(request: CreateRequest): boolean {
  if (request.force === true) return false;
  if (request.skipSame === true) return true;
  const trigger = request.trigger ?? "manual";
  if (trigger === "tool_use" || trigger === "auto") return true;
  const says = [
    request.name,
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

function lastsAsLong({ expires_at }: CheckpointDocument, { expiresAt }: CreateRequest): boolean {
  if (expires_at === null) return true;
  return expiresAt !== undefined && Date.parse(expires_at) >= Date.parse(expiresAt);
}

/** Another process may be first; the session is there then, which is all that is needed. */
async function startSession(project: Project, sessionId: string, at: string): Promise<void> {
  await project.sessions.write(newSession(sessionId, at), undefined, `session ${sessionId} begins`);
}

/** What was saved last is the state that the session is in. */
async function noteState(
  project: Project,
  { id, session_id, parts }: CheckpointDocument,
  captured: CapturedParts,
): Promise<void> {
  const part = parts.find((held) => held.type === "state_snapshot");
  if (part === undefined || !isSavedState(part)) return;
  // What holds a secret on request is in this checkpoint, and not in the session, which is part of every later one.
  const saved = part.included_secrets === undefined ? savedStates(captured) : new Map();
  await updateSession(project, session_id, `state saved in ${id}`, ({ workflow, ...session }) => ({
    ...session,
    ...(workflow === undefined ? {} : { workflow: withSavedState(workflow, saved, part.keys) }),
    state: stateRecord(id, isWholeState(part), session.state),
  }));
}

function savedStates(captured: CapturedParts): Map<string, unknown> {
  const entries = captured.entries();
  return new Map(
    SAVED_STATES.flatMap((name) => {
      const entry = entries.get(stateEntry(name));
      return entry?.kind === "bytes" ? [[name, JSON.parse(entry.bytes.toString("utf8"))]] : [];
    }),
  );
}

function unfinishedWarning(project: Project): string[] {
  const unreadable: string[] = [];
  const unfinished = lookForUnfinished(project, (said) => unreadable.push(said));
  if (unfinished === undefined) return unreadable;
  if (unfinished.owner.mayBeAtWork) {
    return [outOfSightWarning(unfinished)];
  }
  return [
    `a rollback to ${unfinished.targetId || "a checkpoint"} was interrupted ${unfinished.since}; ` +
      "run `waymark recover` to finish or revert it",
  ];
}
