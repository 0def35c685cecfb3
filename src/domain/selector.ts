/** How people name a checkpoint: id, part of an id, name, step, `latest`, `latest~2`, `start`, `phase:NAME`, `session:ID/4`. */
import { Failure } from "./failure.ts";
import type { CheckpointDocument } from "./checkpoint.ts";
import { isNoOlder, readCheckpointId, slug } from "./checkpoint-id.ts";
import { nearestNames } from "./nearest-name.ts";
import { titleOf } from "./checkpoint-glance.ts";
import type { Standing } from "./lineage.ts";
import { relativeTime } from "./relative-time.ts";
import { idsNamedBy, isHash, LEAST_PART, STEP } from "./short-id.ts";
import { newestFirst } from "./time-line.ts";
import { noSuchSession } from "./workflow/session-selector.ts";

export interface Candidate {
  readonly id: string;
  /** Absent when the checkpoint is damaged: it can still be named by its id. */
  readonly document: CheckpointDocument | undefined;
}

export interface SelectorContext {
  readonly candidates: readonly Candidate[];
  readonly standing: (document: CheckpointDocument) => Standing;
  /** Only its checkpoints count; undefined: those of every session in this work tree. */
  readonly sessionId: string | undefined;
  /** A started session that goes on: steps and phases are its own. */
  readonly startedId: string | undefined;
  readonly worktreeId: string;
  /** Every one that there is, latest first; undefined: one cannot be read, so nobody knows. */
  readonly sessions: readonly string[] | undefined;
  /** What is in the trash, when it was deleted, and whose it was. */
  readonly deleted: ReadonlyMap<string, { readonly at: string; readonly sessionId: string }>;
  readonly now: Date;
  /** The project becomes equal to it: a step that was rolled past is refused then. */
  readonly restores: boolean;
}

export interface Selection {
  readonly id: string;
}

/** What is read as something else before names are looked at. */
export function isNoName(text: string): boolean {
  const isPart = text.length >= LEAST_PART && isHash(text);
  return (
    STEP.test(text) || isPart || /^(?:latest(?:~\d*)?$|start$|phase:|session:|cp-\d)/.test(text)
  );
}

/** Safety checkpoints have no other. */
const SAFETY_LABEL = slug("pre_rollback");
const MAX_LISTED = 5;
const MAX_TITLE = 60;
/** `cp-` and a digit of the step: less says nothing about what was meant. */
const LEAST_SHARED = 4;

export function selectCheckpoint(text: string, context: SelectorContext): Selection {
  const found = bySession(text, context) ?? byWord(text, context) ?? byStep(text, context);
  return found ?? byId(text, context);
}

function bySession(text: string, context: SelectorContext): Selection | undefined {
  const match = /^session:([^/]+)\/(.+)$/.exec(text);
  if (match === null) return undefined;
  const [, sessionId = "", rest = ""] = match;
  refuseUnknown(sessionId, context);
  return selectCheckpoint(rest, { ...context, sessionId, worktreeId: "" });
}

/** Checkpoints of another session are no answer to one that is not there. Those of one that was deleted may be. */
function refuseUnknown(sessionId: string, { candidates, sessions }: SelectorContext): void {
  if (sessions === undefined || sessions.includes(sessionId)) return;
  if (candidates.some(({ document }) => document?.session_id === sessionId)) return;
  throw noSuchSession(sessionId, sessions);
}

function byWord(text: string, context: SelectorContext): Selection | undefined {
  const latest = /^latest(?:~(\d{0,6}))?$/.exec(text);
  if (latest !== null) {
    const line = validLine(context);
    const [, back] = latest;
    const chosen = line[back === undefined ? 0 : back === "" ? 1 : Number(back)];
    const found = readableOrNewer(context, chosen, () => true);
    if (found !== undefined) return found;
    const count =
      line.length === 1 ? "is only 1 checkpoint" : `are only ${line.length} checkpoints`;
    throw notFound(
      text,
      context,
      line.length === 0 ? undefined : `there ${count} to count back from`,
    );
  }
  const phase = /^phase:(.+)$/.exec(text)?.[1];
  if (text !== "start" && phase === undefined) return undefined;
  const line = validLine({ ...context, sessionId: context.sessionId ?? context.startedId });
  const chosen =
    phase === undefined
      ? line.findLast(({ session_id }) => session_id === line[0]?.session_id)
      : line.find((document) => document.phase === phase && document.trigger === "pre_phase");
  if (chosen !== undefined && phase === undefined) refuseLaterStart(chosen, context);
  const found = readableOrNewer(
    context,
    chosen,
    ({ label }) => phase !== undefined && label === slug(phase),
  );
  if (found !== undefined) return found;
  throw notFound(
    text,
    context,
    phase === undefined ? undefined : `none was created before that phase`,
  );
}

