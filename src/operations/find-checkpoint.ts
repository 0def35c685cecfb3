/** Turns what the user said into one checkpoint that can be used. */
import { exactTime } from "../domain/exact-time.ts";
import { isExpired, type CheckpointDocument } from "../domain/checkpoint.ts";
import { damageOf as damageIn } from "../domain/damage-record.ts";
import { Failure } from "../domain/failure.ts";
import { trashRecords } from "../domain/session-records.ts";
import { implicitSessionId } from "../domain/session.ts";
import { selectCheckpoint, type Candidate } from "../domain/selector.ts";
import { noSuchSession } from "../domain/workflow/session-selector.ts";
import type { StoredCheckpoint } from "../ports/checkpoint-store.ts";
import { markDamaged } from "./mark-damaged.ts";
import type { Project } from "./project.ts";
import { lastValid, viewSessions, type SessionView } from "./session-view.ts";

/** To look at, or to do something with; `findTarget` is for a checkpoint that the project will be equal to. */
export function findStored(
  project: Project,
  view: SessionView,
  selector: string,
  restores = false,
): StoredCheckpoint {
  if (view.setAside !== undefined && RELATIVE.test(selector)) {
    throw notTold(view.setAside, selector, view);
  }
  const candidates = view.stored.map((stored): Candidate => ({
    id: stored.id,
    document: stored.kind === "ok" ? stored.document : undefined,
  }));
  const { id } = selectCheckpoint(selector, {
    candidates,
    standing: view.standing,
    sessionId: view.askedId,
    startedId:
      view.sessionId === implicitSessionId(project.workTree.id) ? undefined : view.sessionId,
    worktreeId: project.workTree.id,
    sessions: view.unreadable.length > 0 ? undefined : sessionIds(view),
    deleted: trashRecords([...view.sessions.values()]),
    now: project.clock.now(),
    restores,
  });
  const found = view.stored.find((stored) => stored.id === id);
  if (found === undefined) throw new Error(`${id} was chosen but does not exist`);
  return found;
}

/** What these mean, the document of a session says. */
const RELATIVE = /^(?:latest(?:~\d+)?|start|phase:.+|\d{1,3})$/;

function notTold(why: Failure, selector: string, view: SessionView): Failure {
  const newest = view.documents.findLast(({ trigger }) => trigger !== "pre_rollback")?.id;
  const instead = newest === undefined ? "" : ` (the newest is ${newest})`;
  return new Failure(why.code, `"${selector}" cannot be resolved: ${why.message}`, {
    hint: `Name a checkpoint by its id${instead}; \`waymark list --all\` shows them. ${why.hint}`,
    details: { ...why.details, newest: newest ?? null },
  });
}

/** Latest first. */
function sessionIds({ sessions }: SessionView): string[] {
  return [...sessions.values()]
    .toSorted((left, right) => (left.updated_at < right.updated_at ? 1 : -1))
    .map(({ id }) => id);
}

export function findTarget(
  project: Project,
  view: SessionView,
  selector: string,
): Promise<CheckpointDocument> {
  return checkedDocument(project, view, findStored(project, view, selector, true));
}

/** As `usable`, and read again with every check: a list trusts what it found right before. */
export async function checkedDocument(
  project: Project,
  view: SessionView,
  stored: StoredCheckpoint,
): Promise<CheckpointDocument> {
  const now = await project.checkpoints.read(stored.id);
  // Of a ref whose commit is missing nothing can be read, and it is not deleted.
  if (now === undefined && stored.kind === "ok") throw await deletedFailure(project, stored.id);
  return usable(view, now ?? stored);
}

/** What whoever restores a checkpoint should know about it before. */
export function targetWarnings(view: SessionView, target: CheckpointDocument): string[] {
  const damage = damageIn(view.sessions, target)?.problems[0];
  const why =
    target.worked_out === true
      ? "this checkpoint was computed for a rollback, and the project may never have been in this state"
      : "this checkpoint was rolled past";
  return [
    ...(view.standing(target).valid ? [] : [`${why}; restoring it anyway`]),
    ...(damage === undefined
      ? []
      : [
          `checkpoint ${target.id} was found damaged (${damage}): if it still is, the rollback is refused and changes nothing`,
        ]),
  ];
}

/** It was there a moment ago, or a session still speaks of it. */
export async function deletedFailure(project: Project, id: string): Promise<Failure> {
  const isInTrash = (await project.checkpoints.listTrash()).some((stored) => stored.id === id);
  return new Failure("checkpoint_not_found", `the checkpoint ${id} no longer exists`, {
    hint: isInTrash
      ? `It was deleted; \`waymark delete --undo ${id}\` restores it within its grace time.`
      : "It was deleted for good; `waymark list` shows the checkpoints that you can roll back to.",
  });
}

