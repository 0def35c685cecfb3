/** Changes the sessions that checkpoints belong to: one change and one journal entry for each session. */
import type { Failure } from "../domain/failure.ts";
import { isUnreadableSession } from "../domain/session-version.ts";
import { recordEvent, type EventKind, type SessionDocument } from "../domain/session.ts";
import type { Project } from "./project.ts";
import type { SessionView } from "./session-view.ts";
import { updateSession } from "./update-session.ts";

export interface SessionEvent {
  readonly kind: EventKind;
  readonly reason: string | null;
  /** About those ids that belong to the session. */
  readonly details?: (ids: readonly string[]) => Readonly<Record<string, unknown>>;
}

/**
 * Fails when a session cannot be read: nobody knows then what is pinned and what undo needs, and no entry could be
 * added to its journal.
 */
export async function requireReadable(
  project: Project,
  sessionIds: Iterable<string>,
  view: Pick<SessionView, "sessions" | "unreadable">,
): Promise<void> {
  for (const why of (await unreadableAmong(project, sessionIds, view)).values()) throw why;
}

/** Why each of those that cannot be read cannot. */
export async function unreadableAmong(
  project: Project,
  sessionIds: Iterable<string>,
  { sessions, unreadable }: Pick<SessionView, "sessions" | "unreadable">,
): Promise<ReadonlyMap<string, Failure>> {
  const found = new Map<string, Failure>();
  for (const id of new Set(sessionIds)) {
    if (unreadable.length === 0 && sessions.has(id)) continue;
    const why = await whyUnreadable(project, id);
    if (why !== undefined) found.set(id, why);
  }
  return found;
}

async function whyUnreadable(project: Project, id: string): Promise<Failure | undefined> {
  try {
    return (await project.sessions.read(id))?.setAside;
  } catch (error) {
    if (isUnreadableSession(error)) return error;
    throw error;
  }
}

/** `change` is told which ids of the session it is about, and when. */
export async function journalBySession(
  project: Project,
  sessionOf: ReadonlyMap<string, string>,
  event: SessionEvent,
  change: (session: SessionDocument, ids: readonly string[], at: string) => SessionDocument,
): Promise<void> {
  const groups = new Map<string, string[]>();
  for (const [id, sessionId] of sessionOf) {
    const group = groups.get(sessionId);
    if (group === undefined) groups.set(sessionId, [id]);
    else group.push(id);
  }
  for (const [sessionId, ids] of groups) {
    const at = project.clock.now().toISOString();
    const what = ids.length === 1 ? (ids[0] ?? "") : `${ids.length} checkpoints`;
    await updateSession(project, sessionId, `${event.kind} ${what}`, (session) =>
      recordEvent(change(session, ids, at), {
        kind: event.kind,
        at,
        by: project.actor.user,
        reason: event.reason,
        checkpoint_ids: ids,
        ...(event.details === undefined ? {} : { details: event.details(ids) }),
      }),
    );
  }
}
