/**
 * The journal: what was done, when, by whom and why. It comes from checkpoints, rollbacks and events of sessions, and
 * from the audit log, which also knows what failed and what is gone.
 */
import type { AuditEntry, AuditError } from "./audit.ts";
import type { CheckpointDocument } from "./checkpoint.ts";
import type { SessionDocument } from "./session.ts";

export interface JournalEntry {
  readonly at: string;
  readonly session_id: string;
  /** `create`, a kind of rollback or of event, or an operation of the audit log. */
  readonly kind: string;
  readonly ok: boolean;
  readonly error: AuditError | null;
  readonly by: string | null;
  readonly agent: string | null;
  readonly reason: string | null;
  readonly checkpoint_ids: readonly string[];
  readonly details: Readonly<Record<string, unknown>>;
}

/** The user answered a question with no: nothing was done, and nothing failed. */
export function isCancelled({ error }: Pick<JournalEntry, "error">): boolean {
  return error?.code === "cancelled";
}

/** A run that stopped in order and can be resumed, at a breakpoint for example. One that ended with exit code 1 failed as well. */
export function isPaused({ error, details }: Pick<JournalEntry, "error" | "details">): boolean {
  return error?.code === "session_paused" && details["exit_code"] !== 1;
}

/** Newest first. */
export function journalOf(
  documents: readonly CheckpointDocument[],
  sessions: readonly SessionDocument[],
  audit: readonly AuditEntry[],
): JournalEntry[] {
  const known = [
    ...documents.map(creation),
    ...sessions.flatMap((session) => [...rollbacks(session), ...events(session)]),
  ];
  const { entries, used } = withAgents(known, audit);
  const others = audit.filter((entry) => !used.has(entry)).map(fromAudit);
  return [...entries, ...others].toSorted((left, right) =>
    left.at < right.at ? 1 : left.at > right.at ? -1 : 0,
  );
}

const DONE = { ok: true, error: null } as const;

function creation(document: CheckpointDocument): JournalEntry {
  return {
    at: document.created_at,
    session_id: document.session_id,
    kind: "create",
    ...DONE,
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
    ...DONE,
    by: record.by,
    agent: null,
    reason: record.reason,
    checkpoint_ids: [record.to_id],
    details: {
      rollback_id: record.id,
      from_id: record.from_id,
      undo_checkpoint_id: record.safety_id,
      files: record.files,
      ...(record.task === undefined ? {} : { task: record.task }),
      ...(record.selective === undefined ? {} : { selective: record.selective }),
    },
  }));
}

function events(session: SessionDocument): JournalEntry[] {
  return (session.events ?? []).map((event) => ({
    at: event.at,
    session_id: session.id,
    kind: event.kind,
    ...DONE,
    by: event.by,
    agent: null,
    reason: event.reason,
    checkpoint_ids: event.checkpoint_ids,
    details: event.details ?? {},
  }));
}

function fromAudit(entry: AuditEntry): JournalEntry {
  return {
    at: entry.at,
    session_id: entry.session_id,
    kind: entry.operation,
    ok: entry.ok,
    error: entry.error,
    by: entry.by.user ?? null,
    agent: entry.by.agent ?? null,
    reason: entry.reason,
    checkpoint_ids: entry.checkpoint_ids,
    details: entry.details,
  };
}

/** Entries of the session with the agent that the audit log knows, and the entries of the audit log that say the same. */
function withAgents(
  known: readonly JournalEntry[],
  audit: readonly AuditEntry[],
): {
  entries: JournalEntry[];
  used: ReadonlySet<AuditEntry>;
} {
  const byKey = new Map<string, AuditEntry[]>();
  for (const entry of audit) {
    if (!entry.ok) continue;
    for (const key of keysOf(fromAudit(entry))) {
      const same = byKey.get(key);
      if (same === undefined) byKey.set(key, [entry]);
      else same.push(entry);
    }
  }
  const used = new Set<AuditEntry>();
  const entries = known.map((entry) => {
    const same = keysOf(entry)
      .flatMap((key) => byKey.get(key) ?? [])
      .find((candidate) => isSame(entry, candidate));
    if (same === undefined) return entry;
    used.add(same);
    return { ...entry, agent: entry.agent ?? same.by.agent ?? null };
  });
  return { entries, used };
}

function keysOf({ kind, checkpoint_ids: ids }: JournalEntry): string[] {
  return (ids.length === 0 ? [""] : ids).map((id) => `${kind} ${id}`);
}

/** A checkpoint is taken once and a rollback has an id. Other events are those of the time that the operation took. */
function isSame(entry: JournalEntry, audit: AuditEntry): boolean {
  if (entry.kind === "create") return true;
  const rollbackId = entry.details["rollback_id"];
  if (rollbackId !== undefined) return audit.details["rollback_id"] === rollbackId;
  const end = Date.parse(audit.at);
  const at = Date.parse(entry.at);
  return at <= end && at >= end - audit.duration_ms;
}
