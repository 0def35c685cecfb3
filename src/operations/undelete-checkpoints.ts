/** What was deleted and can be brought back, and bringing it back. */
import { among } from "../domain/among.ts";
import { Failure } from "../domain/failure.ts";
import { LEAST_PART } from "../domain/short-id.ts";
import { trashRecords, withoutTrash } from "../domain/session-records.ts";
import { implicitSessionId } from "../domain/session.ts";
import type { StoredCheckpoint } from "../ports/checkpoint-store.ts";
import { audited } from "./audited.ts";
import { journalBySession } from "./by-session.ts";
import { holdingCommits } from "./holding-commits.ts";
import type { Project } from "./project.ts";

export interface Deleted {
  readonly stored: StoredCheckpoint;
  readonly id: string;
  readonly sessionId: string;
  /** Null when nobody wrote it down: the process was killed. */
  readonly deletedAt: string | null;
  readonly by: string | null;
  readonly why: string | null;
  /** Null: no end is set. */
  readonly until: string | null;
  /** A safety checkpoint: no cleanup removes it. */
  readonly holdsCommitsAlone: boolean;
}

/** Newest deletion first. */
export async function listDeleted(project: Project): Promise<Deleted[]> {
  const [trash, sessions] = await Promise.all([
    project.checkpoints.listTrash(),
    project.sessions.list(),
  ]);
  const holders = await holdingCommits(
    project,
    trash.flatMap((stored) => (stored.kind === "ok" ? [stored.document] : [])),
  );
  const records = trashRecords(sessions.map(({ document }) => document));
  const { grace } = project.config.retention;
  return trash
    .map((stored): Deleted => {
      const record = records.get(stored.id);
      const own = stored.kind === "ok" ? stored.document.session_id : undefined;
      return {
        stored,
        id: stored.id,
        sessionId: record?.sessionId ?? own ?? implicitSessionId(project.workTree.id),
        deletedAt: record?.at ?? null,
        by: record?.by ?? null,
        why: record?.why ?? null,
        until:
          record === undefined || grace === null || holders.has(stored.id)
            ? null
            : new Date(Date.parse(record.at) + grace).toISOString(),
        holdsCommitsAlone: holders.has(stored.id),
      };
    })
    .toSorted((left, right) => ((left.deletedAt ?? "") < (right.deletedAt ?? "") ? 1 : -1));
}

/** Brings back what these ids, or parts of ids, name. Nothing is changed when one of them names nothing. */
export function undeleteCheckpoints(
  project: Project,
  selectors: readonly string[],
  reason: string | null,
): Promise<string[]> {
  const outcome = (checkpointIds: readonly string[]) => ({ checkpointIds });
  return audited(project, { operation: "undelete", reason, outcome }, () =>
    bringBack(project, selectors, reason),
  );
}

async function bringBack(
  project: Project,
  selectors: readonly string[],
  reason: string | null,
): Promise<string[]> {
  project.sweep();
  const deleted = await listDeleted(project);
  const chosen = new Map(
    selectors.map((selector) => find(deleted, selector)).map((one) => [one.id, one.sessionId]),
  );
  const restored = await project.interruption.holdOff(async () => {
    const moved = await project.checkpoints.restore([...chosen.keys()]);
    const isMoved = among(moved);
    const sessionOf = new Map([...chosen].filter(([id]) => isMoved(id)));
    await journalBySession(project, sessionOf, { kind: "undelete", reason }, (session, ids) =>
      withoutTrash(session, ids),
    );
    return moved;
  });
  const isRestored = among(restored);
  const missing = [...chosen.keys()].find((id) => !isRestored(id));
  if (missing !== undefined) {
    throw new Failure("already_exists", `another checkpoint ${missing} exists now`, {
      hint: `The deleted one stays in the trash: \`waymark git show refs/waymark/trash/${missing}\`.`,
      details: { restored },
    });
  }
  return restored;
}

function find(deleted: readonly Deleted[], selector: string): Deleted {
  const exact = deleted.find(({ id }) => id === selector);
  if (exact !== undefined) return exact;
  const partly =
    selector.length < LEAST_PART ? [] : deleted.filter(({ id }) => id.includes(selector));
  const [only] = partly;
  const candidates = (partly.length === 0 ? deleted : partly).map(({ id }) => id);
  if (only === undefined) {
    throw new Failure(
      "checkpoint_not_found",
      `no deleted checkpoint matches "${selector}" that can be restored` +
        (selector.length < LEAST_PART
          ? `: a part of an id needs at least ${LEAST_PART} characters`
          : ""),
      {
        hint: "`waymark delete --undo` lists those that can be restored.",
        details: { candidates },
      },
    );
  }
  if (partly.length > 1) {
    throw new Failure(
      "ambiguous_selector",
      `"${selector}" is ambiguous: it matches ${partly.length} checkpoints`,
      {
        hint: `Use a longer part of the id: ${candidates.slice(0, 8).join(", ")}`,
        details: { candidates },
      },
    );
  }
  return only;
}
