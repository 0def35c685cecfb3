/** Which checkpoints stay and which go, with a reason for both. docs/retention.md explains the rules in their order. */
import { exactTime } from "./exact-time.ts";
import { isExpired, type CheckpointDocument, type Trigger } from "./checkpoint.ts";
import type { Duration, Retention } from "./config.ts";
import { compareAge, latestOf } from "./lineage.ts";
import { showDuration } from "./duration.ts";
import { neededForUndo } from "./session-records.ts";
import { hasEndedFor, keptFor, WENT_WRONG } from "./session-retention.ts";
import type { SessionDocument } from "./session.ts";
import { MILESTONES } from "./milestones.ts";
import { TRIGGER_WORDS } from "./trigger-words.ts";

export interface RetentionCandidate {
  readonly document: CheckpointDocument;
  /** On the line that leads to now. */
  readonly isValid: boolean;
  readonly isPinned: boolean;
  /** For `pre_rollback`: it reaches commits that no ref of the user and no newer checkpoint reaches. */
  readonly holdsCommitsAlone: boolean;
}

/** Given for one cleanup: they take the place of the configured counts, ages and size. */
export interface RetentionLimits {
  /** Keep this many of each session, the newest. */
  readonly keep?: number;
  /** Keep what is younger. */
  readonly olderThanMs?: number;
  /** Keep nothing but what is pinned or needed by something under way. */
  readonly all?: boolean;
}

export interface RetentionInput {
  readonly candidates: readonly RetentionCandidate[];
  readonly sessions: ReadonlyMap<string, SessionDocument>;
  /** Sessions that a work tree is in or a process runs. */
  readonly inUse?: ReadonlySet<string>;
  readonly settings: Retention;
  readonly now: Date;
  readonly limits: RetentionLimits;
  /**
   * Bytes of each checkpoint, where an object counts for the newest one that holds it. Undefined: not measured, and the
   * size is not looked at.
   */
  readonly sizes: ReadonlyMap<string, number> | undefined;
  /**
   * Checkpoints that something under way needs, and what that is, in words. The hook for whoever runs a rollback, a
   * guard or a phase: nothing named here ever goes.
   */
  readonly neededBy: ReadonlyMap<string, string>;
}

export interface Verdict {
  readonly id: string;
  readonly stays: boolean;
  readonly reason: string;
}

/** With `all`: said once, not for each. */
export const EVERYTHING = "--all was given";

const UNLIMITED = -1;
const SUCCEEDED = "completed";
const PER_PHASE: ReadonlySet<Trigger> = new Set(["batch_complete", "agent_complete"]);
const BYTES_PER_MB = 1_000_000;

type Reasons = Map<string, string>;
type Left = readonly RetentionCandidate[];
/** `starts`: milestones that the automatic rules leave alone. */
type Rule = (left: Left, input: RetentionInput, starts: Reasons) => Reasons;

/** One verdict for each candidate, newest first, whatever the order of the input. */
export function decideRetention(input: RetentionInput): Verdict[] {
  const isLimited = areLimits(input.limits);
  const rules: readonly Rule[] = isLimited
    ? [byExpiry, byLimits]
    : [byExpiry, bySuccess, byArchive, byAge, byCount, byTask, bySize];
  const guarded = protectedOnes(input);
  const starts: Reasons = isLimited ? new Map() : youngStarts(input);
  const gone: Reasons = new Map();
  const all = input.candidates.toSorted(newestFirst);
  let left: Left = all;
  for (const rule of rules) {
    // What is protected takes a place in every count, and stays.
    for (const [id, reason] of rule(left, input, starts))
      if (!guarded.has(id)) gone.set(id, reason);
    left = left.filter(({ document }) => !gone.has(document.id));
  }
  return all.map((candidate) => {
    const { id } = candidate.document;
    const why = gone.get(id);
    if (why !== undefined) return { id, stays: false, reason: why };
    const reason = guarded.get(id) ?? starts.get(id) ?? whyItStays(candidate, input, isLimited);
    return { id, stays: true, reason };
  });
}

/** They take the place of the configured rules. */
export function areLimits({ keep, olderThanMs, all }: RetentionLimits): boolean {
  return keep !== undefined || olderThanMs !== undefined || all === true;
}

