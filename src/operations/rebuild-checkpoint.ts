/** Makes a damaged checkpoint whole again, from whatever still has its pieces, and says what could not be. */
import { withoutDamage } from "../domain/damage-record.ts";
import { Failure } from "../domain/failure.ts";
import { implicitSessionId } from "../domain/session.ts";
import type { MissingPiece, RebuildReport } from "../ports/rebuilder.ts";
import { audited } from "./audited.ts";
import { findStored } from "./find-checkpoint.ts";
import type { Project } from "./project.ts";
import { recordJournalEvent } from "./record-journal-event.ts";
import { viewSessions } from "./session-view.ts";
import { updateSession } from "./update-session.ts";

export interface RebuildRequest {
  readonly selector: string;
  readonly sessionId?: string;
  readonly from?: string;
  /** As it was, or not at all: nothing of it is made again. */
  readonly exactly?: boolean;
}

export interface RebuildResult extends RebuildReport {
  readonly id: string;
  /** whole: nothing was wrong. repaired: it is what it was. rebuilt: parts of it were made again. */
  readonly state: "whole" | "repaired" | "rebuilt";
  /** Why the journal does not have it; null: it has. */
  readonly notJournaled: string | null;
}

export function rebuildCheckpoint(
  project: Project,
  request: RebuildRequest,
): Promise<RebuildResult> {
  return audited(
    project,
    {
      operation: "rebuild",
      outcome: ({ id, state, repaired }) =>
        state === "whole"
          ? undefined
          : { checkpointIds: [id], details: { state, repaired: repaired.length } },
    },
    () => rebuild(project, request),
  );
}

async function rebuild(project: Project, request: RebuildRequest): Promise<RebuildResult> {
  project.sweep();
  const view = await viewSessions(project, request.sessionId);
  const { id } = findStored(project, view, request.selector);
  if ((await problemsOf(project, id)).length === 0) {
    return { id, state: "whole", repaired: [], missing: [], remade: null, notJournaled: null };
  }
  const rebuilder = await project.rebuilder();
  const report = await rebuilder.rebuild({
    id,
    from: request.from,
    exactly: request.exactly === true,
    sessionId: implicitSessionId(project.workTree.id),
    at: project.clock.now(),
    progress: project.progress,
  });
  const problems = report.missing.length > 0 ? [] : await problemsOf(project, id);
  if (report.missing.length > 0 || problems.length > 0) {
    throw notWhole(id, report, problems, request);
  }
  const notJournaled = await journal(project, id, report);
  return { id, state: report.remade === null ? "repaired" : "rebuilt", notJournaled, ...report };
}

/** The session may be as damaged as the checkpoint was; that is no reason to call a whole one damaged. */
async function journal(
  project: Project,
  id: string,
  report: RebuildReport,
): Promise<string | null> {
  try {
    await forgetDamage(project, id);
    await recordJournalEvent(project, "rebuild", [id], {
      repaired: report.repaired.length,
      remade: report.remade?.parts ?? [],
    });
    return null;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.message;
  }
}

async function problemsOf(project: Project, id: string): Promise<readonly string[]> {
  const [integrity] = await project.checkpoints.verify([id], project.progress);
  if (integrity === undefined) return ["it does not exist"];
  const { file, hash, git, state, problems } = integrity;
  return file && hash && git && state ? [] : [...problems, "it is damaged"];
}

async function forgetDamage(project: Project, id: string): Promise<void> {
  for (const { document } of await project.sessions.list()) {
    if (withoutDamage(document, id) === undefined) continue;
    await updateSession(project, document.id, `${id} is intact again`, (session) =>
      withoutDamage(session, id),
    );
  }
}

const MOST_NAMED = 5;

function notWhole(
  id: string,
  report: RebuildReport,
  problems: readonly string[],
  request: RebuildRequest,
): Failure {
  const { missing, repaired } = report;
  const names = [...new Set(missing.map(whatIs))];
  const what =
    names.length === 0
      ? (problems[0] ?? "")
      : `${names.slice(0, MOST_NAMED).join(", ")}${names.length > MOST_NAMED ? ", …" : ""}`;
  const found = repaired.length === 0 ? "" : ` (${repaired.length} pieces were found and are kept)`;
  return new Failure("rebuild_failed", `checkpoint ${id} cannot be repaired: ${what}${found}`, {
    hint:
      request.from === undefined
        ? "Name a place that may have it: `--from` another clone, a file of `waymark export`, or a remote."
        : "That source does not have it either. `waymark help recovery` describes what can be recovered manually.",
    details: { id, missing, repaired },
  });
}

function whatIs({ type, path, object }: MissingPiece): string {
  if (path === "commit")
    return `its commit${object === "" ? "" : ` ${object.slice(0, 12)}`} is missing`;
  return `${type === "tree" ? "the folder " : ""}${path} is missing`;
}
