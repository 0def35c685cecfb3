/** Takes the checkpoints of an archive into the project: all of them, or none. */
import { archiveLimits } from "../domain/archive.ts";
import { Failure } from "../domain/failure.ts";
import { trashRecords, withoutTrash, withPins } from "../domain/session-records.ts";
import type { Admission, ArchivedPin, ArchiveFacts, OpenedArchive } from "../ports/archives.ts";
import { audited } from "./audited.ts";
import { journalBySession } from "./by-session.ts";
import type { Project } from "./project.ts";
import { recordJournalEvent } from "./record-journal-event.ts";

export interface ImportRequest {
  readonly file: string;
  readonly maxSizeMb?: number;
  /** Check everything and change nothing. */
  readonly dryRun: boolean;
}

export interface ImportResult {
  readonly facts: ArchiveFacts;
  readonly admission: Admission;
}

/** Others create checkpoints meanwhile; each try starts from what is there then. */
const TRIES = 10;

export function importArchive(project: Project, request: ImportRequest): Promise<ImportResult> {
  if (request.dryRun) return readArchive(project, request);
  return audited(
    project,
    {
      operation: "import",
      outcome: ({ facts: { file, sha256 }, admission }) =>
        isAnythingNew(admission)
          ? { checkpointIds: admission.newIds, details: { file, sha256 } }
          : undefined,
    },
    () => readArchive(project, request),
  );
}

async function readArchive(project: Project, request: ImportRequest): Promise<ImportResult> {
  project.sweep();
  const archives = await project.archives();
  const archive = await archives.open({
    file: request.file,
    limitsFor: (bytes) => archiveLimits(bytes, request.maxSizeMb),
    progress: project.progress,
  });
  try {
    const { facts } = archive;
    const admission = request.dryRun
      ? await archive.plan()
      : await project.interruption.holdOff(
          () => admitAndRecord(project, archive),
          () => "finishing the import",
        );
    return { facts, admission };
  } finally {
    archive.discard();
  }
}

async function admitAndRecord(project: Project, archive: OpenedArchive): Promise<Admission> {
  const admission = await admitAll(archive);
  if (!isAnythingNew(admission)) return admission;
  const { file, sha256 } = archive.facts;
  await takeOverPins(project, admission.pins);
  await recordJournalEvent(project, "import", admission.newIds, { file, sha256 });
  await forgetDeletions(project, admission.fromTrash);
  return admission;
}

async function takeOverPins(project: Project, pins: readonly ArchivedPin[]): Promise<void> {
  const records = new Map(pins.map(({ checkpointId, record }) => [checkpointId, record]));
  const sessionOf = new Map(pins.map(({ checkpointId, sessionId }) => [checkpointId, sessionId]));
  const event = { kind: "pin", reason: "pinned where they were imported from" } as const;
  await journalBySession(project, sessionOf, event, (session, ids) =>
    ids.reduce((changed, id) => {
      const record = records.get(id);
      return record === undefined ? changed : withPins(changed, [id], record);
    }, session),
  );
}

/** Otherwise the next deletion of one, if it is killed, would have no grace time. */
async function forgetDeletions(project: Project, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const records = trashRecords((await project.sessions.list()).map(({ document }) => document));
  const sessionOf = new Map(
    ids.flatMap((id): [string, string][] => {
      const record = records.get(id);
      return record === undefined ? [] : [[id, record.sessionId]];
    }),
  );
  await journalBySession(
    project,
    sessionOf,
    { kind: "undelete", reason: "imported" },
    (session, own) => withoutTrash(session, own),
  );
}

async function admitAll(archive: OpenedArchive): Promise<Admission> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const admission = await archive.plan();
    refuseConflicts(admission);
    if (await archive.admit()) return admission;
  }
  throw new Failure("repository_busy", "other processes keep changing the same checkpoints", {
    hint: "Run the command again; nothing was imported.",
  });
}

function refuseConflicts({ conflicts }: Admission): void {
  if (conflicts.length === 0) return;
  throw new Failure(
    "archive_conflict",
    `${conflicts.length === 1 ? "1 checkpoint" : `${conflicts.length} checkpoints`} of the archive and different ones here have the same id: ${conflicts.slice(0, 5).join(", ")}`,
    {
      hint: "Nothing was imported. Export without them, or delete yours first if you do not need them.",
      details: { conflicts },
    },
  );
}

function isAnythingNew({ newIds, sessions }: Admission): boolean {
  return (
    newIds.length > 0 ||
    sessions.some(({ standing }) => standing === "new" || standing === "forward")
  );
}