/** Where started sessions began, and the days of agents, as long as `max_age` has not passed. */
function youngStarts(input: RetentionInput): Reasons {
  const reasons: Reasons = new Map();
  const own = input.candidates.filter(({ document }) => document.trigger !== "pre_rollback");
  const first = (group: Left): CheckpointDocument | undefined =>
    group.toSorted(newestFirst).at(-1)?.document;
  const keep = (start: CheckpointDocument | undefined, reason: string): void => {
    if (start === undefined || reasons.has(start.id)) return;
    const longest = longestAge(start, input);
    if (longest === null || !isOlder(start, longest, input.now)) reasons.set(start.id, reason);
  };
  // The work tree's own session has no start that means anything.
  const begin = own.filter(
    ({ document: { previous_id, session_id } }) =>
      previous_id === null && input.sessions.get(session_id)?.implicit === false,
  );
  for (const session of groups(begin, ({ document }) => document.session_id).values()) {
    keep(first(session), "the start of its session");
  }
  const ofAgents = own.filter(({ document }) => document.created_by.agent_session_id !== null);
  for (const group of groups(ofAgents, agentDay).values()) {
    const start = first(group);
    const agent = start?.created_by.agent ?? "its agent";
    keep(start, `the first of ${agent}'s session on ${start?.created_at.slice(0, DATE) ?? ""}`);
  }
  return reasons;
}

/** Of an ISO time stamp: the day in UTC. */
const DATE = "2026-11-18".length;

function agentDay({ document: { created_at, created_by } }: RetentionCandidate): string {
  const { agent, agent_session_id } = created_by;
  return [agent, agent_session_id, created_at.slice(0, DATE)].join("\n");
}

const without = (reasons: Reasons, starts: Reasons): Reasons =>
  new Map([...reasons].filter(([id]) => !starts.has(id)));

/** What no rule takes. */
function protectedOnes(input: RetentionInput): Reasons {
  const { candidates, sessions } = input;
  const reasons: Reasons = new Map();
  const protect = (id: string, reason: string): void => {
    if (!reasons.has(id)) reasons.set(id, reason);
  };
  for (const { document, isPinned } of candidates) if (isPinned) protect(document.id, "pinned");
  for (const [id, who] of input.neededBy) protect(id, `needed by ${who}`);
  for (const { document, holdsCommitsAlone } of candidates) {
    if (holdsCommitsAlone)
      protect(document.id, "it is the only reference to some commits; only `delete` removes it");
  }
  const { all, keep, olderThanMs } = input.limits;
  if (all === true) return reasons;
  for (const id of neededForUndo(sessions.values())) protect(id, "undo or redo needs it");
  // Who keeps none means the newest too.
  if (keep === 0 || olderThanMs === 0) return reasons;
  for (const line of groups(candidates, lineKey).values()) {
    // The last of a session that ended long ago is not what anybody goes on from.
    if (!line.some(({ document }) => isPast(document, input))) protectLine(line, protect);
  }
  return reasons;
}

function protectLine(line: Left, protect: (id: string, reason: string) => void): void {
  const valid = new Map(line.map(({ document, isValid }) => [document.id, isValid]));
  const documents = line.map(({ document }) => document);
  const current = latestOf(documents, ({ id }) => ({
    valid: valid.get(id) === true,
    invalidated_by: null,
  }));
  if (current !== undefined) protect(current.id, "the current one of its work tree");
  const own = documents.filter(({ trigger }) => trigger !== "pre_rollback").toSorted(compareAge);
  const newest = own.at(-1);
  if (newest !== undefined) protect(newest.id, "the newest of its session");
  const safety = documents.filter(({ trigger }) => trigger === "pre_rollback").toSorted(compareAge);
  const last = safety.at(-1);
  if (last !== undefined) protect(last.id, "the newest safety checkpoint of its session");
}

function byExpiry(left: Left, { now }: RetentionInput): Reasons {
  return reasonsOf(left, ({ document }) =>
    isExpired(document, now) ? `expired at ${exactTime(document.expires_at ?? "")}` : undefined,
  );
}

