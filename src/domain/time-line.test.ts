import { describe, expect, it } from "vitest";
import { sampleDocument } from "./checkpoint.fixture.ts";
import { standingOf } from "./lineage.ts";
import { SessionStory } from "./session.fixture.ts";
import { continuedBy, currentOf, foldPrompts, newestFirst } from "./time-line.ts";

const at = (second: number): string =>
  new Date(Date.UTC(2026, 10, 15, 18, 0, second)).toISOString();

describe("the time line of a work tree", () => {
  it("goes by the clock between sessions, and by numbers within one whose clock was set back", () => {
    const line = [
      sampleDocument({ id: "a1", session_id: "a", seq: 1, created_at: at(10) }),
      sampleDocument({ id: "b1", session_id: "b", seq: 1, created_at: at(11) }),
      sampleDocument({ id: "a2", session_id: "a", seq: 2, created_at: at(5) }),
      sampleDocument({ id: "b2", session_id: "b", seq: 2, created_at: at(12) }),
    ];
    expect(newestFirst(line).map(({ id }) => id)).toEqual(["b2", "b1", "a2", "a1"]);
  });

  it("is rolled past in every session that a rollback went back over, until it is undone", () => {
    const run = new SessionStory("run");
    const r1 = run.take("r1", { created_at: at(1) });
    const r2 = run.take("r2", { created_at: at(2) });
    const own = new SessionStory();
    const m1 = own.take("m1", { created_at: at(3) });
    own.documents.push(r1);
    own.rollBack("r1");
    const m2 = own.take("m2", { created_at: at(5000) });
    const documents = [r1, r2, m1, m2];
    const look = (place: string): string[] => {
      const standing = standingOf(new Map([own, run].map(({ session }) => [session.id, session])));
      const line = newestFirst(documents);
      const valid = line.filter((document) => standing(document).valid).map(({ id }) => id);
      return [
        valid.join(" "),
        currentOf(line, standing, place)?.id ?? "",
        continuedBy(line, "m2", standing)?.id ?? "",
        continuedBy(line, "m1", standing)?.id ?? "",
        standing(r2).invalidated_by ?? "",
      ];
    };
    expect(look("m2")).toEqual(["m2 r1", "m2", "r1", "r2", "rb1"]);
    own.undo();
    expect(look("m1").slice(0, 2)).toEqual(["m1 r2 r1", "m1"]);
  });

  it("has no current one where the work tree was at none that is there, and the one before a rollback after its undo", () => {
    const story = new SessionStory();
    for (const [second, id] of ["a", "b", "c"].entries())
      story.take(id, { created_at: at(second) });
    story.take("safety", { created_at: at(8), trigger: "pre_rollback" });
    story.take("later", { created_at: at(9) });
    const look = (place: string | undefined) =>
      currentOf(newestFirst(story.documents), story.standing(), place)?.id;
    expect([look(undefined), look("gone"), look("b")]).toEqual([undefined, undefined, "b"]);
    expect(look("safety")).toBe("c");
  });
});

describe("folding", () => {
  const folds = (...rows: string[]): string[] =>
    foldPrompts(rows, (row) =>
      row === "mine"
        ? undefined
        : {
            key: row.slice(0, 2),
            isToolCall: row.includes("-tool"),
            mayFold: !row.endsWith("pinned"),
          },
    ).map(({ row, folded }) => [row, ...folded].join(" "));

  it("puts what was done for a prompt into the row of its end, between the rows of others", () => {
    expect(
      folds("p2-end", "q1-tool2", "p2-tool2", "q1-tool1", "p2-tool1", "mine", "p1-tool1"),
    ).toEqual(["p2-end p2-tool2 p2-tool1", "q1-tool2 q1-tool1", "mine", "p1-tool1"]);
  });

  it("leaves what was there when the prompt was given in its own row", () => {
    expect(folds("p1-end", "p1-tool1", "p1-begin", "mine")).toEqual([
      "p1-end p1-tool1",
      "p1-begin",
      "mine",
    ]);
    expect(folds("p1-end", "p1-begin")).toEqual(["p1-end", "p1-begin"]);
  });

  it("leaves a row that has to be seen, and goes on below it", () => {
    expect(folds("p1-end", "p1-tool3", "p1-tool2-pinned", "p1-tool1")).toEqual([
      "p1-end p1-tool3",
      "p1-tool2-pinned p1-tool1",
    ]);
  });
});
