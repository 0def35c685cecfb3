/** How long sessions stay after their end, and which of them go. */
import type { Duration, Retention } from "./config.ts";
import { showDuration } from "./duration.ts";
import type { RetentionLimits } from "./retention.ts";
import { neededForUndo } from "./session-records.ts";
import type { SessionDocument } from "./session.ts";
import { isEnded } from "./workflow/session-status.ts";

export const WENT_WRONG: ReadonlySet<string> = new Set(["failed", "abandoned"]);

/** How long what is of a session of this status is kept. */
export function keptFor(status: string, { failedMaxAge, maxAge }: Retention): Duration {
  return WENT_WRONG.has(status) ? failedMaxAge : maxAge;
}

/** False for one of which nobody knows when it ended. */
export function hasEndedFor(
  { status, ended_at }: SessionDocument,
  age: Duration,
  now: Date,
): boolean {
  if (!isEnded(status) || ended_at === undefined || age === null) return false;
  return now.getTime() - Date.parse(ended_at) > age;
}

export interface GoingOn {
  /** Sessions that a work tree is in or a process runs. */
  readonly inUse: ReadonlySet<string>;
  readonly settings: Retention;
  readonly now: Date;
}

/** Also one that failed, for as long as what is of it is kept. */
export function mayGoOn(session: SessionDocument, { inUse, settings, now }: GoingOn): boolean {
  const { id, status } = session;
  if (inUse.has(id)) return true;
  if (status === "completed" || status === "abandoned") return false;
  return !hasEndedFor(session, keptFor(status, settings), now);
}

export interface SessionRetentionInput {
  readonly sessions: Iterable<SessionDocument>;
  readonly settings: Retention;
  readonly now: Date;
  readonly limits: RetentionLimits;
  /** Sessions that a work tree is in or a process runs. */
  readonly inUse: ReadonlySet<string>;
  /** Sessions that have a checkpoint, in the trash too. */
  readonly withCheckpoints: ReadonlySet<string>;
  /** Checkpoints that are there, in the trash too. */
  readonly checkpoints: ReadonlySet<string>;
  /** Also those that have not ended; `inUse` is only what a process runs then. */
  readonly evenIfOpen?: boolean;
}

/** Which sessions go, and why: those that ended long enough ago and have nothing left. */
export function decideSessions(input: SessionRetentionInput): { id: string; reason: string }[] {
  const { settings, limits, now, inUse, withCheckpoints, checkpoints, evenIfOpen } = input;
  const found: { id: string; reason: string }[] = [];
  for (const session of input.sessions) {
    const { id, implicit, status, deleted_at } = session;
    if (implicit || inUse.has(id) || withCheckpoints.has(id)) continue;
    if ([...neededForUndo([session])].some((needed) => checkpoints.has(needed))) continue;
    const isAny = evenIfOpen === true || (limits.all === true && isEnded(status));
    if (deleted_at !== undefined || isAny) {
      found.push({
        id,
        reason: `${deleted_at === undefined ? status : "deleted"}, and no checkpoint of it is left`,
      });
      continue;
    }
    const configured = limits.keep === undefined ? keptFor(status, settings) : null;
    const age = limits.olderThanMs ?? configured;
    if (age === null || !hasEndedFor(session, age, now)) continue;
    const when = `${status} more than ${showDuration(age)} ago`;
    found.push({ id, reason: `${when}, and no checkpoint of it is left` });
  }
  return found;
}
