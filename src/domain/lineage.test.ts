import { describe, expect, it } from "vitest";
import { sampleDocument } from "./checkpoint.fixture.ts";
import { compareAge, latestOf, leftBehind } from "./lineage.ts";
import { SessionStory } from "./session.fixture.ts";

describe("which checkpoints are valid", () => {
  it("all of them, as long as nobody rolled back", () => {
    const story = new SessionStory();
    story.takeAll("a", "b", "c");
    expect(story.valid()).toEqual(["a", "b", "c"]);
  });

  it("a rollback makes the later ones invalid, and says which rollback it was", () => {
    const story = new SessionStory();
    story.takeAll("a", "b", "c");
    const rollback = story.rollBack("a");
    expect(story.valid()).toEqual(["a"]);
    expect(story.standingOf("b")).toEqual({ valid: false, invalidated_by: rollback });
    expect(story.standingOf("a")).toEqual({ valid: true, invalidated_by: null });
  });

  it("[R126] one that was worked out for a rollback counts once a rollback went to it", () => {
    const story = new SessionStory();
    story.takeAll("a");
    const made = story.take("made", { trigger: "auto", worked_out: true });
    expect(latestOf(story.documents, story.standing())?.id).toBe("a");
    expect(story.standing()(made)).toEqual({ valid: false, invalidated_by: null });
    story.rollBackPaths("made");
    expect(story.valid()).toEqual(["a", "made"]);
    story.undo();
    expect(story.valid()).toEqual(["a", "made"]);
  });

  it("an undo makes them valid again", () => {
    const story = new SessionStory();
    story.takeAll("a", "b", "c");
    story.rollBack("a");
    story.undo();
    expect(story.valid()).toEqual(["a", "b", "c"]);
  });

  it("a redo makes them invalid again", () => {
    const story = new SessionStory();
    story.takeAll("a", "b");
    story.rollBack("a");
    story.undo();
    story.redo();
    expect(story.valid()).toEqual(["a"]);
  });

  it("those taken after a rollback are valid beside those before it", () => {
    const story = new SessionStory();
    story.takeAll("a", "b");
    story.rollBack("a");
    story.takeAll("c", "d");
    expect(story.valid()).toEqual(["a", "c", "d"]);
  });

  it("an undo tells those taken after the rollback apart from the real ones", () => {
    const story = new SessionStory();
    story.takeAll("a", "b");
    const rollback = story.rollBack("a");
    story.takeAll("abandoned");
    const undo = story.undo();
    story.takeAll("c");
    expect(story.valid()).toEqual(["a", "b", "c"]);
    expect(story.standingOf("abandoned")).toEqual({ valid: false, invalidated_by: undo });
    expect(rollback).not.toBe(undo);
  });

  it("a redo after that brings the abandoned ones back and leaves the others", () => {
    const story = new SessionStory();
    story.takeAll("a", "b");
    story.rollBack("a");
    story.takeAll("abandoned");
    story.undo();
    story.takeAll("c");
    story.redo();
    expect(story.valid()).toEqual(["a", "abandoned"]);
  });

  it("goes through several rollbacks, each within what the one before left", () => {
    const story = new SessionStory();
    story.takeAll("a", "b", "c");
    const first = story.rollBack("b");
    story.takeAll("d", "e");
    const second = story.rollBack("d");
    story.takeAll("f");
    expect(story.valid()).toEqual(["a", "b", "d", "f"]);
    expect(story.standingOf("c")?.invalidated_by).toBe(first);
    expect(story.standingOf("e")?.invalidated_by).toBe(second);
    story.undo();
    expect(story.valid()).toEqual(["a", "b", "d", "e"]);
    story.undo();
    expect(story.valid()).toEqual(["a", "b", "c"]);
  });

  it("a rollback behind an older rollback leaves only what was there then", () => {
    const story = new SessionStory();
    story.takeAll("a", "b", "c");
    story.rollBack("b");
    story.takeAll("d");
    story.rollBack("a");
    story.takeAll("e");
    expect(story.valid()).toEqual(["a", "e"]);
  });

  it("a rollback to an abandoned one makes its line the valid one", () => {
    const story = new SessionStory();
    story.takeAll("a", "b", "c");
    story.rollBack("a");
    story.takeAll("d");
    story.rollBack("b");
    story.takeAll("e");
    expect(story.valid()).toEqual(["a", "b", "e"]);
    story.undo();
    expect(story.valid()).toEqual(["a", "d"]);
  });

  it("of two that got the same number at the same moment, the one that a rollback went to stays", () => {
    const story = new SessionStory();
    story.takeAll("a", "b");
    story.take("rival", { seq: 2 });
    story.rollBack("b");
    expect(story.valid()).toEqual(["a", "b"]);
  });

  it("a rollback to the latest one keeps all of them", () => {
    const story = new SessionStory();
    story.takeAll("a", "b");
    story.rollBack("b");
    expect(story.valid()).toEqual(["a", "b"]);
  });

  it("a rollback of some paths changes nothing about them", () => {
    const story = new SessionStory();
    story.takeAll("a", "b");
    story.rollBackPaths("a");
    story.takeAll("c");
    expect(story.valid()).toEqual(["a", "b", "c"]);
    story.undo();
    expect(story.valid()).toEqual(["a", "b", "c"]);
  });

  it("a rollback to a safety checkpoint goes on from there", () => {
    const story = new SessionStory();
    story.takeAll("a", "b");
    story.rollBack("a");
    story.takeAll("c");
    story.rollBack("rb1-safety");
    expect(story.valid()).toEqual(["a", "b"]);
  });

  it("safety checkpoints are always valid: undo needs them", () => {
    const story = new SessionStory();
    story.takeAll("a", "b");
    story.rollBack("a");
    story.takeAll("c");
    story.undo();
    expect(story.standingOf("rb1-safety")?.valid).toBe(true);
    expect(story.standingOf("rb2-safety")?.valid).toBe(true);
  });

  it("each work tree has a line of its own", () => {
    const story = new SessionStory();
    story.takeAll("a", "b");
    story.worktreeId = "linked";
    story.takeAll("l1", "l2");
    story.rollBack("l1");
    expect(story.valid()).toEqual(["a", "b", "l1"]);
    story.worktreeId = "main";
    story.rollBack("a");
    expect(story.valid()).toEqual(["a", "l1"]);
  });

  it("a checkpoint of a session that is not known is valid", () => {
    const story = new SessionStory();
    story.takeAll("a");
    story.rollBack("a");
    const stranger = sampleDocument({ id: "x", session_id: "other", seq: 99 });
    expect(story.standing()(stranger)).toEqual({ valid: true, invalidated_by: null });
  });

  // The numbers of two sessions, or of two work trees, are compared as if they were of one.
  it("a rollback to one of another session makes only what is later than that one invalid", () => {
    const story = new SessionStory();
    for (const [at, id] of ["a", "b", "c"].entries()) {
      story.take(id, { created_at: `2026-11-15T18:0${at}:00.000Z` });
    }
    const created_at = "2026-11-15T18:05:00.000Z";
    story.documents.push(sampleDocument({ id: "x", session_id: "task", seq: 1, created_at }));
    story.rollBack("x");
    expect(story.valid()).toEqual(["a", "b", "c", "x"]);
  });

  // Where the base is, only its document says; without it everything before the rollback counts as abandoned.
  it("those before a rollback stay valid when the one that it went to is damaged or deleted", () => {
    const story = new SessionStory();
    story.takeAll("a", "b", "c");
    story.rollBack("b");
    story.takeAll("d");
    expect(story.valid(story.documents.filter((document) => document.id !== "b"))).toEqual([
      "a",
      "d",
    ]);
  });
});

