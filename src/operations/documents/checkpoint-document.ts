/** One checkpoint, as the document `checkpoint`. */
import type { ShownCheckpoint } from "../show-checkpoint.ts";

export function checkpointDocument({
  document,
  standing,
  parts,
  pin,
  expired,
}: ShownCheckpoint): Record<string, unknown> {
  return {
    checkpoint: {
      ...document,
      ...standing,
      pinned: pin !== undefined,
      pin: pin === undefined ? null : { at: pin.at, by: pin.by, reason: pin.reason },
      expired,
    },
    by_hand: parts.map(({ type, summary, commands, prerequisites }) => ({
      type,
      summary,
      commands,
      prerequisites,
    })),
  };
}
