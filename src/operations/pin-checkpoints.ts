/** Pinned checkpoints are kept by every cleanup and refused by `delete`. */
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import { Failure } from "../domain/failure.ts";
import { pinRecords, withoutPins, withPins } from "../domain/session-records.ts";
import { audited, type AuditOutcome } from "./audited.ts";
import { journalBySession } from "./by-session.ts";
import type { Project } from "./project.ts";

export interface PinResult {
  readonly changed: readonly string[];
  /** They were as asked for before. */
  readonly unchanged: readonly string[];
}

export function pinCheckpoints(
  project: Project,
  documents: readonly CheckpointDocument[],
  reason: string | null,
): Promise<PinResult> {
  const checkpointIds = documents.map(({ id }) => id);
  const audit = { operation: "pin", reason, checkpointIds, outcome: pinOutcome } as const;
  return audited(project, audit, () => pin(project, documents, reason));
}

function pinOutcome({ changed }: PinResult): AuditOutcome | undefined {
  return changed.length === 0 ? undefined : { checkpointIds: changed };
}

async function pin(
  project: Project,
  documents: readonly CheckpointDocument[],
  reason: string | null,
): Promise<PinResult> {
  project.sweep();
  const pinned = await whoPinned(project);
  // Another reason is a new one.
  const isOpen = (id: string): boolean =>
    !pinned.has(id) || (reason !== null && pinned.get(id)?.reason !== reason);
  const open = documents.filter(({ id }) => isOpen(id));
  const sessionOf = new Map(open.map((document) => [document.id, document.session_id]));
  await journalBySession(project, sessionOf, { kind: "pin", reason }, (session, ids, at) =>
    withPins(session, ids, { at, by: project.actor.user, reason }),
  );
  await refuseGone(project, documents);
  for (const problem of await project.checkpoints.tagPinned(open.map(({ id }) => id))) {
    project.warn(problem);
  }
  return resultOf(
    documents.map(({ id }) => id),
    sessionOf,
  );
}

/** A cleanup may have been quicker; looked at after the pin is there, so that one of the two sees the other. */
async function refuseGone(
  project: Project,
  documents: readonly CheckpointDocument[],
): Promise<void> {
  for (const { id } of documents) {
    if ((await project.checkpoints.read(id)) !== undefined) continue;
    throw new Failure("checkpoint_not_found", `checkpoint ${id} was removed meanwhile`, {
      hint: `Restore it with \`waymark delete --undo ${id}\`, then pin it again.`,
      details: { candidates: [] },
    });
  }
}

/** By id: also one that was damaged since it was pinned. */
export function unpinCheckpoints(
  project: Project,
  ids: readonly string[],
  reason: string | null,
): Promise<PinResult> {
  const audit = {
    operation: "unpin",
    reason,
    checkpointIds: ids,
    outcome: pinOutcome,
  } as const;
  return audited(project, audit, () => unpin(project, ids, reason));
}

async function unpin(
  project: Project,
  ids: readonly string[],
  reason: string | null,
): Promise<PinResult> {
  project.sweep();
  const pinned = await whoPinned(project);
  const sessionOf = new Map(
    ids.flatMap((id): [string, string][] => {
      const record = pinned.get(id);
      return record === undefined ? [] : [[id, record.sessionId]];
    }),
  );
  await journalBySession(project, sessionOf, { kind: "unpin", reason }, (session, own) =>
    withoutPins(session, own),
  );
  return resultOf(ids, sessionOf);
}

async function whoPinned(project: Project): Promise<ReturnType<typeof pinRecords>> {
  const sessions = await project.sessions.list();
  return pinRecords(sessions.map(({ document }) => document));
}

function resultOf(ids: readonly string[], changed: ReadonlyMap<string, string>): PinResult {
  return {
    changed: [...changed.keys()],
    unchanged: [...new Set(ids)].filter((id) => !changed.has(id)),
  };
}
