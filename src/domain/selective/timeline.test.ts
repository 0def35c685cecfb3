import { describe, expect, it } from "vitest";
import { sampleDocument } from "../checkpoint.fixture.ts";
import type { CheckpointDocument } from "../checkpoint.ts";
import type { RollbackRecord } from "../session.ts";
import { timelineOf, type TimelineMoment } from "./timeline.ts";

const at = (second: number): string => `2026-11-16T08:00:0${second}.000Z`;

function moment(id: string, second: number, more: Partial<CheckpointDocument> = {}) {
  return sampleDocument({ id, seq: second, created_at: at(second), ...more });
}

function rollback(safety: string, to: string, more: Partial<RollbackRecord> = {}): RollbackRecord {
  return {
    id: `rb-${safety}`,
    kind: "rollback",
    worktree_id: "main",
    at: at(9),
    by: null,
    reason: null,
    from_id: null,
    to_id: to,
    safety_id: safety,
    epoch_before: null,
    epoch_after: null,
    files: 1,
    ...more,
  };
}

function shown(
  documents: readonly CheckpointDocument[],
  rollbacks: readonly RollbackRecord[] = [],
): [string, TimelineMoment["next"]][] {
  const timeline = timelineOf({ documents, rollbacks, worktreeId: "main", isPlain: false });
  return timeline.map(({ document, next }) => [document.id, next]);
}

const names = (documents: readonly CheckpointDocument[]): string[] =>
  shown(documents).map(([id]) => id);

const SAFETY = { trigger: "pre_rollback" } as const;

describe("the moments of a work tree", () => {
  it("are in the order of the clock, and in that of their numbers where a session's clock jumped", () => {
    const other = { session_id: "w" };
    expect(names([moment("b", 2), moment("a", 1, other), moment("c", 3, other)])).toEqual([
      "a",
      "b",
      "c",
    ]);
    const jumped = [moment("x", 5), { ...moment("y", 6), created_at: at(1) }, moment("z", 7)];
    expect(names([...jumped, moment("w", 4, other)])).toEqual(["w", "x", "y", "z"]);
  });

  it("are whole ones of this work tree", () => {
    const elsewhere = moment("a", 1, { worktree_id: "linked" });
    const scoped = moment("b", 2, { scope: { files: ["src/**"], state_keys: null } });
    const someState = moment("d", 4, { scope: { files: null, state_keys: ["a"] } });
    expect(names([elsewhere, scoped, moment("c", 3), someState])).toEqual(["c", "d"]);
  });

  it("come again with a rollback of everything, and are said to where some files went back", () => {
    const documents = [moment("a", 1), moment("b", 2), moment("s", 3, SAFETY)];
    const whole = rollback("s", "a", { epoch_after: "rb-s" });
    expect(shown(documents, [whole])).toEqual([
      ["a", undefined],
      ["b", undefined],
      ["s", { kind: "rollback", to: 0, isWhole: true }],
      ["a", undefined],
    ]);
    expect(shown(documents, [rollback("s", "a")]).at(-1)).toEqual([
      "s",
      { kind: "rollback", to: 0, isWhole: false },
    ]);
  });

  it("are not what was worked out and never applied, nor what a killed rollback left", () => {
    const made = moment("t", 2, { trigger: "auto", worked_out: true });
    expect(names([moment("a", 1), made, moment("s", 3, SAFETY)])).toEqual(["a"]);
  });

  it("are what was worked out from the time on at which the project was made equal to it", () => {
    const made = moment("t", 2, { trigger: "auto", worked_out: true });
    const selective = { session: "alice", by: "lines", since_id: "a", steps: 1 } as const;
    const records = [rollback("s", "t", { selective }), rollback("u", "s", { kind: "undo" })];
    const documents = [moment("a", 1), made, moment("s", 3, SAFETY), moment("u", 4, SAFETY)];
    expect(shown(documents, records)).toEqual([
      ["a", undefined],
      ["s", { kind: "written_for", session: "alice" }],
      ["t", undefined],
      ["u", { kind: "rollback", to: 1, isWhole: false }],
    ]);
  });
});
