import { describe, expect, it } from "vitest";
import { sampleDocument } from "./checkpoint.fixture.ts";
import { standingOf } from "./lineage.ts";
import { SessionStory } from "./session.fixture.ts";
import { continuedBy, currentOf, foldToolCalls, newestFirst } from "./time-line.ts";

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
    const look = (): string[] => {
      const standing = standingOf(new Map([own, run].map(({ session }) => [session.id, session])));
      const line = newestFirst(documents);
      const valid = line.filter((document) => standing(document).valid).map(({ id }) => id);
      return [
        valid.join(" "),
        currentOf(line, standing)?.id ?? "",
        continuedBy(line, "m2", standing)?.id ?? "",
        continuedBy(line, "m1", standing)?.id ?? "",
        standing(r2).invalidated_by ?? "",
      ];
    };
    expect(look()).toEqual(["m2 r1", "m2", "r1", "r2", "rb1"]);
    own.undo();
    expect(look().slice(0, 2)).toEqual(["m1 r2 r1", "m1"]);
  });
});

describe("folding", () => {
  it("puts the tool calls of a prompt into its row, between those of others, and leaves what stands for itself", () => {
    const rows = ["p1", "p1-a", "q1", "p1-b", "q1-a", "mine", "p1-pinned", "p1-c"].toReversed();
    const found = foldToolCalls(rows, (row) =>
      row === "mine"
        ? undefined
        : { key: row.slice(0, 2), mayFold: row.includes("-") && !row.endsWith("pinned") },
    );
    expect(found.map(({ row, folded }) => [row, ...folded].join(" "))).toEqual([
      "p1-pinned",
      "mine",
      "q1 q1-a",
      "p1 p1-c p1-b p1-a",
    ]);
  });
});
