/** What `pin` and `unpin` print. */
import type { PinResult } from "../../operations/pin-checkpoints.ts";
import type { Output } from "./output.ts";

export function pinReport(
  output: Output,
  done: "pinned" | "unpinned",
  { changed, unchanged }: PinResult,
): void {
  output.result("pin", { pinned: [], unpinned: [], [done]: changed, unchanged }, [
    ...changed.map((id) => `${output.paint("green", done)} ${id}`),
    ...unchanged.map((id) => `${output.paint("dim", "unchanged")} ${id}`),
  ]);
}
