/** Deletes checkpoints that somebody named: into the trash, or for good. */
import { among } from "../domain/among.ts";
import { Failure } from "../domain/failure.ts";
import { neededForUndo, withoutTrash, withTrash } from "../domain/session-records.ts";
import type { StoredCheckpoint } from "../ports/checkpoint-store.ts";
import { audited } from "./audited.ts";
import { journalBySession, requireReadable } from "./by-session.ts";
import { holdingResults } from "./holding-results.ts";
import { holdingState } from "./holding-state.ts";
import { neededByRuns } from "./needed-by-runs.ts";
import type { Project } from "./project.ts";
import type { SessionView } from "./session-view.ts";

export interface DeleteRequest {
  readonly reason: string | null;
  /** For good, without the grace time. */
  readonly now: boolean;
}

export interface DeletionPlan {
  readonly stored: readonly StoredCheckpoint[];
  /** The session that gets the record of each. */
  readonly sessionOf: ReadonlyMap<string, string>;
  /** What the user should know before the answer. */
  readonly warnings: readonly string[];
}

export interface Deletion {
  readonly deleted: readonly string[];
  /** Of these, those that cannot be brought back. */
  readonly goneForGood: readonly string[];
  /** Null: for ever, or there is nothing to bring back. */
  readonly restorableUntil: string | null;
}

/**
 * Refuses what is protected; `force` lets go what only undo, redo, a saved state or a merge needs. The saved state and the merges of
 * `deletedSession` go with it.
 */
export async function planDeletion(
  project: Project,
  view: SessionView,
  stored: readonly StoredCheckpoint[],
  force: boolean,
  deletedSession?: string,
): Promise<DeletionPlan> {
  const ids = stored.map(({ id }) => id);
  const sessionOf = new Map(
    stored.map((one) => [one.id, one.kind === "ok" ? one.document.session_id : view.sessionId]),
  );
  await requireReadable(project, sessionOf.values(), view);
  refuse(ids, new Set(project.restorer.inUse()), {
    what: "is needed by a rollback in progress",
    hint: "Wait until it has ended, or run `waymark recover` if it was interrupted.",
  });
  refuse(ids, new Set(project.guards.inUse()), {
    what: "is needed by a running guard",
    hint: "Wait until it has ended. If it was killed, `waymark doctor --fix` dismisses it.",
  });
  refuse(ids, neededByRuns(project, view), {
    what: "is needed by a running session",
    hint: "Wait until it has ended, or pause it: `waymark session pause`.",
  });
  refuse(ids, view.pinned, {
    what: "is pinned",
    hint: `Unpin it first: \`waymark unpin ${ids.filter((id) => view.pinned.has(id)).join(" ")}\`.`,
  });
  const forUndo = neededForUndo(view.sessions.values());
  const ofOthers = (needed: ReadonlyMap<string, string>): Map<string, string> =>
    new Map([...needed].filter(([, sessionId]) => sessionId !== deletedSession));
  const forState = ofOthers(holdingState(project, view, view.documents));
  const forMerge = ofOthers(holdingResults(project, view));
  const anyway =
    deletedSession === undefined
      ? "Add --force to delete it anyway"
      : `\`waymark session delete ${deletedSession} --force\` deletes it anyway`;
  if (!force) {
    refuse(ids, new Set(forMerge.keys()), {
      what: "is needed to merge the result of a node",
      hint: `Resume the session. ${anyway}; that work cannot be merged then.`,
    });
    refuse(ids, forUndo, {
      what: "is needed by undo or redo",
      hint: `${anyway}; that undo or redo will then not be possible.`,
    });
    refuse(ids, new Set(forState.keys()), {
      what: "contains the saved state of a session",
      hint: `${anyway}; the session then loses that state. A new \`waymark create --state\` replaces it.`,
    });
  }
  const commits = await project.holdings.commits(
    stored.filter(({ kind }) => kind === "ok").map(({ id }) => id),
  );
  return {
    stored,
    sessionOf,
    warnings: [
      ...ids.filter((id) => forUndo.has(id)).map((id) => `${id} is needed by undo or redo`),
      ...ids.flatMap((id) => {
        const sessionId = forState.get(id);
        return sessionId === undefined
          ? []
          : [`${id} contains the saved state of session ${sessionId}`];
      }),
      ...ids.flatMap((id) => {
        const sessionId = forMerge.get(id);
        return sessionId === undefined
          ? []
          : [`${id} is needed to merge the result of a node of session ${sessionId}`];
      }),
      ...[...commits].map(
        ([id, held]) =>
          `${id} contains ${held.length} ${held.length === 1 ? "commit" : "commits"} that no branch or tag contains`,
      ),
    ],
  };
}

function refuse(
  ids: readonly string[],
  guarded: ReadonlySet<string>,
  because: { readonly what: string; readonly hint: string },
): void {
  const found = ids.filter((id) => guarded.has(id));
  const [first] = found;
  if (first === undefined) return;
  const others = found.length === 1 ? "" : ` (and ${found.length - 1} more)`;
  throw new Failure("checkpoint_protected", `checkpoint ${first} ${because.what}${others}`, {
    hint: because.hint,
    details: { checkpoints: found },
  });
}

export function deleteCheckpoints(
  project: Project,
  plan: DeletionPlan,
  request: DeleteRequest,
): Promise<Deletion> {
  return audited(
    project,
    {
      operation: "delete",
      reason: request.reason,
      checkpointIds: plan.stored.map(({ id }) => id),
      outcome: ({ deleted, goneForGood }) => ({
        checkpointIds: deleted,
        details: { gone_for_good: goneForGood },
      }),
    },
    () =>
      project.interruption.holdOff(
        () => deletePlanned(project, plan, request),
        () => "finishing the deletion",
      ),
  );
}

/** Without a line in the audit log. */
export async function deletePlanned(
  project: Project,
  plan: DeletionPlan,
  request: DeleteRequest,
): Promise<Deletion> {
  const ids = plan.stored.map(({ id }) => id);
  const trashed = request.now ? [] : await project.checkpoints.trash(ids);
  const isTrashed = among(trashed);
  // Of a damaged one nothing may be left that a trash could hold.
  const untrashable = plan.stored
    .filter(({ id, kind }) => request.now || (kind === "damaged" && !isTrashed(id)))
    .map(({ id }) => id);
  const goneForGood =
    untrashable.length === 0
      ? []
      : await project.checkpoints.remove(untrashable, { frees: request.now });
  const deleted = [...trashed, ...goneForGood];
  const why = request.reason ?? "deleted explicitly";
  const isDeleted = among(deleted);
  const sessionOf = new Map([...plan.sessionOf].filter(([id]) => isDeleted(id)));
  const event = {
    kind: "delete" as const,
    reason: request.reason,
    details: (own: readonly string[]) => ({
      gone_for_good: goneForGood.filter(among(own)),
    }),
  };
  await journalBySession(project, sessionOf, event, (session, own, at) => {
    const kept = own.filter(isTrashed);
    const record = { at, by: project.actor.user, why };
    return withTrash(
      withoutTrash(session, own),
      new Map(kept.map((id): [string, typeof record] => [id, record])),
    );
  });
  return { deleted, goneForGood, restorableUntil: restorableUntil(project, trashed) };
}

function restorableUntil(project: Project, trashed: readonly string[]): string | null {
  const { grace } = project.config.retention;
  if (trashed.length === 0 || grace === null) return null;
  return new Date(project.clock.now().getTime() + grace).toISOString();
}
