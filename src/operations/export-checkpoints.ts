/** Writes checkpoints, with everything that they need, to one portable file. */
import { archiveLimits } from "../domain/archive.ts";
import { showPath, type BytePath } from "../domain/byte-path.ts";
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import { Failure } from "../domain/failure.ts";
import { repairOf } from "../domain/session-version.ts";
import type { ArchiveFacts } from "../ports/archives.ts";
import {
  checkSecrets,
  optionsToLeave,
  secretsHeld,
  withheldText,
  type LeftHere,
  type SecretCheck,
} from "./check-secrets.ts";
import { audited } from "./audited.ts";
import { chosenIds } from "./find-checkpoint.ts";
import type { Project } from "./project.ts";
import { recordJournalEvent } from "./record-journal-event.ts";
import { viewSessions, type SessionView } from "./session-view.ts";

export interface ExportRequest {
  /** Empty: all of them, or those of the session. */
  readonly selectors: readonly string[];
  readonly sessionId?: string;
  readonly file?: string;
  readonly overwrite: boolean;
  readonly since: readonly string[];
  readonly sinceRemotes: boolean;
  readonly skipDamaged: boolean;
  /** Files, and folders with all that is below, that may leave the machine although they look like secrets. */
  readonly includeSecrets?: readonly BytePath[];
  /** Dumps of databases may leave the machine. */
  readonly includeDatabases?: boolean;
}

export interface Skipped {
  /** Of a checkpoint, or of a session. */
  readonly id: string;
  readonly problem: string;
}

export interface ExportResult extends ArchiveFacts {
  readonly skipped: readonly Skipped[];
  /** With these options nothing would have stayed because of secrets or databases; empty: nothing did. */
  readonly optionsToLeave: string;
  /** An import has to be told to accept this many megabytes; null: it accepts it as it is. */
  readonly needsMaxSizeMb: number | null;
  /** Secrets that are in it because they were named. */
  readonly includedSecrets: SecretCheck["named"];
  /** Databases that are in it because they may be. */
  readonly includedDatabases: SecretCheck["databases"];
  /** Files and databases of exported checkpoints that stay here. */
  readonly leftHere: readonly LeftHere[];
  /** Checkpoints whose copies of files stay here. */
  readonly withoutCopies: readonly string[];
}

export function exportCheckpoints(project: Project, request: ExportRequest): Promise<ExportResult> {
  return audited(
    project,
    {
      operation: "export",
      outcome: ({ checkpoints, file, sha256 }) => ({
        checkpointIds: checkpoints.map(({ id }) => id),
        details: { file, sha256 },
      }),
    },
    () => writeExport(project, request),
  );
}

async function writeExport(project: Project, request: ExportRequest): Promise<ExportResult> {
  project.sweep();
  const view = await viewSessions(project, request.sessionId);
  const ids = chosenIds(project, view, request);
  const { whole: found, skipped } = await splitDamaged(project, view, ids);
  if (found.length === 0 && skipped.length === 0) {
    throw new Failure("checkpoint_not_found", "no checkpoints to export", {
      hint: "`waymark create` creates one; `waymark list --all` lists all of them.",
    });
  }
  const secrets = await checkSecrets(project, found, {
    secrets: request.includeSecrets ?? [],
    databases: request.includeDatabases === true,
  });
  const whole = secrets.free;
  // Whoever names a checkpoint wants that one; without names those that may leave are all there are.
  const mayLeaveOut = request.selectors.length === 0 && whole.length > 0;
  if (secrets.withheld.length > 0 && !mayLeaveOut) throw secretsHeld(secrets.withheld);
  const withheld = secrets.withheld.map((each) => ({
    id: each.id,
    problem: `it contains content that must not leave this machine: ${withheldText(each)}`,
  }));
  const sessions = await sessionsOf(project, view, whole, request);
  refuseDamaged(whole, skipped, sessions, request);
  const archives = await project.archives();
  const facts = await archives.write({
    checkpoints: whole.map((document) => ({
      id: document.id,
      sessionId: document.session_id,
      createdAt: document.created_at,
      along: secrets.along.get(document.id) ?? [],
    })),
    sessionIds: sessions.ids,
    since: request.since,
    sinceRemotes: request.sinceRemotes,
    file: request.file,
    overwrite: request.overwrite,
    at: project.clock.now(),
    progress: project.progress,
  });
  const exported = facts.checkpoints.map(({ id }) => id);
  await recordJournalEvent(project, "export", exported, {
    file: facts.file,
    sha256: facts.sha256,
    ...(secrets.named.length === 0
      ? {}
      : { included_secrets: [...new Set(secrets.named.map(({ path }) => showPath(path)))] }),
    ...(secrets.databases.length === 0
      ? {}
      : { included_databases: [...new Set(secrets.databases.map(({ label }) => label))] }),
  });
  return {
    ...facts,
    skipped: [...skipped, ...withheld, ...sessions.skipped],
    leftHere: secrets.left,
    optionsToLeave: optionsToLeave([...secrets.withheld, ...secrets.left]),
    needsMaxSizeMb: neededMegabytes(facts),
    includedSecrets: secrets.named,
    includedDatabases: secrets.databases,
    withoutCopies: whole.filter(hasCopies).map(({ id }) => id),
  };
}

