/** Interrupted rollbacks and what became of them, as documents say it. */
import { showPath } from "../../domain/byte-path.ts";
import type { ForeignSave, RecoveryResult, Unfinished } from "../../ports/restorer.ts";

export function unfinishedDocument(unfinished: Unfinished) {
  return {
    rollback_id: unfinished.rollbackId,
    target_id: unfinished.targetId,
    safety_id: unfinished.safetyId,
    since: unfinished.since,
    phase: unfinished.phase,
    owner: {
      host: unfinished.owner.host,
      pid: unfinished.owner.pid,
      may_be_at_work: unfinished.owner.mayBeAtWork,
    },
  };
}

export function recoveryDocument({ outcome, unfinished, foreign, problems }: RecoveryResult) {
  const rollback = unfinishedDocument(unfinished);
  return { outcome, rollback, kept: keptDocument(foreign), problems };
}

function keptDocument(foreign: readonly ForeignSave[]) {
  return foreign.map((save) => ({ path: showPath(save.path), kept_at: save.keptAt }));
}
