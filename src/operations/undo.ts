/** Takes back the last rollback, or the last undo. Both are rollbacks themselves, so both can be taken back again. */
import { parsePath } from "../domain/byte-path.ts";
import { Failure } from "../domain/failure.ts";
import {
  lineOf,
  type RollbackRecord,
  type SessionDocument,
  type UndoEntry,
} from "../domain/session.ts";
import { isLater, type Turn } from "../domain/rollback-turns.ts";
import { audited } from "./audited.ts";
import { checkedDocument, deletedFailure } from "./find-checkpoint.ts";
import type { RecoveryResult } from "../ports/restorer.ts";
import type { RollbackScope } from "./plan-rollback.ts";
import type { Project } from "./project.ts";
import { goTo, rollbackOutcome, type RollbackOrder, type RollbackResult } from "./roll-back.ts";
import { recover } from "./recover.ts";
import { rollbackId } from "./rollback-id.ts";
import { viewSessions, type SessionView } from "./session-view.ts";
import { isImplicit } from "./which-session.ts";

export type UndoRequest = Pick<
  RollbackOrder,
  "discardCommits" | "reason" | "confirm" | "confirmed" | "check"
> & {
  readonly sessionId?: string;
};

export function undo(project: Project, request: UndoRequest): Promise<RollbackResult> {
  return step(project, request, "undo");
}

export function redo(project: Project, request: UndoRequest): Promise<RollbackResult> {
  return step(project, request, "redo");
}

function step(
  project: Project,
  request: UndoRequest,
  kind: "undo" | "redo",
): Promise<RollbackResult> {
  const { sessionId, reason } = request;
  return audited(project, { operation: kind, sessionId, reason, outcome: rollbackOutcome }, () =>
    goBack(project, request, kind),
  );
}

async function goBack(
  project: Project,
  request: UndoRequest,
  kind: "undo" | "redo",
): Promise<RollbackResult> {
  const recovered = await recover(project);
  // Whoever says undo after a crash means the rollback that crashed; that one is taken back by now.
  if (recovered?.outcome === "taken_back") throw alreadyTakenBack(recovered, kind);
  const order = await undoTarget(project, request.sessionId, kind);
  return goTo(project, {
    ...request,
    ...order,
    kind,
    isStillNext: async () => {
      const { entry } = await undoTarget(project, request.sessionId, kind);
      return entry.rollback_id === order.entry.rollback_id;
    },
  });
}

/** Where an undo or redo would go, and when the rollback was done. Changes nothing. */
export async function undoTarget(
  project: Project,
  given: string | undefined,
  kind: "undo" | "redo",
): Promise<
  Required<Pick<RollbackOrder, "target" | "sessionId" | "scope" | "entry" | "id">> &
    Pick<RollbackOrder, "undoes"> & { readonly doneAt: string | undefined }
> {
  const view = await viewSessions(project, given);
  const session = given === undefined ? lastRolledBack(project, view, kind) : undefined;
  // The last rollback may be in what cannot be read, and one before that is not what anybody means. A stand-in has only later ones.
  if (view.setAside !== undefined && !isOfStandIn(project, view, session)) throw view.setAside;
  const sessionId = session?.id ?? view.sessionId;
  const entry = lastEntry(project, session ?? view.sessions.get(sessionId), kind);
  if (entry === undefined) throw nothingToDo(kind);
  const stored = view.stored.find((checkpoint) => checkpoint.id === entry.return_id);
  if (stored === undefined) throw await deletedFailure(project, entry.return_id);
  const history = (session ?? view.sessions.get(sessionId))?.history ?? [];
  const goal = goalOf(history, entry.rollback_id);
  const undoes = view.documents.find((document) => document.id === goal);
  return {
    target: await checkedDocument(project, view, stored),
    sessionId,
    scope: scopeOf(entry),
    entry,
    id: rollbackId(project),
    doneAt: history.find((record) => record.id === entry.rollback_id)?.at,
    ...(undoes === undefined ? {} : { undoes }),
  };
}