/** What no given limit keeps goes, whatever the settings say about its trigger. */
function byLimits(left: Left, { limits, now }: RetentionInput): Reasons {
  const { all, keep, olderThanMs } = limits;
  if (all === true) return reasonsOf(left, () => EVERYTHING);
  const surplus =
    keep === undefined
      ? undefined
      : beyond(left, keep, newestOfLineFirst, (candidate) =>
          [lineKey(candidate), candidate.document.trigger === "pre_rollback"].join("\n"),
        );
  return reasonsOf(left, ({ document }) => {
    if (surplus?.has(document.id) === false) return undefined;
    if (olderThanMs !== undefined && !isOlder(document, olderThanMs, now)) return undefined;
    const beyondNewest = keep === undefined ? [] : [`not one of the newest ${keep} of its session`];
    const older = olderThanMs === undefined ? [] : [`older than ${showDuration(olderThanMs)}`];
    return [...beyondNewest, ...older].join(" and ");
  });
}

function bySuccess(left: Left, input: RetentionInput, starts: Reasons): Reasons {
  const { onSuccess } = input.settings;
  if (onSuccess === "keep_all") return new Map();
  return reasonsOf(left, ({ document }) => {
    if (statusOf(document, input) !== SUCCEEDED) return undefined;
    const isMilestone = MILESTONES.has(document.trigger) || starts.has(document.id);
    if (onSuccess === "keep_milestones" && isMilestone) return undefined;
    return onSuccess === "delete_all"
      ? "its session was completed"
      : "not a milestone of a completed session";
  });
}

/** Of a session that went wrong everything goes when its time is over, milestones too. */
function byArchive(left: Left, input: RetentionInput): Reasons {
  return reasonsOf(left, ({ document }) => {
    const status = statusOf(document, input) ?? "";
    const { failedMaxAge } = input.settings;
    if (!WENT_WRONG.has(status) || failedMaxAge === null || !isPast(document, input))
      return undefined;
    return `its session was ${status} more than ${showDuration(failedMaxAge)} ago`;
  });
}

function byAge(left: Left, input: RetentionInput): Reasons {
  return reasonsOf(left, ({ document }) => {
    if (isUnlimited(document, input)) return undefined;
    const longest = longestAge(document, input);
    if (longest === null || !isOlder(document, longest, input.now)) return undefined;
    return `older than ${showDuration(longest)}`;
  });
}

function byCount(left: Left, input: RetentionInput, starts: Reasons): Reasons {
  const reasons: Reasons = new Map();
  for (const group of groups(left, countKey).values()) {
    const [first] = group;
    if (first === undefined || isUnlimited(first.document, input)) continue;
    const count = input.settings.counts[first.document.trigger];
    for (const { document } of group.toSorted(newestOfLineFirst).slice(count)) {
      reasons.set(document.id, `not among ${countWords(document, count)}`);
    }
  }
  return without(reasons, starts);
}

function byTask(left: Left, input: RetentionInput, starts: Reasons): Reasons {
  const { maxPerTask } = input.settings;
  if (maxPerTask === UNLIMITED) return new Map();
  const counted = left.filter(({ document }) => isLimitedByTask(document, input));
  const surplus = beyond(
    counted,
    maxPerTask,
    newestFirst,
    ({ document }) => document.task_id ?? "",
  );
  const reasons = reasonsOf(counted, ({ document }) =>
    surplus.has(document.id) ? `more than ${maxPerTask} of task ${document.task_id}` : undefined,
  );
  return without(reasons, starts);
}

/** Oldest first; those of which all are kept otherwise come last. */
function bySize(left: Left, input: RetentionInput, starts: Reasons): Reasons {
  const { sizes, settings } = input;
  const reasons: Reasons = new Map();
  if (sizes === undefined || settings.maxSizeMb === UNLIMITED) return reasons;
  const bytesOf = ({ document }: RetentionCandidate): number => sizes.get(document.id) ?? 0;
  let over =
    left.reduce((sum, candidate) => sum + bytesOf(candidate), 0) -
    settings.maxSizeMb * BYTES_PER_MB;
  const guarded = protectedOnes(input);
  const order = left
    .filter(({ document }) => !guarded.has(document.id) && !starts.has(document.id))
    .toSorted(
      (one, other) =>
        Number(isUnlimited(one.document, input)) - Number(isUnlimited(other.document, input)) ||
        newestFirst(other, one),
    );
  for (const candidate of order) {
    if (over <= 0) break;
    over -= bytesOf(candidate);
    reasons.set(
      candidate.document.id,
      `checkpoints take more than ${settings.maxSizeMb} MB, and it is among the oldest`,
    );
  }
  return reasons;
}

