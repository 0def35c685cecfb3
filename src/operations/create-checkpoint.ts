/** Takes a checkpoint of the project as it is, without changing it. */
import { showPath, type BytePath } from "../domain/byte-path.ts";
import { makeCheckpointId } from "../domain/checkpoint-id.ts";
import {
  isExpired,
  SCHEMA_VERSION,
  type CheckpointDocument,
  type Trigger,
} from "../domain/checkpoint.ts";
import { coverageWith } from "../domain/copied-coverage.ts";
import { withChecksum } from "../domain/document-text.ts";
import { Failure } from "../domain/failure.ts";
import { LAST_INSTANT } from "../domain/instant.ts";
import { latestOf } from "../domain/lineage.ts";
import { literalPattern } from "../domain/path-pattern.ts";
import {
  insidePatterns,
  outsidePatterns,
  refuseAroundProject,
  type CheckpointScope,
} from "../domain/scope.ts";
import {
  databaseFiles,
  isWholeState,
  type ExtraPart,
  type Part,
  type PartType,
} from "../domain/parts.ts";
import { redact } from "../domain/secrets/redact.ts";
import {
  implicitSessionId,
  lineOf,
  newSession,
  stateRecord,
  type SessionDocument,
} from "../domain/session.ts";
import type { Draft, PublishResult } from "../ports/checkpoint-store.ts";
import type { HeldPart } from "../ports/part-keeper.ts";
import type { PartAsk } from "../ports/part-keepers.ts";
import type { StoredSession } from "../ports/session-store.ts";
import type { Capture } from "../ports/work-tree.ts";
import { audited, type Audit } from "./audited.ts";
import { captureParts, NO_PARTS, type CapturedParts } from "./part-work.ts";
import { refuseNoSecrets, refuseOnlySecrets } from "./include-secrets.ts";
import { reportKilledGuards } from "./killed-guards.ts";
import type { Project } from "./project.ts";
import { redactedWarning, redactRequest } from "./redact-request.ts";
import { viewSessions } from "./session-view.ts";
import { updateSession } from "./update-session.ts";

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
  /** Files, and folders with all that is below, to hold although they look like secrets. One that is no such thing is an error. */
  readonly includeSecrets?: readonly BytePath[];
  /** Commits to keep alive: old tips of refs that are about to move. */
  readonly keepAlive?: readonly string[];
  /** Refs that are about to move, with the values they have now. */
  readonly refs?: Readonly<Record<string, string | null>>;
  /** Patterns that it is limited to (`src/domain/scope.ts`): each must match something. */
  readonly scope?: readonly string[];
  /** What it is for: refused when it would not hold that. */
  readonly type?: PartType;
  /** What to hold beside the work tree. */
  readonly parts?: readonly PartAsk[];
  /** For a safety checkpoint: parts whose things it has to hold as they are now. */
  readonly partsLike?: readonly HeldPart[];
  /** A capture of this very moment that the caller already has. */
  readonly capture?: Capture;
}

export interface CreateResult {
  readonly kind: "created" | "unchanged";
  readonly checkpoint: CheckpointDocument;
  /** Of the work tree alone, as captures have it. */
  readonly gitSameness: string;
  readonly warnings: readonly string[];
}

/** Two in the same second may get the same four digits; then others are tried. */
const ID_TRIES = 20;

export function createCheckpoint(project: Project, given: CreateRequest): Promise<CreateResult> {
  const { request, redacted } = redactRequest(given);
  const audit: Audit<CreateResult> = {
    operation: "create",
    sessionId: request.sessionId,
    reason: request.reason ?? request.description ?? request.name,
    isPart: request.trigger === "pre_rollback",
    outcome: ({ kind, checkpoint: { id, trigger, phase, step } }) =>
      kind === "unchanged" ? undefined : { checkpointIds: [id], details: { trigger, phase, step } },
  };
  return audited(project, audit, () => take(project, request, redacted));
}

async function take(
  project: Project,
  request: CreateRequest,
  redacted: ReturnType<typeof redactRequest>["redacted"],
): Promise<CreateResult> {
  refuseBadExpiry(project, request.expiresAt);
  refuseSecretSession(request.sessionId);
  project.sweep();
  const sessionId = request.sessionId ?? implicitSessionId(project.workTree.id);
  // What a rollback is in the middle of is no moment of the project; its own safety checkpoint comes before that.
  if (request.trigger !== "pre_rollback") await project.restorer.whenIdle();
  const activity = project.restorer.activity();
  if (request.scope !== undefined) await refuseUnmatched(project, request.scope);
  const asked = {
    asks: [...fileAsks(project, request), ...(request.parts ?? []).map(withSecretsOf(request))],
    like: request.partsLike ?? [],
  };
  const isPlain = asked.asks.length + asked.like.length === 0;
  const parts = isPlain ? NO_PARTS : await captureParts(project, sessionId, asked);
  try {
    refuseOtherType(request.type, parts.parts);
    const warnings = redactedWarning(redacted);
    return await takeOne(project, request, { sessionId, activity, parts, warnings });
  } finally {
    parts.discard();
  }
}

