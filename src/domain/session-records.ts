/** The records of a session about single checkpoints: which are pinned and which were deleted. */
import { among } from "./among.ts";
import { redact, redactReason } from "./secrets/redact.ts";
import type { PinRecord, SessionDocument, TrashRecord } from "./session.ts";

export function withPins(
  session: SessionDocument,
  ids: readonly string[],
  record: PinRecord,
): SessionDocument {
  const pin = { ...record, reason: redactReason(record.reason) };
  return { ...session, pinned: { ...session.pinned, ...each(ids, () => pin) } };
}

export function withoutPins(session: SessionDocument, ids: readonly string[]): SessionDocument {
  return { ...session, pinned: omit(session.pinned, ids) };
}

export function withTrash(
  session: SessionDocument,
  records: ReadonlyMap<string, TrashRecord>,
): SessionDocument {
  const clean = [...records].map(([id, record]) => [id, { ...record, why: redact(record.why) }]);
  return { ...session, trash: { ...session.trash, ...Object.fromEntries(clean) } };
}

/** They were brought back, or are gone for good. */
export function withoutTrash(session: SessionDocument, ids: readonly string[]): SessionDocument {
  return { ...session, trash: omit(session.trash, ids) };
}

/** Every checkpoint that some session has pinned. */
export function pinnedIds(sessions: Iterable<SessionDocument>): Set<string> {
  return new Set([...sessions].flatMap((session) => Object.keys(session.pinned ?? {})));
}

/** Who pinned each of them, when and why, with the session that has the record. */
export function pinRecords(
  sessions: Iterable<SessionDocument>,
): Map<string, PinRecord & { readonly sessionId: string }> {
  return new Map(
    [...sessions].flatMap((session) =>
      Object.entries(session.pinned ?? {}).map(
        ([id, record]): [string, PinRecord & { readonly sessionId: string }] => [
          id,
          { ...record, sessionId: session.id },
        ],
      ),
    ),
  );
}

/** The record of each deleted checkpoint, with the session that has it. */
export function trashRecords(
  sessions: Iterable<SessionDocument>,
): Map<string, TrashRecord & { readonly sessionId: string }> {
  const records = new Map<string, TrashRecord & { readonly sessionId: string }>();
  for (const session of sessions) {
    for (const [id, record] of Object.entries(session.trash ?? {})) {
      // Whatever wrote a time that is none: the grace time begins anew.
      if (Number.isNaN(Date.parse(record.at))) continue;
      records.set(id, { ...record, sessionId: session.id });
    }
  }
  return records;
}

/** What the undo and redo lists of these sessions refer to. */
export function neededForUndo(sessions: Iterable<SessionDocument>): Set<string> {
  const needed = new Set<string>();
  for (const session of sessions) {
    for (const line of Object.values(session.worktrees)) {
      for (const entry of [...line.undo, ...line.redo]) {
        needed.add(entry.return_id).add(entry.to_id);
      }
    }
  }
  return needed;
}

function each<T>(ids: readonly string[], value: () => T): Record<string, T> {
  return Object.fromEntries(ids.map((id) => [id, value()]));
}

function omit<T>(
  records: Readonly<Record<string, T>> | undefined,
  ids: readonly string[],
): Record<string, T> {
  const isOmitted = among(ids);
  return Object.fromEntries(Object.entries(records ?? {}).filter(([id]) => !isOmitted(id)));
}
