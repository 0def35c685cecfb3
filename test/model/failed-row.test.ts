/** A failure is counted where a reader of the figures looks for it. */
import { describe, expect, it } from "vitest";
import { failedRow } from "./failed-row.ts";

describe("failedRow", () => {
  it.each([
    ["step 2 (create): create changed: 1 differences\npath a: is x", "create"],
    ["step 9 (create-same): two checkpoints of one moment: a, b", "create"],
    ["step 4 (rollback): rollback: 1 differences\nundo after more work", "rollback"],
    ["step 5 (undo): undo: 1 differences", "undo"],
    ["step 12 (redo): redo was refused: obstructed", "undo"],
    ["step 6 (undo): undo after more work: 1 differences", "undo after more work"],
    ["step 6 (kill): rollback that was killed and taken back: 1 differences", "kill"],
    ["step 6 (kill): killed, finished: 1 differences", "kill"],
    ["step 6 (kill): rollback that ended before its kill: 2 differences", "rollback"],
    ["step 7 (carry): carry: 1 differences", "carry"],
  ])("%j is one of %s", (message, row) => {
    expect(failedRow(message)).toBe(row);
  });

  it.each(["step 1 (work): x", "step 3 (cleanup): x", "validate: 1 differences", "fsck: x", ""])(
    "%j counts as a run that failed, and no more",
    (message) => {
      expect(failedRow(message)).toBeUndefined();
    },
  );
});
