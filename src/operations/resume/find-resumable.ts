/** Which session is to be resumed. */
import { Failure } from "../../domain/failure.ts";
import type { SessionDocument } from "../../domain/session.ts";
import { mayBeUnfinished } from "../../domain/session-version.ts";
import { isUnfinished, mayBecome } from "../../domain/workflow/session-status.ts";
import { findStartedSession } from "../find-session.ts";
import { otherToolsHint } from "../other-tools-hint.ts";
import type { Project } from "../project.ts";

export interface ResumeSelector {
  /** An id, or a part of one that only one session has. */
  readonly session?: string;
  /** The number of the issue that it is about. */
  readonly issue?: number;
}

/**
 * The one that is named, by itself or by its issue; else the one that was started in this work tree, if it can go on; else the
 * latest unfinished one here.
 */
export async function findResumable(
  project: Project,
  { session, issue }: ResumeSelector,
): Promise<SessionDocument> {
  if (session !== undefined) return ofIssue(await findStartedSession(project, session), issue);
  const { sessions, unreadable } = await project.sessions.listAll();
  const started = sessions
    .map(({ document }) => document)
    .filter(({ implicit }) => !implicit)
    .toSorted((left, right) => (left.updated_at < right.updated_at ? 1 : -1));
  const hidden = unreadable.find((why) => mayBeUnfinished(why, project.workTree.id));
  if (issue !== undefined) {
    if (hidden !== undefined) throw passedOver(hidden);
    const isNew = started.every(({ issue_number }) => issue_number !== issue);
    return byIssue(project, started, issue, isNew ? await otherToolsHint(project) : "");
  }
  const currentId = project.currentSession.get();
  // One that cannot be read says so: another one is not what anybody means.
  if (currentId !== undefined && !started.some(({ id }) => id === currentId))
    await project.sessions.read(currentId);
  const current = started.find(({ id }) => id === currentId);
  if (current !== undefined && canGoOn(current)) return current;
  if (hidden !== undefined) throw passedOver(hidden);
  const unfinished = started.find((found) => isHere(project, found) && isUnfinished(found.status));
  if (unfinished !== undefined) return unfinished;
  const others = started.length === 0 ? await otherToolsHint(project) : "";
  throw nothingToResume("no session to resume here", started, others);
}

/** It may be the one that is meant, and nobody can tell. */
function passedOver(why: Failure): Failure {
  return new Failure(why.code, why.message, {
    hint: `\`waymark resume ID\` names another one (\`waymark session list\`). ${why.hint}`,
    details: why.details,
  });
}

function ofIssue(session: SessionDocument, issue: number | undefined): SessionDocument {
  if (issue === undefined || session.issue_number === issue) return session;
  const about = session.issue_number === undefined ? "no issue" : `issue #${session.issue_number}`;
  throw new Failure("usage", `session ${session.id} is about ${about}, not about #${issue}`, {
    hint: "Name the session or the issue, not both. Nothing was changed.",
  });
}

/** An unfinished one comes before one that failed; of several unfinished ones nobody guesses. */
function byIssue(
  project: Project,
  started: readonly SessionDocument[],
  issue: number,
  others: string,
): SessionDocument {
  const about = started.filter(({ issue_number }) => issue_number === issue);
  const open = about.filter(({ status }) => isUnfinished(status));
  const here = open.filter((session) => isHere(project, session));
  const candidates = here.length > 0 ? here : open;
  const [first, second] = candidates;
  if (first !== undefined && second !== undefined) {
    const ids = candidates.map(({ id }) => id);
    throw new Failure(
      "ambiguous_selector",
      `${ids.length} unfinished sessions are about issue #${issue}: ${ids.slice(0, 5).join(", ")}`,
      { hint: `Name one: \`waymark resume ${first.id}\`.`, details: { candidates: ids } },
    );
  }
  const found = first ?? about.find(canGoOn);
  if (found !== undefined) return found;
  const none = about.length === 0 ? "no session is" : "no session that could be resumed is";
  const known = about.length === 0 ? started : about;
  throw nothingToResume(`${none} about issue #${issue}`, known, others);
}

function canGoOn({ status }: SessionDocument): boolean {
  return mayBecome(status, "active");
}

function isHere(project: Project, { worktree_id: place }: SessionDocument): boolean {
  return place === undefined || place === project.workTree.id;
}

const MOST_NAMED = 5;

function nothingToResume(
  message: string,
  sessions: readonly SessionDocument[],
  others = "",
): Failure {
  const shown = sessions.slice(0, MOST_NAMED);
  const known =
    shown.length === 0
      ? "No session was started yet: `waymark run FILE` and `waymark session start` start one."
      : `Latest: ${namedText(shown)}. ${sessions.some(canGoOn) ? "`waymark resume ID` continues one." : "To continue one, roll back to one of its checkpoints, then `waymark resume ID`."}`;
  return new Failure("session_not_found", message, {
    hint: `${known} ${others}`.trimEnd(),
    details: { sessions: sessions.map(({ id, status }) => ({ id, status })) },
  });
}

/** `a, b (both completed)` */
function namedText(sessions: readonly SessionDocument[]): string {
  const statuses = [...new Set(sessions.map(({ status }) => status))];
  if (statuses.length > 1) return sessions.map(({ id, status }) => `${id} (${status})`).join(", ");
  const all = ["", "", "both "][sessions.length] ?? "all ";
  return `${sessions.map(({ id }) => id).join(", ")} (${all}${statuses[0] ?? ""})`;
}
