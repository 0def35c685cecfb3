/** One checkpoint, as the document `checkpoint`. */
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
}: ShownCheckpoint): Record<string, unknown> {
  return {
    checkpoint: {
      ...document,
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
