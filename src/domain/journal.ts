/** The journal of a session: what was done, when, by whom and why, from checkpoints, rollbacks and events. */
import type { CheckpointDocument } from "./checkpoint.ts";
import type { EventKind, RollbackKind, SessionDocument } from "./session.ts";

export interface JournalEntry {
  readonly at: string;
  readonly session_id: string;
  readonly kind: "create" | RollbackKind | EventKind;
  readonly by: string | null;
  readonly agent: string | null;
  readonly reason: string | null;
  readonly checkpoint_ids: readonly string[];
  readonly details: Readonly<Record<string, unknown>>;
}

/** Newest first. */
export function journalOf(
  documents: readonly CheckpointDocument[],
  sessions: readonly SessionDocument[],
): JournalEntry[] {
  return [
    ...documents.map(creation),
    ...sessions.flatMap((session) => [...rollbacks(session), ...events(session)]),
  ].toSorted((left, right) => (left.at < right.at ? 1 : left.at > right.at ? -1 : 0));
}

function creation(document: CheckpointDocument): JournalEntry {
  return {
    at: document.created_at,
    session_id: document.session_id,
    kind: "create",
    by: document.created_by.user,
    agent: document.created_by.agent,
    reason: document.reason ?? document.description ?? document.name,
    checkpoint_ids: [document.id],
    details: { trigger: document.trigger, phase: document.phase, step: document.step },
  };
}

function rollbacks(session: SessionDocument): JournalEntry[] {
  return session.history.map((record) => ({
    at: record.at,
    session_id: session.id,
    kind: record.kind,
    by: record.by,
    agent: null,
    reason: record.reason,
    checkpoint_ids: [record.to_id],
    details: { from_id: record.from_id, undo_checkpoint_id: record.safety_id, files: record.files },
  }));
}

function events(session: SessionDocument): JournalEntry[] {
  return (session.events ?? []).map((event) => ({
    at: event.at,
    session_id: session.id,
    kind: event.kind,
    by: event.by,
    agent: null,
    reason: event.reason,
    checkpoint_ids: event.checkpoint_ids,
    details: event.details ?? {},
  }));
}
