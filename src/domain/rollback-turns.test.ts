import { describe, expect, it } from "vitest";
import { isLater, nextTurn } from "./rollback-turns.ts";
import { SessionStory } from "./session.fixture.ts";

/** A session of work tree `main` with records of these turns. */
function sessionWith(...turns: (number | undefined)[]) {
  const story = new SessionStory();
  story.take("a");
  for (const _ of turns) story.rollBack("a");
  const history = story.session.history.map((record, at) => {
    const turn = turns[at];
    return turn === undefined ? record : { ...record, turn };
  });
  return { ...story.session, history };
}

describe("turns of rollbacks", () => {
  it("go on from the last one in any session of the work tree", () => {
    expect(nextTurn([], "main")).toBe(1);
    expect(nextTurn([sessionWith(undefined)], "main")).toBe(1);
    expect(nextTurn([sessionWith(1, 4), sessionWith(2)], "main")).toBe(5);
    expect(nextTurn([sessionWith(1, 4)], "linked")).toBe(1);
  });

  it("decide, and the time where there is none", () => {
    const early = "2026-11-15T18:00:00.000Z";
    const late = "2026-11-15T19:00:00.000Z";
    expect(isLater({ at: early, turn: 2 }, { at: late, turn: 1 })).toBe(true);
    expect(isLater({ at: late, turn: 1 }, { at: early, turn: 2 })).toBe(false);
    expect(isLater({ at: late }, { at: early, turn: 2 })).toBe(true);
    expect(isLater({ at: early, turn: 2 }, { at: late })).toBe(false);
  });
});