/** Where the rollback went that an entry is about, through all undos and redos of it since. */
function goalOf(history: readonly RollbackRecord[], rollbackId: string): string | undefined {
  let record = history.find(({ id }) => id === rollbackId);
  for (let hops = 0; record !== undefined && hops < history.length; hops++) {
    if (record.kind === "rollback") return record.to_id;
    const { to_id } = record;
    record = history.find(({ safety_id }) => safety_id === to_id);
  }
  return undefined;
}

function isOfStandIn(
  project: Project,
  { setAside }: SessionView,
  session: SessionDocument | undefined,
): boolean {
  return (
    session !== undefined &&
    isImplicit(project, session.id) &&
    setAside?.details["session"] === session.id
  );
}

/**
 * The session whose last rollback (or undo, for redo) of this work tree was done last, of all that can still be taken back;
 * undefined: there is nothing to take back anywhere. A new rollback clears what could be redone, in whatever session it was.
 */
function lastRolledBack(
  project: Project,
  { sessions, stored }: SessionView,
  kind: "undo" | "redo",
): SessionDocument | undefined {
  const { id } = project.workTree;
  const all = [...sessions.values()];
  const present = new Set(stored.map((checkpoint) => checkpoint.id));
  // Another machine counts for itself: what may have come from there is compared by time.
  const turnOf = ({ at, turn, safety_id }: RollbackRecord): Turn =>
    turn !== undefined && present.has(safety_id) && !project.checkpoints.isForeign(safety_id)
      ? { at, turn }
      : { at };
  const records = all.flatMap(({ id: sessionId, history }) =>
    history
      .filter(({ worktree_id }) => worktree_id === id)
      .map((record) => ({ id: record.id, kind: record.kind, sessionId, turn: turnOf(record) })),
  );
  const turns = new Map(records.map((record) => [record.id, record.turn]));
  // In its own session a new rollback has cleared the list.
  const isCleared = (session: SessionDocument, turn: Turn): boolean =>
    records.some(
      (record) =>
        record.kind === "rollback" && record.sessionId !== session.id && isLater(record.turn, turn),
    );
  return all
    .flatMap((session) => {
      const entry = lastEntry(project, session, kind);
      if (entry === undefined) return [];
      return [{ session, turn: turns.get(entry.rollback_id) ?? { at: "" } }];
    })
    .filter(({ session, turn }) => kind === "undo" || !isCleared(session, turn))
    .toSorted((left, right) => (isLater(right.turn, left.turn) ? 1 : -1))[0]?.session;
}

/** The list of a session that was imported, or moved on by an import, has rollbacks of another machine, too. */
function lastEntry(
  project: Project,
  session: SessionDocument | undefined,
  kind: "undo" | "redo",
): UndoEntry | undefined {
  return lineOf(session, project.workTree.id)[kind].findLast(
    ({ return_id }) => !project.checkpoints.isForeign(return_id),
  );
}

function scopeOf(entry: UndoEntry): RollbackScope {
  return {
    ...(entry.state_only === true ? { stateOnly: true } : {}),
    ...(entry.database_only === true ? { databaseOnly: true } : {}),
    filesOnly: entry.files_only,
    keepHead: entry.keep_head,
    patterns: entry.scope ?? null,
    beside: (entry.beside ?? []).map((path) => parsePath(path)),
    paths: entry.paths === null ? null : entry.paths.map((path) => parsePath(path)),
  };
}

function alreadyTakenBack({ unfinished }: RecoveryResult, kind: "undo" | "redo"): Failure {
  const which = unfinished.targetId === "" ? "" : ` to ${unfinished.targetId}`;
  return new Failure(
    "needs_confirmation",
    `an interrupted rollback${which} was reverted first; nothing else was done`,
    { hint: `Run \`waymark ${kind}\` again to ${kind} the one before it.` },
  );
}

function nothingToDo(kind: "undo" | "redo"): Failure {
  return kind === "undo"
    ? new Failure("nothing_to_undo", "nothing to undo in this work tree", {
        hint: "`waymark list` shows checkpoints that you can roll back to.",
      })
    : new Failure("nothing_to_redo", "nothing to redo in this work tree", {
        hint: "A new rollback clears the redo history.",
      });
}
