/** Which row of the figures a run that failed belongs to, by the step that failed. */

/**
 * `message` as ModelRun throws it: `step 4 (undo): ...`. Undefined for what no row but that of all runs is about: the user's own work, deletions,
 * cleanups, and the last look at everything (validate, fsck, the one beside it).
 */
export function failedRow(message: string): string | undefined {
  const [, step, text = ""] = /^step \d+ \(([a-z-]+)\): (.*)/s.exec(message) ?? [];
  switch (step) {
    case "create":
    case "create-same":
      return "create";
    case "rollback":
    case "carry":
      return step;
    case "undo":
    case "redo":
      return /^(?:undo|redo) after more work\b/.test(text) ? "undo after more work" : "undo";
    case "kill":
      // Counted as what it was: the kill came too late, or never.
      return /^rollback (?:that ended before|before|refused before) its kill\b/.test(text)
        ? "rollback"
        : "kill";
    default:
      return undefined;
  }
}
