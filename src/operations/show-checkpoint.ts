/** One checkpoint with everything that is known about it. Changes nothing. */
import { isExpired, type CheckpointDocument } from "../domain/checkpoint.ts";
import { damageOf } from "../domain/damage-record.ts";
import type { Standing } from "../domain/lineage.ts";
import { pinRecords } from "../domain/session-records.ts";
import type { DamageRecord, PinRecord } from "../domain/session.ts";
import { findStored, usable } from "./find-checkpoint.ts";
import { describeParts } from "./part-work.ts";
import type { Project } from "./project.ts";
import { viewSessions } from "./session-view.ts";

export interface ShownCheckpoint {
  readonly document: CheckpointDocument;
  readonly standing: Standing;
  readonly parts: Awaited<ReturnType<typeof describeParts>>;
  /** Undefined: it is not pinned. */
  readonly pin: PinRecord | undefined;
  readonly expired: boolean;
  /** What was found wrong with it; undefined: nothing so far. */
  readonly damage: DamageRecord | undefined;
}

export async function showCheckpoint(
  project: Project,
  selector: string,
  sessionId: string | undefined,
): Promise<ShownCheckpoint> {
  const view = await viewSessions(project, sessionId);
  const document = usable(view, findStored(project, view, selector));
  return {
    document,
    standing: view.standing(document),
    parts: await describeParts(project, document),
    pin: pinRecords(view.sessions.values()).get(document.id),
    expired: isExpired(document, project.clock.now()),
    damage: damageOf(view.sessions, document),
  };
}