/** Files that git ignores or that are outside: those of the scope, or those that the settings name. */
function fileAsks(
  project: Project,
  { scope, trigger, includeSecrets = [] }: CreateRequest,
): PartAsk[] {
  // A safety checkpoint holds what its rollback changes.
  if (trigger === "pre_rollback") return [];
  const secrets = includeSecrets.map(showPath);
  // Whoever names a secret means it, also where git ignores it, as it mostly does.
  const named = secrets.filter((path) => !path.startsWith("/")).map(literalPattern);
  const asked = scope === undefined ? project.config.capture.includeIgnored : insidePatterns(scope);
  const patterns = [...asked, ...insidePatterns(named)];
  const outside = outsidePatterns(scope ?? []);
  if (patterns.length + outside.length === 0) return [];
  // The patterns of the settings count for files that come later, too: a rollback removes those.
  const isOptional = scope !== undefined || asked.length === 0;
  return [{ type: "file_backup", patterns, outside, includeSecrets: secrets, isOptional }];
}

const HOW_TO_HOLD: Readonly<Record<ExtraPart["type"], string>> = {
  file_backup:
    "Name files that git ignores, or files outside of the project, with --scope; files that git knows are in every checkpoint.",
  state_snapshot: "Add --state FILE or --outputs FILE.",
  database_savepoint: "Add --database URL.",
};

/** Whoever says what a checkpoint is for relies on it. */
function refuseOtherType(type: PartType | undefined, parts: readonly ExtraPart[]): void {
  if (type === undefined || type === "git_stash") return;
  const holds = parts.some(
    (part) => part.type === type && (part.type !== "file_backup" || part.files > 0),
  );
  if (holds) return;
  throw new Failure("usage", `--type ${type}: this checkpoint would hold nothing of that kind`, {
    hint: `${HOW_TO_HOLD[type]} No checkpoint was made.`,
  });
}

/** Whoever names a secret file means it as a state, too. */
function withSecretsOf({ includeSecrets }: CreateRequest): (ask: PartAsk) => PartAsk {
  return (ask) =>
    ask.type === "state_snapshot" && includeSecrets !== undefined
      ? { ...ask, includeSecrets: [...(ask.includeSecrets ?? []), ...includeSecrets] }
      : ask;
}

/** A typing error must not look like a checkpoint that holds what was meant. */
async function refuseUnmatched(project: Project, scope: readonly string[]): Promise<void> {
  refuseAroundProject(scope, project.workTree.root);
  const unmatched = await project.workTree.unmatched(scope);
  if (unmatched.length === 0) return;
  const names = unmatched.map(({ pattern }) => pattern);
  const meant = unmatched.flatMap(({ nearest }) => nearest ?? []);
  throw new Failure("usage", `--scope: no file matches ${names.join(", ")}`, {
    hint:
      (meant.length === 0 ? "" : `Did you mean ${meant.join(", ")}? `) +
      "Name files, folders or patterns that match at least one file. No checkpoint was made.",
    details: { patterns: names },
  });
}

interface Beginning {
  readonly sessionId: string;
  readonly activity: string;
  readonly parts: CapturedParts;
  readonly warnings: readonly string[];
}

