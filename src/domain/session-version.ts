/** Which documents of sessions this Waymark understands. */
import { SCHEMA_VERSION } from "./checkpoint.ts";
import { Failure } from "./failure.ts";
import { isRecord } from "./is-record.ts";
import { isImplicitSessionId, type SessionDocument } from "./session.ts";
import { sessionProblem } from "./session-shape.ts";
import { SESSION_STEPS, upcast } from "./upcast.ts";
import { isTooDeep } from "./value-depth.ts";
import { NO_PROGRESS } from "./workflow/progress.ts";
import { isEnded } from "./workflow/session-status.ts";

/**
 * The document that was read, as one that everybody can work with. One that a later version wrote may mean something else: it is
 * neither read nor changed. `isOfRef`: whether this is where a session of that id belongs.
 */
export function understood(
  value: unknown,
  name: string,
  isOfRef: (id: string) => boolean,
): SessionDocument {
  if (!isRecord(value)) throw sessionDamaged(name, "it is not an object");
  const { schema_version: version } = value;
  if (typeof version === "number" && version > SCHEMA_VERSION) {
    throw new Failure("checkpoint_newer", `session ${name} was written by a newer Waymark`, {
      hint: "Update Waymark to use it; it was not changed.",
      details: { session: name, ...hintsOf(value) },
    });
  }
  const hints = hintsOf(value);
  if (isTooDeep(value)) throw sessionDamaged(name, "it is nested too deeply", undefined, hints);
  // Without a version the shape says what is missing.
  const from = typeof version === "number" ? version : SCHEMA_VERSION;
  const current = upcast(value, from, SCHEMA_VERSION, SESSION_STEPS);
  if (current === undefined) {
    throw sessionDamaged(name, `its version ${from} is not supported`, undefined, hints);
  }
  const whole = filled(current);
  const problem = sessionProblem(whole);
  if (problem !== undefined) throw sessionDamaged(name, problem, undefined, hints);
  const document = whole as SessionDocument;
  if (!isOfRef(document.id)) throw sessionDamaged(name, "it has the id of another session");
  return document;
}

/** What even a document that is not understood says, for those who must not pass over an unfinished one. */
function hintsOf({ status, worktree_id, implicit }: Readonly<Record<string, unknown>>) {
  return { status, worktree_id, implicit };
}

/** False: it surely is over, of another work tree, or no workflow. */
export function mayBeUnfinished({ details }: Failure, worktreeId: string): boolean {
  const { session, status, worktree_id: place, implicit } = details;
  if (implicit === true || (typeof session === "string" && isImplicitSessionId(session)))
    return false;
  if (typeof status === "string" && isEnded(status)) return false;
  return typeof place !== "string" || place === worktreeId;
}

/** It says that it failed in this work tree: a newer Waymark could resume it. */
export function saysFailed({ details }: Failure, worktreeId: string): boolean {
  const { status, worktree_id: place } = details;
  return status === "failed" && (typeof place !== "string" || place === worktreeId);
}

/** Nothing is written that could not be read again. */
export function refuseUnreadable(document: SessionDocument): void {
  const problem = isTooDeep(document)
    ? "it is nested too deeply"
    : sessionProblem(filled(document));
  if (problem === undefined) return;
  throw new Failure("usage", `invalid data for session ${document.id}: ${problem}`, {
    hint: "Nothing was written. `waymark schema session` prints the schema of a session.",
  });
}

export function sessionDamaged(
  name: string,
  problem: string,
  cause?: unknown,
  hints: Readonly<Record<string, unknown>> = {},
): Failure {
  const ways = [
    "`waymark doctor --fix` restores its last good version and keeps this one",
    ...(isImplicitSessionId(name) ? [] : [`\`waymark session delete ${name}\` deletes it`]),
    `\`waymark git log refs/waymark/session/${name}\` shows all versions`,
  ];
  return new Failure("session_damaged", `session ${name} cannot be read: ${problem}`, {
    hint: `${ways.join("; ")}. Nothing was changed.`,
    details: { session: name, ...hints },
    cause,
  });
}

export const WITHOUT_IT = "checkpoints are used without it";

/** For those that can do their work without it. */
export function setAsideText(why: Failure, instead: string): string {
  return `${why.message}; ${instead} (${repairOf(why)})`;
}

export function repairOf({ code }: Failure): string {
  return code === "checkpoint_newer" ? "update Waymark" : "`waymark doctor --fix` repairs it";
}

export function isUnreadableSession(error: unknown): error is Failure {
  const isOne = error instanceof Failure && typeof error.details["session"] === "string";
  return isOne && (error.code === "session_damaged" || error.code === "checkpoint_newer");
}

/** What is expected to go wrong with one of many does not hide the others. */
export function orFailure<T>(read: () => T): T | Failure {
  try {
    return read();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

export function sortedOut<Session extends object>(
  all: readonly (Session | Failure)[],
): { readonly sessions: Session[]; readonly unreadable: Failure[] } {
  const sessions: Session[] = [];
  const unreadable: Failure[] = [];
  for (const found of all) {
    if (found instanceof Failure) unreadable.push(found);
    else sessions.push(found);
  }
  return { sessions, unreadable };
}

/** Progress that only has some of its parts is as at the beginning in the others. */
function filled(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { workflow } = value;
  return isRecord(workflow) ? { ...value, workflow: { ...NO_PROGRESS, ...workflow } } : value;
}
