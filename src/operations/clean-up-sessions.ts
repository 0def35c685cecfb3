/** Which sessions a cleanup removes, and removing them. */
import type { RetentionLimits } from "../domain/retention.ts";
import { decideSessions } from "../domain/session-retention.ts";
import type { SessionDocument } from "../domain/session.ts";
import { isEnded } from "../domain/workflow/session-status.ts";
import type { StoredCheckpoint } from "../ports/checkpoint-store.ts";
import { liveHolder } from "./owned-session.ts";
import type { Project } from "./project.ts";
import { recordJournalEvent } from "./record-journal-event.ts";
import type { SessionView } from "./session-view.ts";

interface Gone {
  readonly id: string;
  readonly reason: string;
}

/** Those that a work tree is in, and those that somebody runs. */
export function sessionsInUse(project: Project, view: SessionView): ReadonlySet<string> {
  return new Set([...project.currentSession.everywhere(), ...runningSessions(project, view)]);
}

export function runningSessions(project: Project, view: SessionView): ReadonlySet<string> {
  const running = [...view.sessions.values()].filter(
    (session) => liveHolder(project, session) !== undefined,
  );
  return new Set(running.map(({ id }) => id));
}

interface Present {
  readonly view: SessionView;
  /** Checkpoints that are left afterwards, in the trash too. */
  readonly held: readonly Pick<StoredCheckpoint, "id">[];
  readonly inUse: ReadonlySet<string>;
  readonly sessionOf: ReadonlyMap<string, string>;
  readonly evenIfOpen: boolean;
}

/** One goes when its last checkpoint is gone for good: until then that one can be brought back, and needs it. */
export function goneSessions(
  project: Project,
  limits: RetentionLimits,
  { view, held, inUse, sessionOf, evenIfOpen }: Present,
): Gone[] {
  // Nobody knows whose a damaged one is.
  if (view.stored.some(({ kind }) => kind !== "ok")) return [];
  return decideSessions({
    sessions: view.sessions.values(),
    settings: project.config.retention,
    now: project.clock.now(),
    limits,
    inUse,
    evenIfOpen,
    withCheckpoints: new Set(held.flatMap(({ id }) => sessionOf.get(id) ?? [])),
    checkpoints: new Set(held.map(({ id }) => id)),
  });
}

/**
 * The journal of the work tree keeps the last version of each, so that plain git can bring it back until it collects garbage. One
 * that somebody wrote meanwhile stays.
 */
export async function removeSessions(
  project: Project,
  planned: readonly Gone[],
  evenIfOpen = false,
): Promise<readonly Gone[]> {
  const removed = new Map<string, { readonly reason: string; readonly version: string }>();
  for (const { id, reason } of planned) {
    const stored = await project.sessions.read(id);
    if (stored === undefined || isTakenUp(project, stored.document, evenIfOpen)) continue;
    if (!(await project.sessions.remove(id, stored.version))) continue;
    removed.set(id, { reason, version: stored.version });
  }
  if (removed.size === 0) return [];
  if (removed.has(project.currentSession.get() ?? "")) project.currentSession.set(undefined);
  await recordJournalEvent(project, "cleanup", [], { sessions: Object.fromEntries(removed) });
  // The logs of its nodes.
  for (const id of removed.keys()) await project.runFiles.forget(id);
  return planned.filter(({ id }) => removed.has(id));
}

/** Somebody went on with it since it was planned. */
function isTakenUp(project: Project, session: SessionDocument, evenIfOpen: boolean): boolean {
  const isOpen = !evenIfOpen && !isEnded(session.status);
  return isOpen || liveHolder(project, session) !== undefined;
}