describe("latestOf", () => {
  it("is the newest valid one, and never a safety checkpoint", () => {
    const story = new SessionStory();
    story.takeAll("a", "b", "c");
    story.rollBack("b");
    expect(latestOf(story.documents, story.standing())?.id).toBe("b");
    story.takeAll("d");
    expect(latestOf(story.documents.toReversed(), story.standing())?.id).toBe("d");
  });

  it("is nothing where there is none", () => {
    expect(latestOf([], () => ({ valid: true, invalidated_by: null }))).toBeUndefined();
  });
});

describe("compareAge", () => {
  const at = (seq: number, created_at: string, id: string) =>
    sampleDocument({ seq, created_at, id });

  it("goes by the number, then by the clock, then by the id", () => {
    const sorted = [
      at(1, "2030-01-01T00:00:00.000Z", "z"),
      at(2, "2020-01-01T00:00:00.000Z", "z"),
      at(2, "2025-01-01T00:00:00.000Z", "a"),
      at(2, "2025-01-01T00:00:00.000Z", "b"),
    ];
    expect(sorted.toReversed().toSorted(compareAge)).toEqual(sorted);
  });
});

describe("what a rollback leaves behind", () => {
  const valid = () => ({ valid: true, invalidated_by: null });
  const taken = (id: string, seq: number, more = {}) =>
    sampleDocument({ id, seq, created_at: `2026-11-15T18:00:0${seq}.000Z`, ...more });
  const all = [
    taken("cp-a", 1),
    taken("cp-b", 2),
    taken("cp-safety", 3, { trigger: "pre_rollback" }),
    taken("cp-other", 4, { worktree_id: "linked" }),
    taken("cp-c", 5),
  ];
  const ids = (target: (typeof all)[number]): string[] =>
    leftBehind(all, valid, "main", target).map(({ id }) => id);

  it("is what came later on the same line", () => {
    expect(ids(all[0] as (typeof all)[number])).toEqual(["cp-b", "cp-c"]);
    expect(ids(all[4] as (typeof all)[number])).toEqual([]);
  });

  it("for a checkpoint of another work tree goes by the clock", () => {
    expect(ids(all[3] as (typeof all)[number])).toEqual(["cp-c"]);
  });
});
