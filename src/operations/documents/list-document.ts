/** Checkpoints, as the document `checkpoint_list`. */
import type { DiffSummary } from "../../ports/differ.ts";
import type { Unfinished } from "../../ports/restorer.ts";
import type { CheckpointList, Listed } from "../list-checkpoints.ts";
import { withListedScope } from "./scope-document.ts";
import { standingFields } from "./standing-fields.ts";
import { unfinishedDocument } from "./recovery-document.ts";

interface Beside {
  /** How far each is from now, by its id, as far as that was asked for. */
  readonly summaries: ReadonlyMap<string, DiffSummary>;
  readonly unfinished: Unfinished | undefined;
}

export function listDocument(
  { sessionId, checkpoints }: CheckpointList,
  { summaries, unfinished }: Beside,
): Record<string, unknown> {
  return {
    session_id: sessionId,
    checkpoints: checkpoints.map((listed) => listedDocument(listed, summaries.get(listed.id))),
    unfinished_rollback: unfinished === undefined ? null : unfinishedDocument(unfinished),
  };
}

function listedDocument(listed: Listed, summary: DiffSummary | undefined): Record<string, unknown> {
  switch (listed.kind) {
    case "ok":
      return {
        ...withListedScope(listed.document),
        ...standingFields(listed.standing, listed.damage),
        current: listed.isCurrent,
        pinned: listed.pinned,
        expired: listed.expired,
        ...(summary === undefined ? {} : { from_now: summary }),
      };
    case "damaged":
      return { id: listed.id, valid: false, damaged: true, problem: listed.problem };
    case "newer":
      return {
        id: listed.id,
        valid: false,
        damaged: false,
        newer: true,
        schema_version: listed.version,
      };
  }
}
