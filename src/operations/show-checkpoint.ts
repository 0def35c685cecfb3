/** One checkpoint with everything that is known about it. Changes nothing. */
import { isExpired, type CheckpointDocument } from "../domain/checkpoint.ts";
import { damageOf } from "../domain/damage-record.ts";
import type { Standing } from "../domain/lineage.ts";
import { isRecord } from "../domain/is-record.ts";
import { redactValue } from "../domain/secrets/redact.ts";
import { pinRecords } from "../domain/session-records.ts";
import type { DamageRecord, PinRecord } from "../domain/session.ts";
import { newestFirst } from "../domain/time-line.ts";
import { scopeDocument, type ScopeDocument } from "./documents/scope-document.ts";
import { findStored, usable } from "./find-checkpoint.ts";
import { workflowSummary } from "../domain/workflow/workflow-summary.ts";
import { describeParts } from "./part-work.ts";
import type { Project } from "./project.ts";
import { viewSessions, type SessionView } from "./session-view.ts";
import { stateValues } from "./state-values.ts";

export interface ShownCheckpoint {
  readonly document: CheckpointDocument;
  readonly standing: Standing;
  readonly isCurrent: boolean;
  /** When a rollback went back behind it. */
  readonly rolledPastAt: string | undefined;
  readonly parts: Awaited<ReturnType<typeof describeParts>>;
  /** Undefined: it is not pinned. */
  readonly pin: PinRecord | undefined;
  readonly expired: boolean;
  /** What was found wrong with it; undefined: nothing so far. */
  readonly damage: DamageRecord | undefined;
  /** How far the workflow had come; null: it holds no workflow. */
  readonly workflow: Readonly<Record<string, unknown>> | null;
  /** Without what looks like a secret; null: it holds none. */
  readonly outputs: Readonly<Record<string, unknown>> | null;
  /** Null: its files cannot be read. */
  readonly scope: ScopeDocument | null;
}

export async function showCheckpoint(
  project: Project,
  selector: string,
  sessionId: string | undefined,
): Promise<ShownCheckpoint> {
  const view = await viewSessions(project, sessionId);
  const document = usable(view, findStored(project, view, selector));
  const standing = view.standing(document);
  const latest = newestFirst(
    view.documents.filter(({ worktree_id }) => worktree_id === project.workTree.id),
  ).find((one) => one.trigger !== "pre_rollback" && view.standing(one).valid);
  return {
    document,
    standing,
    isCurrent: latest === document,
    rolledPastAt: rollbackTime(view, standing.invalidated_by),
    parts: await describeParts(project, document),
    pin: pinRecords(view.sessions.values()).get(document.id),
    expired: isExpired(document, project.clock.now()),
    damage: damageOf(view.sessions, document),
    ...(await progressIn(project, document)),
    scope: await scopeDocument(project, document).catch(() => null),
  };
}

/** Of a damaged checkpoint what can be read is shown; `validate` says what is wrong with it. */
async function progressIn(
  project: Project,
  document: CheckpointDocument,
): Promise<Pick<ShownCheckpoint, "workflow" | "outputs">> {
  const { workflow, outputs } = await stateValues(project, document).catch(() => ({
    workflow: undefined,
    outputs: undefined,
  }));
  const shown = redactValue(outputs);
  return {
    workflow: isRecord(workflow) ? workflowSummary(workflow) : null,
    outputs: isRecord(shown) ? shown : null,
  };
}

function rollbackTime({ sessions }: SessionView, id: string | null): string | undefined {
  if (id === null) return undefined;
  const records = [...sessions.values()].flatMap(({ history }) => history);
  return records.find((record) => record.id === id)?.at;
}
