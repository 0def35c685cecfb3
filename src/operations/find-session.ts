/** Turns what the user said into one session. */
import { Failure } from "../domain/failure.ts";
import { relativeTime } from "../domain/relative-time.ts";
import { implicitSessionId, type SessionDocument } from "../domain/session.ts";
import { selectSession } from "../domain/workflow/session-selector.ts";
import type { Project } from "./project.ts";
import { viewSessions } from "./session-view.ts";
import { isImplicit } from "./which-session.ts";

export interface SessionLook {
  /** Only a full id names it. */
  readonly isWhole?: boolean;
  /** Also one that is in the trash. */
  readonly orDeleted?: boolean;
}

/** It was deleted, and none of its checkpoints was restored since. */
async function isInTrash(project: Project, { id, deleted_at }: SessionDocument): Promise<boolean> {
  if (deleted_at === undefined) return false;
  const { documents } = await viewSessions(project, id);
  return !documents.some(({ session_id }) => session_id === id);
}

function deletedSession(project: Project, { id, deleted_at = "" }: SessionDocument): Failure {
  const when = relativeTime(deleted_at, project.clock.now());
  return new Failure("session_not_found", `session ${id} was deleted ${when}`, {
    hint: "`waymark delete --undo` lists its checkpoints that can be restored; the session is restored with them. Nothing was changed.",
  });
}

/** An id, a part of one that only one session has, or undefined: the one that was started in this work tree, else its own. */
export async function findSession(
  project: Project,
  given: string | undefined,
  { isWhole = false, orDeleted = false }: SessionLook = {},
): Promise<SessionDocument> {
  const named = given ?? project.currentSession.get() ?? implicitSessionId(project.workTree.id);
  // By its full id also one that a list leaves out: then it says itself what is wrong with it.
  const exact = await project.sessions.read(named);
  if (exact !== undefined) {
    const { document } = exact;
    if (!orDeleted && (await isInTrash(project, document))) throw deletedSession(project, document);
    return document;
  }
  if (given === undefined && isImplicit(project, named)) throw noneStarted();
  const all = (await project.sessions.list())
    .map(({ document }) => document)
    .toSorted((left, right) => (left.updated_at < right.updated_at ? 1 : -1));
  const started = all
    .filter(({ implicit, deleted_at }) => !implicit && deleted_at === undefined)
    .map(({ id }) => id);
  const id = selectSession(named, started, isWhole);
  const found = all.find((session) => session.id === id);
  if (found === undefined) throw new Error(`${id} was chosen but does not exist`);
  return found;
}

/** The same, for what changes it: an implicit session is no workflow. `isWhole`: for what ends or deletes it, which takes no part of an id. */
export async function findStartedSession(
  project: Project,
  given: string | undefined,
  options?: SessionLook,
): Promise<SessionDocument> {
  const session = await findSession(project, given, options);
  if (!session.implicit) return session;
  if (given === undefined) throw noneStarted();
  throw new Failure(
    "session_not_found",
    `${session.id} is the work tree's own session and cannot be saved to, ended or deleted`,
    {
      hint: "`waymark session start --type TYPE` starts another one; `waymark delete` and `waymark cleanup` remove checkpoints. Nothing was changed.",
    },
  );
}

function noneStarted(): Failure {
  return new Failure("session_not_found", "no session was started in this work tree", {
    hint: "`waymark session start --type TYPE` starts one, `waymark session list --all` lists all of them. Nothing was changed.",
  });
}