function whyItStays(
  { document }: RetentionCandidate,
  input: RetentionInput,
  isLimited: boolean,
): string {
  if (isLimited) return "kept by --keep or --older-than";
  if (isUnlimited(document, input)) {
    return isLimitedByTask(document, input)
      ? `among the newest ${input.settings.maxPerTask} of task ${document.task_id}`
      : `all of its kind are kept (${TRIGGER_WORDS[document.trigger]})`;
  }
  const count = input.settings.counts[document.trigger];
  return `among ${countWords(document, count)}`;
}

function countWords(document: CheckpointDocument, count: number): string {
  const where = PER_PHASE.has(document.trigger)
    ? `of phase ${document.phase ?? "(none)"}`
    : "of its session";
  return `the newest ${count} ${where} (${TRIGGER_WORDS[document.trigger]})`;
}

function isUnlimited(document: CheckpointDocument, { settings }: RetentionInput): boolean {
  return settings.counts[document.trigger] === UNLIMITED;
}

function isLimitedByTask(document: CheckpointDocument, input: RetentionInput): boolean {
  if (document.task_id === null) return false;
  const { limitedByTask } = input.settings;
  return !isUnlimited(document, input) || limitedByTask.includes(document.trigger);
}

function statusOf(document: CheckpointDocument, { sessions }: RetentionInput): string | undefined {
  return sessions.get(document.session_id)?.status;
}

function longestAge(document: CheckpointDocument, input: RetentionInput): Duration {
  return keptFor(statusOf(document, input) ?? "", input.settings);
}

/** Its session has ended, and the time is over for which it was to be kept. Never the one that people look at. */
function isPast(document: CheckpointDocument, input: RetentionInput): boolean {
  const session = input.sessions.get(document.session_id);
  if (session === undefined || input.inUse?.has(session.id) === true) return false;
  return hasEndedFor(session, keptFor(session.status, input.settings), input.now);
}

/** One whose time nobody can read is not old. */
function isOlder(document: CheckpointDocument, ms: number, now: Date): boolean {
  return now.getTime() - Date.parse(document.created_at) > ms;
}

/** Sequence numbers mean something within a session and a work tree only. */
function lineKey({ document }: Pick<RetentionCandidate, "document">): string {
  return `${document.session_id}\n${document.worktree_id}`;
}

function countKey(candidate: RetentionCandidate): string {
  const { trigger, phase } = candidate.document;
  return `${lineKey(candidate)}\n${trigger}\n${PER_PHASE.has(trigger) ? (phase ?? "") : ""}`;
}

/** Across sessions only the clock orders. */
function newestFirst(one: RetentionCandidate, other: RetentionCandidate): number {
  const left = one.document.created_at;
  const right = other.document.created_at;
  return left === right ? newestOfLineFirst(one, other) : left < right ? 1 : -1;
}

function newestOfLineFirst(one: RetentionCandidate, other: RetentionCandidate): number {
  return compareAge(other.document, one.document);
}

/** Ids of all but the newest `count` of each group. */
function beyond(
  candidates: readonly RetentionCandidate[],
  count: number,
  order: typeof newestFirst,
  key: (candidate: RetentionCandidate) => string,
): Set<string> {
  const surplus = new Set<string>();
  for (const group of groups(candidates, key).values()) {
    for (const { document } of group.toSorted(order).slice(count)) surplus.add(document.id);
  }
  return surplus;
}

function groups(
  candidates: readonly RetentionCandidate[],
  key: (candidate: RetentionCandidate) => string,
): Map<string, RetentionCandidate[]> {
  const found = new Map<string, RetentionCandidate[]>();
  for (const candidate of candidates) {
    const name = key(candidate);
    const group = found.get(name);
    if (group === undefined) found.set(name, [candidate]);
    else group.push(candidate);
  }
  return found;
}

function reasonsOf(
  candidates: readonly RetentionCandidate[],
  reason: (candidate: RetentionCandidate) => string | undefined,
): Reasons {
  const reasons: Reasons = new Map();
  for (const candidate of candidates) {
    const why = reason(candidate);
    if (why !== undefined) reasons.set(candidate.document.id, why);
  }
  return reasons;
}
