/** One file as it was before a session, if nobody else changed it since. */
import { sameFile } from "../file-state.ts";
import type { FileChange, KeptReason, WayBack, Without } from "./replay.ts";

/** `changes`: all since then, oldest first. */
export function wholeFile(changes: readonly FileChange[], waysBack: readonly WayBack[]): Without {
  const [first] = changes;
  if (first === undefined) throw new Error("a file that was not changed has nothing to undo");
  for (const change of changes) {
    const reason = whyKept(change, waysBack);
    if (reason !== undefined) return { kind: "kept", reason };
  }
  return first.before === "unknown"
    ? { kind: "kept", reason: "not_known" }
    : { kind: "is", file: first.before };

  function whyKept(
    { from, before, after, by }: FileChange,
    ways: readonly WayBack[],
  ): KeptReason | undefined {
    if (by !== "session" && by !== "others") return by;
    if (before === "unknown" || after === "unknown") return "not_known";
    if (by === "session") return undefined;
    const way = ways.find((other) => other.from === from);
    // What was there before is nobody's change when it comes back.
    const isBack =
      way !== undefined &&
      changes.some(
        (other) =>
          other.from <= way.to && other.before !== "unknown" && sameFile(other.before, after),
      );
    return isBack ? undefined : "changed_since";
  }
}
