/** The document of a checkpoint that is made from an old record and a commit of this repository. */
import { makeCheckpointId, restoreCommand } from "../checkpoint-id.ts";
import {
  SCHEMA_VERSION,
  type CheckpointDocument,
  type Coverage,
  type GitPart,
  type GitSummary,
} from "../checkpoint.ts";
import { withChecksum } from "../document-text.ts";
import type { StatePart } from "../parts.ts";
import type { OldFormat } from "./old-formats.ts";
import type { OldRecord } from "./old-session.ts";

type Sha256 = (text: string) => string;

/** The code of its moment, as it is stored here. */
export interface CapturedCode {
  readonly git: GitSummary;
  readonly part: GitPart;
  readonly coverage: Coverage;
  readonly sameness: string;
  readonly contentHash: string;
}

/** Where the new checkpoint goes. */
export interface ImportedPlace {
  readonly format: OldFormat;
  readonly sessionId: string;
  readonly worktreeId: string;
  readonly seq: number;
  readonly previousId: string | null;
  /** Its uncommitted changes are gone. */
  readonly isWithoutChanges: boolean;
}

/** The same record has the same id whenever and wherever it is imported. `taken` has those that others have got. */
export function importedId(
  format: OldFormat,
  sessionId: string,
  record: OldRecord,
  taken: ReadonlySet<string>,
  sha256: Sha256,
): string {
  const digest = sha256([format, sessionId, record.id, record.file].join("\n"));
  for (let at = 0; at + 4 <= digest.length; at++) {
    const id = makeCheckpointId({
      step: record.step,
      label: record.phase ?? record.trigger,
      at: new Date(record.createdAt),
      hash: digest.slice(at, at + 4),
    });
    if (!taken.has(id)) return id;
  }
  throw new Error(`there are too many records like ${record.id}`);
}

export function importedDocument(
  id: string,
  record: OldRecord,
  code: CapturedCode,
  state: StatePart | undefined,
  place: ImportedPlace,
  sha256: Sha256,
): CheckpointDocument {
  const source = `imported from ${place.format}: ${record.id}`;
  const document = {
    schema_version: SCHEMA_VERSION,
    id,
    session_id: place.sessionId,
    worktree_id: place.worktreeId,
    seq: place.seq,
    previous_id: place.previousId,
    epoch: record.valid ? null : leftEpoch(record.invalidatedBy),
    name: null,
    task_id: record.taskId,
    issue_number: record.issueNumber,
    phase: record.phase,
    step: record.step,
    previous_phase: record.previousPhase,
    workflow_state: record.workflowState,
    trigger: record.trigger,
    reason: place.isWithoutChanges ? `${source}, without its uncommitted changes` : source,
    description: record.description,
    created_at: record.createdAt,
    created_by: {
      user: record.user,
      host: "unknown",
      pid: 0,
      agent: null,
      agent_session_id: null,
      tool_use_id: null,
    },
    git: code.git,
    parts: state === undefined ? [code.part] : [code.part, state],
    coverage: code.coverage,
    metrics: record.metrics,
    files: record.files,
    sameness: code.sameness,
    content_hash: code.contentHash,
    state_digest: state?.digest ?? null,
    durability: "safe" as const,
    expires_at: null,
    restore_command: restoreCommand(id),
    imported_from: { format: place.format, record_id: record.id, rest: record.rest },
  };
  return withChecksum(document, sha256);
}

/** The epoch of records that a rollback of the old tool left behind; no line of the session leads through it. */
export function leftEpoch(rollbackId: string | null): string {
  return rollbackId === null ? "left-behind" : `left-by-${rollbackId}`;
}