function hasCopies({ parts }: CheckpointDocument): boolean {
  return parts.some((part) => part.type === "file_backup" && part.files > 0);
}

async function splitDamaged(
  project: Project,
  view: SessionView,
  ids: readonly string[],
): Promise<{ whole: CheckpointDocument[]; skipped: Skipped[] }> {
  if (ids.length === 0) return { whole: [], skipped: [] };
  const documents = new Map(view.documents.map((document) => [document.id, document]));
  const whole: CheckpointDocument[] = [];
  const skipped: Skipped[] = [];
  for (const integrity of await project.checkpoints.verify(ids, project.progress)) {
    const document = documents.get(integrity.id);
    const isWhole = integrity.file && integrity.hash && integrity.git && integrity.state;
    if (document !== undefined && isWhole) whole.push(document);
    else skipped.push({ id: integrity.id, problem: integrity.problems[0] ?? "it is damaged" });
  }
  return { whole, skipped };
}

interface ChosenSessions {
  readonly ids: readonly string[];
  readonly skipped: readonly Skipped[];
  /** What helps, for each that is skipped. */
  readonly repairs: readonly string[];
}

/** The sessions of the chosen checkpoints; all sessions that were not deleted when everything is exported. */
async function sessionsOf(
  project: Project,
  view: SessionView,
  whole: readonly CheckpointDocument[],
  request: ExportRequest,
): Promise<ChosenSessions> {
  const isAll = request.selectors.length === 0 && request.sessionId === undefined;
  const wanted = new Set(whole.map((document) => document.session_id));
  if (isAll) {
    for (const [id, { deleted_at }] of view.sessions) if (deleted_at === undefined) wanted.add(id);
  }
  const ids: string[] = [];
  const skipped: Skipped[] = [];
  const repairs: string[] = [];
  for (const id of wanted) {
    try {
      const session = await project.sessions.read(id);
      if (session?.setAside !== undefined) throw session.setAside;
      if (session !== undefined) ids.push(id);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      skipped.push({ id, problem: error.message });
      repairs.push(repairOf(error));
    }
  }
  return { ids, skipped, repairs };
}

function refuseDamaged(
  whole: readonly CheckpointDocument[],
  checkpoints: readonly Skipped[],
  sessions: ChosenSessions,
  request: ExportRequest,
): void {
  const skipped = [...checkpoints, ...sessions.skipped];
  const [first] = skipped;
  if (first === undefined || (request.skipDamaged && whole.length > 0)) return;
  const names = skipped.map(({ id }) => id);
  const repair =
    checkpoints.length > 0
      ? `\`waymark rebuild ${first.id}\` may repair it`
      : `Session ${first.id}: ${sessions.repairs[0] ?? ""}`;
  throw new Failure(
    "checkpoint_damaged",
    whole.length === 0
      ? `nothing can be exported: ${first.id} is damaged (${first.problem})`
      : `not everything can be exported: ${names.slice(0, 5).join(", ")}${names.length > 5 ? ", …" : ""} (${first.problem})`,
    {
      hint:
        whole.length === 0
          ? `${repair}. Nothing was written.`
          : `${repair}; --skip-damaged exports the others. Nothing was written.`,
      details: { damaged: skipped },
    },
  );
}

function neededMegabytes(facts: ArchiveFacts): number | null {
  const limits = archiveLimits(facts.bytes);
  const fits =
    facts.contentBytes <= limits.contentBytes && facts.largestBytes <= limits.objectBytes;
  return fits ? null : Math.ceil(Math.max(facts.contentBytes, facts.bytes) / 1_000_000);
}