/** The next one is no answer where the first was cleaned up. */
function refuseLaterStart(chosen: CheckpointDocument, { deleted, now }: SelectorContext): void {
  const earlier = [...deleted].flatMap(([id, { sessionId }]) =>
    sessionId === chosen.session_id &&
    readCheckpointId(id)?.label !== SAFETY_LABEL &&
    !isNoOlder(id, chosen)
      ? [id]
      : [],
  );
  const [first] = earlier.toSorted((left, right) => (timeOf(left) < timeOf(right) ? -1 : 1));
  if (first === undefined) return;
  const when = relativeTime(deleted.get(first)?.at ?? "", now);
  throw new Failure(
    "checkpoint_not_found",
    `the first checkpoint of session ${chosen.session_id} was deleted ${when}`,
    {
      hint: `\`waymark delete --undo ${first}\` restores it; the oldest that is left is ${chosen.id}.`,
      details: { candidates: [first, chosen.id] },
    },
  );
}

/**
 * What words and steps mean: `chosen`, or a newer one that cannot be read, so that damage is reported instead of passed over. Only its id
 * says what it was, so it may be of another session or work tree: then the id of the one that is meant has to be given.
 */
function readableOrNewer(
  { candidates }: SelectorContext,
  chosen: CheckpointDocument | undefined,
  isMeant: (id: NonNullable<ReturnType<typeof readCheckpointId>>) => boolean,
): Selection | undefined {
  const newer = candidates.filter(({ id, document }) => {
    const read = document === undefined ? readCheckpointId(id) : undefined;
    return (
      read !== undefined &&
      read.label !== SAFETY_LABEL &&
      (chosen === undefined || isNoOlder(id, chosen)) &&
      isMeant(read)
    );
  });
  const [newest = chosen] = newer.toSorted((left, right) =>
    timeOf(left.id) < timeOf(right.id) ? 1 : -1,
  );
  return newest === undefined ? undefined : { id: newest.id };
}

function timeOf(id: string): string {
  return readCheckpointId(id)?.at ?? "";
}

/** Of the last session that has the step: a step that it left by a rollback is not looked for in earlier ones. */
function byStep(text: string, context: SelectorContext): Selection | undefined {
  if (!STEP.test(text)) return undefined;
  const step = Number(text);
  const sessionId = context.sessionId ?? context.startedId;
  const any = lineOf({ ...context, sessionId }).filter((document) => document.step === step);
  const [last] = any;
  const unreadable = readableOrNewer(context, last, (id) => step > 0 && id.step === step);
  if (unreadable !== undefined && unreadable.id !== last?.id) return unreadable;
  if (last === undefined) throw notFound(text, context, `none has step ${step}`);
  const ofStep = any.filter(({ session_id }) => session_id === last.session_id);
  const valid = ofStep.filter((document) => context.standing(document).valid);
  const chosen = endOfStep(valid) ?? (context.restores ? undefined : endOfStep(ofStep));
  if (chosen !== undefined) return { id: chosen.id };
  throw new Failure(
    "roll_forward",
    `step ${step} was rolled past: a rollback went to an earlier step`,
    {
      hint: `A step number cannot roll forward, but the id can: \`waymark rollback ${last.id}\`; \`waymark undo\` reverts the rollback.`,
      details: { candidates: [last.id] },
    },
  );
}

function endOfStep(ofStep: readonly CheckpointDocument[]): CheckpointDocument | undefined {
  return (
    ofStep.find(({ trigger }) => trigger === "post_phase") ??
    ofStep.find(({ trigger }) => ["pre_phase", "manual"].includes(trigger)) ??
    ofStep[0]
  );
}

function byId(text: string, context: SelectorContext): Selection {
  const named = namedBy(text, context);
  const [id] = named;
  if (id === undefined) {
    refuseDeleted(text, context);
    const isShort = text.length < LEAST_PART;
    const why = isShort ? `a part of an id needs at least ${LEAST_PART} characters` : undefined;
    throw notFound(text, context, why);
  }
  if (named.length > 1) {
    throw new Failure(
      "ambiguous_selector",
      `"${text}" is ambiguous: it matches ${named.length} checkpoints`,
      {
        hint: `Use a longer part of the id:\n${listed(named, context)}`,
        details: { candidates: named },
      },
    );
  }
  return { id };
}

/** A whole name comes before a part of an id, and after what is printed as the short form of one. */
function namedBy(text: string, context: SelectorContext): string[] {
  const { candidates } = context;
  const ofId = idsNamedBy(text, idsOf(context));
  if (ofId.includes(text) || (ofId.length > 0 && isHash(text))) return ofId;
  const ofName = candidates.filter(({ document }) => document?.name === text);
  return ofName.length > 0 ? ofName.map(({ id }) => id) : ofId;
}

