/** One checkpoint, as the document `checkpoint`. */
import { withListedScope } from "./scope-document.ts";
import { standingFields } from "./standing-fields.ts";
import type { ShownCheckpoint } from "../show-checkpoint.ts";

export function checkpointDocument({
  document,
  standing,
  parts,
  pin,
  expired,
  damage,
  workflow,
  outputs,
  scope,
}: ShownCheckpoint): Record<string, unknown> {
  return {
    checkpoint: {
      ...(scope === null ? withListedScope(document) : { ...document, scope }),
      ...standingFields(standing, damage),
      pinned: pin !== undefined,
      pin: pin === undefined ? null : { at: pin.at, by: pin.by, reason: pin.reason },
      expired,
    },
    workflow,
    outputs,
    by_hand: parts.map(({ type, summary, commands, prerequisites }) => ({
      type,
      summary,
      commands,
      prerequisites,
    })),
  };
}