async function takeOne(
  project: Project,
  request: CreateRequest,
  { sessionId, parts, ...beginning }: Beginning,
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
      const isSame = last?.sameness === sameness && !isExpired(last, project.clock.now());
      if (last !== undefined && isSame && mayBeSkipped(request)) {
        return { kind: "unchanged", checkpoint: last, gitSameness: capture.sameness, warnings };
      }
      await capture.add(parts.entries());
      const document = await describe(project, request, {
        capture,
        sessionId,
        session: session?.document,
        latest,
        sameness,
        parts,
      });
      const published = await project.interruption.holdOff(async () => {
        const result = await publishWithParts(project, parts, {
          document,
          capture,
          keepAlive: request.keepAlive ?? [],
        });
        if (result.kind !== "published") return undefined;
        rememberLatest(project, document, latest);
        if (session === undefined) await startSession(project, sessionId, document.created_at);
        if (!isSafety) await noteState(project, document);
        return result.warnings ?? [];
      });
      if (published !== undefined) {
        warnings.push(...trackedDatabases(document.parts, capture));
        return {
          kind: "created",
          checkpoint: document,
          gitSameness: capture.sameness,
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

function cameBetween(): Failure {
  return new Failure("repository_busy", "a rollback came in between", {
    hint: "Run the command again. No checkpoint was made; nothing was changed.",
  });
}

/** What lies outside of git is in its place before the checkpoint can be seen, and goes when it cannot. */
async function publishWithParts(
  project: Project,
  parts: CapturedParts,
  draft: Draft,
): Promise<PublishResult> {
  let isPublished = false;
  try {
    await parts.keep(draft.document.id);
    const result = await project.checkpoints.publish(draft);
    isPublished = result.kind === "published";
    return result;
  } finally {
    if (!isPublished) await parts.unkeep(draft.document.id);
  }
}

/** What a part is about: two databases with the same rows are two databases. */
function subjectOf(part: ExtraPart): readonly string[] {
  switch (part.type) {
    case "file_backup":
      return [...part.patterns, "", ...part.outside];
    case "state_snapshot":
      return part.documents.map(({ name, path }) => `${name} ${path ?? ""}`);
    case "database_savepoint":
      return [part.engine, part.source, part.label];
  }
}

/** Git compares bytes, and a database with the same rows may have others. */
function trackedDatabases(parts: readonly Part[], capture: Capture): string[] {
  const leftToThem = new Set(
    capture.details.excluded
      .filter(({ reason }) => reason === "in_database")
      .map(({ path }) => path),
  );
  return parts.flatMap((part) => {
    const [file] = databaseFiles([part]);
    const isTracked =
      part.type === "database_savepoint" &&
      part.bytes > 0 &&
      file !== undefined &&
      !leftToThem.has(showPath(file));
    return isTracked
      ? [
          `${part.label} is tracked by git: after a rollback its rows are right, but git may show it as modified`,
        ]
      : [];
  });
}

function samenessWith(project: Project, capture: Capture, { parts }: CapturedParts): string {
  if (parts.length === 0) return capture.sameness;
  const counted = parts.map((part) => [part.type, part.digest, subjectOf(part)]);
  return project.sha256(JSON.stringify([capture.sameness, ...counted]));
}

/** It becomes the name of a ref, so it cannot be replaced like other texts. */
function refuseSecretSession(sessionId: string | undefined): void {
  if (sessionId === undefined || redact(sessionId) === sessionId) return;
  throw new Failure("usage", "the session's id looks like a secret", {
    hint: "Use another one: it is written into refs and documents. No checkpoint was made.",
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

function takeCapture(
  project: Project,
  request: CreateRequest,
  { parts }: CapturedParts,
): Promise<Capture> {
  return project.workTree.capture({
    policy: project.policy,
    ...(request.include === undefined ? {} : { include: request.include }),
    ...(request.includeSecrets === undefined ? {} : { includeSecrets: request.includeSecrets }),
    ...(request.scope === undefined ? {} : { scope: request.scope }),
    ...(parts.length === 0 ? {} : { leaveOut: new Set(databaseFiles(parts)) }),
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
  readonly sameness: string;
  readonly parts: CapturedParts;
}

async function describe(
  project: Project,
  request: CreateRequest,
  moment: Moment,
): Promise<CheckpointDocument> {
  const { capture, sessionId, latest } = moment;
  const { parts } = moment.parts;
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
      parts: [capture.part, ...parts],
      ...scopeOf(request),
      ...(request.type === undefined ? {} : { type: request.type }),
      coverage: coverageWith(capture.coverage, capture.details.excluded, moment.parts),
      metrics: request.metrics ?? {},
      files: await project.workTree.changesSince(previous, capture),
      sameness: moment.sameness,
      content_hash: capture.contentHash,
      state_digest: parts.find(({ type }) => type === "state_snapshot")?.digest ?? null,
      durability: request.durability ?? "safe",
      expires_at: timeStamp(request.expiresAt),
      restore_command: `waymark rollback ${id} --yes`,
    },
    project.sha256,
  );
}

/** However it was written: in the form that all time stamps have. */
function timeStamp(at: string | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}

function scopeOf({ scope, parts = [] }: CreateRequest): { scope?: CheckpointScope } {
  if (scope === undefined) return {};
  const state = parts.find((part) => part.type === "state_snapshot");
  return { scope: { files: scope, state_keys: state?.keys ?? null } };
}

/** Another process may be first; the session is there then, which is all that is needed. */
async function startSession(project: Project, sessionId: string, at: string): Promise<void> {
  await project.sessions.write(newSession(sessionId, at), undefined, `session ${sessionId} begins`);
}

/** What was saved last is the state that the session is in. */
async function noteState(
  project: Project,
  { id, session_id, parts }: CheckpointDocument,
): Promise<void> {
  const part = parts.find((held) => held.type === "state_snapshot");
  if (part === undefined) return;
  await updateSession(project, session_id, `state saved in ${id}`, (session) => ({
    ...session,
    state: stateRecord(id, isWholeState(part), session.state),
  }));
}

function unfinishedWarning(project: Project): string[] {
  const unfinished = project.restorer.unfinished();
  if (unfinished === undefined) return [];
  return [
    `a rollback to ${unfinished.targetId || "a checkpoint"} was interrupted ${unfinished.since}; ` +
      "run `waymark recover` to finish it or take it back",
  ];
}
