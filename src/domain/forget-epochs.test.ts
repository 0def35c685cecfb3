import { describe, expect, it } from "vitest";
import { withoutUnusedEpochs } from "./forget-epochs.ts";
import { SessionStory } from "./session.fixture.ts";
import { MOST_ROLLBACKS, MOST_UNDOS } from "./session.ts";

/** Rolls back so often that nothing of the beginning can be undone any more. */
function goBackAndForth(story: SessionStory, id: string): void {
  for (let round = 0; round < MOST_UNDOS; round++) story.rollBack(id);
}

describe("what a session forgets", () => {
  it("[R144] keeps the last hundred rollbacks that can be undone, and the last thousand of the journal", () => {
    const story = new SessionStory();
    story.takeAll("a");
    for (let round = 0; round < MOST_ROLLBACKS + 5; round++) story.rollBack("a");
    expect(story.line.undo).toHaveLength(MOST_UNDOS);
    expect(story.line.undo.at(-1)?.rollback_id).toBe(`rb${MOST_ROLLBACKS + 5}`);
    expect(story.session.history).toHaveLength(MOST_ROLLBACKS);
    expect(story.session.history[0]?.id).toBe("rb6");
    expect(story.session.history_after).toBe("2026-11-15T19:00:00.000Z");
  });

  it("[R144] forgets epochs that no checkpoint is of, and says the same about every checkpoint", () => {
    const story = new SessionStory();
    story.takeAll("first", "abandoned");
    story.rollBack("first");
    story.takeAll("second");
    // Each of these begins an epoch at a checkpoint of the one before, and its checkpoints are cleaned up.
    for (let round = 0; round < 30; round++) {
      story.rollBack("second");
      story.takeAll(`middle-${round}`);
      story.rollBack(`middle-${round}`);
    }
    story.takeAll("third");
    goBackAndForth(story, "third");
    story.takeAll("fourth", "left");
    story.rollBack("fourth");
    const present = story.documents.filter(({ id }) => !/^middle|safety/.test(id));
    const before = present.map((document) => story.standing()(document).valid);
    const epochs = Object.keys(story.line.epochs).length;
    story.session = withoutUnusedEpochs(story.session, present);
    expect(present.map((document) => story.standing()(document).valid)).toEqual(before);
    expect(before).toContain(false);
    expect(before).toContain(true);
    expect(epochs).toBeGreaterThan(150);
    expect(Object.keys(story.line.epochs).length).toBeLessThan(MOST_UNDOS + 10);
  });

  it("keeps what undo leads back to", () => {
    const story = new SessionStory();
    story.takeAll("a", "b");
    story.rollBack("a");
    story.takeAll("c", "d");
    story.rollBack("c");
    story.session = withoutUnusedEpochs(story.session, story.documents);
    story.undo();
    expect(story.valid()).toEqual(["a", "c", "d"]);
    story.undo();
    expect(story.valid()).toEqual(["a", "b"]);
  });

  it("keeps a worked-out checkpoint valid when the journal has forgotten the rollback to it", () => {
    const story = new SessionStory();
    story.take("worked-out", { worked_out: true });
    expect(story.standingOf("worked-out")?.valid).toBe(false);
    story.rollBackPaths("worked-out");
    expect(story.standingOf("worked-out")?.valid).toBe(true);
    for (let round = 0; round < MOST_ROLLBACKS; round++) story.rollBackPaths("rb1-safety");
    expect(story.standingOf("worked-out")?.valid).toBe(true);
  });
});
