/** Which documents of sessions this Waymark understands. */
import { SCHEMA_VERSION } from "./checkpoint.ts";
import { Failure } from "./failure.ts";
import { isRecord } from "./is-record.ts";
import type { SessionDocument } from "./session.ts";
import { sessionProblem } from "./session-shape.ts";
import { isTooDeep } from "./value-depth.ts";
import { NO_PROGRESS } from "./workflow/progress.ts";

/**
 * The document that was read, as one that everybody can work with. One that a later version wrote may mean something else: it is
 * neither read nor changed. `isOfRef`: whether this is where a session of that id belongs.
 */
export function understood(
  value: unknown,
  name: string,
  isOfRef: (id: string) => boolean,
): SessionDocument {
  if (!isRecord(value)) throw sessionDamaged(name, "it is no object");
  const { schema_version: version } = value;
  if (typeof version === "number" && version > SCHEMA_VERSION) {
    throw new Failure("checkpoint_newer", `session ${name} was written by a newer Waymark`, {
      hint: "Update Waymark; nothing was changed.",
    });
  }
  if (isTooDeep(value)) throw sessionDamaged(name, "it is nested too deeply");
  const whole = filled(value);
  const problem = sessionProblem(whole);
  if (problem !== undefined) throw sessionDamaged(name, problem);
  const document = whole as SessionDocument;
  if (!isOfRef(document.id)) throw sessionDamaged(name, "it has the id of another session");
  return document;
}

/** Nothing is written that could not be read again. */
export function refuseUnreadable(document: SessionDocument): void {
  const problem = isTooDeep(document)
    ? "it is nested too deeply"
    : sessionProblem(filled(document));
  if (problem === undefined) return;
  throw new Failure("usage", `session ${document.id} cannot be like this: ${problem}`, {
    hint: "Nothing was written. `waymark schema session` prints what a session looks like.",
  });
}

export function sessionDamaged(name: string, problem: string, cause?: unknown): Failure {
  return new Failure("session_damaged", `session ${name} cannot be read: ${problem}`, {
    hint: `\`git log refs/waymark/session/${name}\` shows its earlier versions; docs/recovery.md says how to go back to one. Nothing was changed.`,
    details: { session: name },
    cause,
  });
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
