import { describe, expect, it } from "vitest";
import { rollbacksInEffect } from "./rollback-effect.ts";
import type { RollbackKind, RollbackRecord } from "./session.ts";

function record(id: string, kind: RollbackKind, worktree_id = "main"): RollbackRecord {
  return {
    id,
    kind,
    worktree_id,
    at: "2026-11-16T00:00:00.000Z",
    by: null,
    reason: null,
    from_id: null,
    to_id: "cp",
    safety_id: "cp",
    epoch_before: null,
    epoch_after: null,
    files: 0,
  };
}

describe("rollbacksInEffect", () => {
  it.each<[string, RollbackKind[], string[]]>([
    ["one", ["rollback"], ["0"]],
    ["one that was undone", ["rollback", "undo"], []],
    ["one that was redone", ["rollback", "undo", "redo"], ["0"]],
    ["undo takes the last", ["rollback", "rollback", "undo"], ["0"]],
    ["a new one ends redo", ["rollback", "undo", "rollback", "redo"], ["2"]],
    ["more undone than done", ["undo", "undo", "rollback"], ["2"]],
  ])("%s", (_title, kinds, ids) => {
    const history = kinds.map((kind, at) => record(String(at), kind));
    expect(rollbacksInEffect(history, "main")).toEqual(ids);
    expect(rollbacksInEffect([...history, record("x", "undo", "other")], "main")).toEqual(ids);
  });
});
