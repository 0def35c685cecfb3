import { describe, expect, it } from "vitest";
import { SessionStory } from "./session.fixture.ts";
import { EMPTY_LINE, implicitSessionId, lineOf, newSession } from "./session.ts";

const returnIds = (entries: readonly { readonly return_id: string }[]): string[] =>
  entries.map((entry) => entry.return_id);

/** What undo and redo would go to, the next one last. */
function stacks(story: SessionStory): { undo: string[]; redo: string[] } {
  return { undo: returnIds(story.line.undo), redo: returnIds(story.line.redo) };
}

describe("a new session", () => {
  it("has nothing to undo and no history", () => {
    const session = newSession(implicitSessionId("main"), "2026-11-15T18:00:00.000Z");
    expect(session).toMatchObject({ id: "worktree-main", status: "active", history: [] });
    expect(lineOf(session, "main")).toEqual(EMPTY_LINE);
    expect(lineOf(undefined, "main")).toEqual(EMPTY_LINE);
  });
});

describe("recordRollback", () => {
  it("puts a rollback on the undo list and begins an epoch at its target", () => {
    const story = new SessionStory();
    story.takeAll("a", "b");
    story.rollBack("a");
    expect(stacks(story)).toEqual({ undo: ["rb1-safety"], redo: [] });
    expect(story.line.epoch).toBe("rb1");
    expect(story.line.epochs).toMatchObject({ rb1: { base_id: "a", seq: 1, is_own: true } });
  });

  it("moves an undone rollback to the redo list and goes back to the epoch before", () => {
    const story = new SessionStory();
    story.takeAll("a", "b");
    story.rollBack("a");
    story.undo();
    expect(stacks(story)).toEqual({ undo: [], redo: ["rb2-safety"] });
    expect(story.line.epoch).toBeNull();
  });

  it("moves a redone one back, in its old epoch with its old base", () => {
    const story = new SessionStory();
    story.takeAll("a", "b");
    story.rollBack("a");
    story.undo();
    story.redo();
    expect(stacks(story)).toEqual({ undo: ["rb3-safety"], redo: [] });
    expect(story.line.epoch).toBe("rb1");
    expect(story.line.epochs).toMatchObject({ rb1: { base_id: "a", seq: 1, is_own: true } });
  });

  it("undoes several in the opposite order, and redoes them in the first one", () => {
    const story = new SessionStory();
    story.takeAll("a", "b", "c");
    story.rollBack("b");
    story.rollBack("a");
    expect(stacks(story)).toEqual({ undo: ["rb1-safety", "rb2-safety"], redo: [] });
    story.undo();
    expect(stacks(story)).toEqual({ undo: ["rb1-safety"], redo: ["rb3-safety"] });
    expect(story.line.epoch).toBe("rb1");
    story.undo();
    expect(stacks(story)).toEqual({ undo: [], redo: ["rb3-safety", "rb4-safety"] });
    expect(story.line.epoch).toBeNull();
    story.redo();
    expect(story.line.epoch).toBe("rb1");
    story.redo();
    expect(story.line.epoch).toBe("rb2");
    expect(stacks(story)).toEqual({ undo: ["rb5-safety", "rb6-safety"], redo: [] });
  });

  it("clears the redo list with a new rollback, and keeps the undo list", () => {
    const story = new SessionStory();
    story.takeAll("a", "b", "c");
    story.rollBack("b");
    story.rollBack("a");
    story.undo();
    story.rollBack("c");
    expect(stacks(story)).toEqual({ undo: ["rb1-safety", "rb4-safety"], redo: [] });
  });

  it("writes every step down and takes none out", () => {
    const story = new SessionStory();
    story.takeAll("a", "b");
    story.rollBack("a");
    story.undo();
    story.redo();
    const kinds = story.session.history.map((record) => [record.id, record.kind, record.to_id]);
    expect(kinds).toEqual([
      ["rb1", "rollback", "a"],
      ["rb2", "undo", "rb1-safety"],
      ["rb3", "redo", "rb2-safety"],
    ]);
    expect(story.session.updated_at).toBe("2026-11-15T19:00:00.000Z");
  });

  it("leaves other work trees alone", () => {
    const story = new SessionStory();
    story.takeAll("a", "b");
    story.rollBack("a");
    const before = story.session.worktrees["main"];
    story.worktreeId = "linked";
    story.takeAll("l");
    story.rollBack("l");
    story.undo();
    expect(story.session.worktrees["main"]).toBe(before);
    expect(Object.keys(story.session.worktrees)).toEqual(["main", "linked"]);
  });

  it("carries keys of other writers along", () => {
    const story = new SessionStory();
    story.session = { ...story.session, later: { than: "now" } };
    story.takeAll("a");
    story.rollBack("a");
    expect(story.session["later"]).toEqual({ than: "now" });
  });
});