function refuseDeleted(text: string, { deleted, now }: SelectorContext): void {
  const [id, ...others] = idsNamedBy(text, [...deleted.keys()]);
  if (id === undefined || others.length > 0) return;
  const when = relativeTime(deleted.get(id)?.at ?? "", now);
  throw new Failure("checkpoint_not_found", `${text} was deleted ${when}`, {
    hint: `\`waymark delete --undo ${id}\` restores it.`,
    details: { candidates: [id] },
  });
}

/** Of this work tree and the session that was asked for, newest first, without `pre_rollback` ones. */
function lineOf({ candidates, sessionId, worktreeId }: SelectorContext): CheckpointDocument[] {
  return newestFirst(
    candidates
      .flatMap(({ document }) => document ?? [])
      .filter(
        (document) =>
          (sessionId === undefined || document.session_id === sessionId) &&
          (worktreeId === "" || document.worktree_id === worktreeId) &&
          document.trigger !== "pre_rollback",
      ),
  );
}

function validLine(context: SelectorContext): CheckpointDocument[] {
  return lineOf(context).filter((document) => context.standing(document).valid);
}

function notFound(text: string, context: SelectorContext, why: string | undefined): Failure {
  const near = nearestIds(text, context.candidates);
  const shown = near.length > 0 ? near : newestIds(context);
  return new Failure(
    "checkpoint_not_found",
    `no checkpoint matches "${text}"${why === undefined ? "" : `: ${why}`}`,
    {
      hint:
        shown.length === 0
          ? "`waymark create` creates the first checkpoint."
          : `${meant(text, context)}The ${near.length > 0 ? "nearest" : "newest"}:\n${listed(shown, context)}\n\`waymark list\` shows more; \`waymark delete --undo\` lists deleted ones.`,
      details: { candidates: shown },
    },
  );
}

/** A line for each: id, age, what it is about. */
function listed(ids: readonly string[], context: SelectorContext): string {
  const { candidates, now, standing } = context;
  // A line says more than that there is one more.
  const most = ids.length === MAX_LISTED + 1 ? ids.length : MAX_LISTED;
  const rows = ids.slice(0, most).map((id) => {
    const document = candidates.find((candidate) => candidate.id === id)?.document;
    if (document === undefined) return `  ${id}  (cannot be read)`;
    const title = titleOf(document);
    const cut = title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE - 1)}…` : title;
    const past = standing(document).valid ? "" : "  (rolled past)";
    return `  ${id}  ${relativeTime(document.created_at, now)}  ${cut}${past}`;
  });
  const more = ids.length - rows.length;
  return [...rows, ...(more > 0 ? [`  … and ${more} more`] : [])].join("\n");
}

/** Newest first, then those that cannot be read. */
function idsOf({ candidates }: SelectorContext): string[] {
  const readable = newestFirst(candidates.flatMap(({ document }) => document ?? []));
  const unreadable = candidates.filter(({ document }) => document === undefined);
  return [...readable, ...unreadable].map(({ id }) => id);
}

function newestIds(context: SelectorContext): string[] {
  return lineOf({ ...context, sessionId: undefined, worktreeId: "" })
    .slice(0, MAX_LISTED)
    .map(({ id }) => id);
}

function meant(text: string, { candidates }: SelectorContext): string {
  if (text === "now") return "The project as it is now needs no name: `waymark diff CHECKPOINT`. ";
  const commit = /^(?:HEAD|@)([~^]\d*)?$/.exec(text);
  if (commit !== null) {
    const back = commit[1] === undefined ? "" : `~${commit[1].slice(1) || 1}`;
    return `Did you mean \`latest${back}\`? `;
  }
  const phases = new Set(candidates.flatMap(({ document }) => document?.phase ?? []));
  const words = ["latest", "start", ...[...phases].map((phase) => `phase:${phase}`)];
  const [word] = phases.has(text) ? [`phase:${text}`] : nearestNames(text, words);
  return word === undefined || text.startsWith(word) ? "" : `Did you mean \`${word}\`? `;
}

function nearestIds(text: string, candidates: readonly Candidate[]): string[] {
  return candidates
    .map((candidate) => ({ id: candidate.id, score: sharedStart(text, candidate.id) }))
    .filter(({ score }) => score >= LEAST_SHARED)
    .toSorted((left, right) => right.score - left.score || (left.id < right.id ? 1 : -1))
    .slice(0, MAX_LISTED)
    .map((scored) => scored.id);
}

function sharedStart(text: string, id: string): number {
  let shared = 0;
  while (shared < text.length && text[shared] === id[shared]) shared++;
  return shared;
}