/** Those that are named, each once; else all, of a session if one is given. */
export function chosenIds(
  project: Project,
  view: SessionView,
  request: { readonly selectors: readonly string[]; readonly sessionId?: string },
): string[] {
  if (request.selectors.length > 0) {
    const found = request.selectors.map((selector) => findStored(project, view, selector).id);
    return [...new Set(found)];
  }
  refuseUnknown(view, request.sessionId);
  return view.stored
    .filter(
      (stored) =>
        request.sessionId === undefined ||
        // Nobody knows which session a damaged one belongs to.
        stored.kind !== "ok" ||
        stored.document.session_id === request.sessionId,
    )
    .map(({ id }) => id);
}

/** That all checkpoints of a session that does not exist are intact is no answer. */
function refuseUnknown(view: SessionView, id: string | undefined): void {
  const isKnown =
    id === undefined ||
    view.unreadable.length > 0 ||
    view.sessions.has(id) ||
    view.documents.some(({ session_id }) => session_id === id);
  if (!isKnown) throw noSuchSession(id, sessionIds(view));
}

/** A readable document, or a refusal that names the last valid checkpoint. */
export function usable(view: SessionView, stored: StoredCheckpoint): CheckpointDocument {
  switch (stored.kind) {
    case "ok":
      return stored.document;
    case "newer":
      throw new Failure(
        "checkpoint_newer",
        `checkpoint ${stored.id} was written by a newer Waymark (format ${stored.version})`,
        { hint: "Update Waymark to use it; it was not changed." },
      );
    case "damaged":
      throw damagedFailure(view, stored.id, stored.problem);
  }
}

export function damagedFailure(view: SessionView, id: string, problem: string): Failure {
  const last = lastValid(view, (other) => other.id !== id && view.isUsable(other));
  return new Failure("checkpoint_damaged", `checkpoint ${id} is damaged: ${problem}`, {
    hint:
      last === undefined
        ? "There is no other valid checkpoint; `waymark help recovery` describes what can be recovered manually."
        : `The last valid one is ${last.id}: \`waymark rollback ${last.id}\`. \`waymark rebuild ${id}\` may repair it. Nothing was changed.`,
    details: { last_valid: last?.id ?? null },
  });
}

/** Work that reads a checkpoint: damage that it meets is that checkpoint's, and the last valid one is named. */
export async function readingCheckpoint<Result>(
  project: Project,
  document: CheckpointDocument,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const problem = await damageOf(project, document, error);
    if (problem === undefined) throw error;
    await markDamaged(project, document, problem);
    const view = await viewSessions(project, document.session_id);
    throw damagedFailure(view, document.id, problem);
  }
}

/** Undefined: the failure is about something else. Git speaks of objects; whether they are this checkpoint's is found by reading it. */
async function damageOf(
  project: Project,
  { id }: CheckpointDocument,
  error: unknown,
): Promise<string | undefined> {
  if (!(error instanceof Failure)) return undefined;
  if (error.code === "checkpoint_damaged") return error.message;
  if (error.code !== "git_failed") return undefined;
  const [found] = await project.checkpoints.verify([id], project.progress);
  return found?.problems[0];
}

/** Reads every object of it: for what hands it on to others. One that was not made here meets the checks of an import too. */
export async function refuseDamaged(project: Project, document: CheckpointDocument): Promise<void> {
  await readingCheckpoint(project, document, () => project.checkpoints.refuseHarmful(document));
  const [found] = await project.checkpoints.verify([document.id], project.progress);
  if (found === undefined || found.problems.length === 0) return;
  const view = await viewSessions(project, document.session_id);
  throw damagedFailure(view, document.id, found.problems[0] ?? "an object is missing");
}

/** Names the last one that can be used. */
export async function refuseExpired(project: Project, document: CheckpointDocument): Promise<void> {
  if (!isExpired(document, project.clock.now())) return;
  const view = await viewSessions(project, document.session_id);
  const last = lastValid(view, view.isUsable)?.id ?? null;
  const instead =
    last === null ? "" : ` The last valid one is ${last}: \`waymark rollback ${last}\`.`;
  throw new Failure(
    "checkpoint_expired",
    `checkpoint ${document.id} expired at ${exactTime(document.expires_at ?? "")}`,
    {
      hint: `It is still intact: add --even-if-expired to roll back to it anyway.${instead} Nothing was changed.`,
      details: { expires_at: document.expires_at, last_valid: last },
    },
  );
}
