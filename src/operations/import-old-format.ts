/**
 * Takes over what older tools wrote: sessions, and checkpoints of those records whose commit is in this repository. One thing that cannot
 * be carried is named and does not stop the others; a session comes with all of its checkpoints or not at all.
 */
import { Failure } from "../domain/failure.ts";
import type { OldFormat } from "../domain/old-formats/old-formats.ts";
import type { NotCarried } from "../domain/old-formats/old-session.ts";
import { audited } from "./audited.ts";
import { bringInSession, type BroughtIn } from "./bring-in-session.ts";
import type { Project } from "./project.ts";
import { recordJournalEvent } from "./record-journal-event.ts";

export interface OldFormatRequest {
  readonly format: OldFormat;
  readonly path: string;
  /** Say what would be imported, and change nothing. */
  readonly dryRun: boolean;
}

export interface OldFormatImport {
  /** The source, with links resolved. */
  readonly path: string;
  readonly sessions: readonly BroughtIn[];
  readonly notCarried: readonly NotCarried[];
}

export function importOldFormat(
  project: Project,
  request: OldFormatRequest,
): Promise<OldFormatImport> {
  if (request.dryRun) return bringIn(project, request);
  return audited(
    project,
    {
      operation: "import",
      outcome: ({ path, sessions, notCarried }) => {
        const { sessionIds, checkpointIds } = news(sessions);
        if (sessionIds.length === 0) return undefined;
        const details = { from: request.format, path, sessions: sessionIds };
        return { checkpointIds, details: { ...details, not_carried: notCarried.length } };
      },
    },
    () =>
      project.interruption.holdOff(
        () => bringIn(project, request),
        () => "stopping after this record",
      ),
  );
}

async function bringIn(
  project: Project,
  { format, path, dryRun }: OldFormatRequest,
): Promise<OldFormatImport> {
  if (!dryRun) project.sweep();
  const source = await (
    await project.oldFormats()
  ).read({ format, path, progress: project.progress });
  const notCarried: NotCarried[] = [...source.problems];
  const sessions: BroughtIn[] = [];
  const total = source.sessions.reduce((sum, { session }) => sum + 1 + session.records.length, 0);
  const task = project.progress.begin("importing sessions and records", { items: total });
  const codeStates = await project.codeStates();
  try {
    for (const { session, problems } of source.sessions) {
      stopIfAsked(project);
      notCarried.push(...problems);
      let left = 1 + session.records.length;
      const onRecord = (): void => {
        stopIfAsked(project);
        left -= 1;
        task.advance(1);
      };
      const taken = new Set(sessions.map(({ id }) => id));
      const order = { format, old: session, dryRun, taken, onRecord };
      const brought = await bringInSession(project, codeStates, order, notCarried);
      if (brought !== undefined) sessions.push(brought);
      task.advance(Math.max(left, 0));
    }
  } finally {
    task.end();
    // Also when the rest of them failed: these are here.
    if (!dryRun) await journal(project, format, source.path, sessions);
  }
  return { path: source.path, sessions, notCarried };
}

async function journal(
  project: Project,
  format: OldFormat,
  path: string,
  sessions: readonly BroughtIn[],
): Promise<void> {
  const { sessionIds, checkpointIds } = news(sessions);
  if (sessionIds.length === 0) return;
  await recordJournalEvent(project, "import", checkpointIds, {
    from: format,
    path,
    sessions: sessionIds,
  });
}

function news(sessions: readonly BroughtIn[]): { sessionIds: string[]; checkpointIds: string[] } {
  const isNew = ({ standing }: BroughtIn): boolean =>
    standing === "imported" || standing === "extended";
  const brought = sessions.filter(isNew);
  return {
    sessionIds: brought.map(({ id }) => id),
    checkpointIds: brought.flatMap(({ checkpoints }) => checkpoints.map(({ id }) => id)),
  };
}

function stopIfAsked(project: Project): void {
  if (!project.interruption.isAsked) return;
  throw new Failure("interrupted", "the import was interrupted", {
    hint: "Sessions that were imported are complete. Run the command again for the rest.",
  });
}
