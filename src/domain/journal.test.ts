import { describe, expect, it } from "vitest";
import { sampleDocument } from "./checkpoint.fixture.ts";
import { journalOf } from "./journal.ts";
import { newSession, recordEvent } from "./session.ts";

const at = (minute: number): string => `2026-11-15T18:${String(minute).padStart(2, "0")}:00.000Z`;

describe("the journal", () => {
  it("has checkpoints, rollbacks and events in one order, the newest first", () => {
    const taken = sampleDocument({ id: "cp-1", created_at: at(1), reason: "why it was taken" });
    const started = newSession("s", at(0));
    const session = recordEvent(
      {
        ...started,
        history: [
          {
            id: "rb-1",
            kind: "rollback",
            worktree_id: "main",
            at: at(3),
            by: "ann",
            reason: "it was wrong",
            from_id: "cp-2",
            to_id: "cp-1",
            safety_id: "cp-3",
            epoch_before: null,
            epoch_after: "rb-1",
            files: 2,
          },
        ],
      },
      { kind: "pin", at: at(2), by: "bob", reason: null, checkpoint_ids: ["cp-1"] },
    );
    expect(
      journalOf([taken], [session]).map(({ kind, by, reason, checkpoint_ids }) => [
        kind,
        by,
        reason,
        ...checkpoint_ids,
      ]),
    ).toEqual([
      ["rollback", "ann", "it was wrong", "cp-1"],
      ["pin", "bob", null, "cp-1"],
      ["create", "test", "why it was taken", "cp-1"],
    ]);
  });

  it("keeps a bounded number of events in the document", () => {
    let session = newSession("s", at(0));
    for (let number = 0; number < 1200; number++) {
      session = recordEvent(session, {
        kind: "pin",
        at: at(1),
        by: null,
        reason: String(number),
        checkpoint_ids: [],
      });
    }
    expect(session.events?.length).toBe(1000);
    expect(session.events?.at(-1)?.reason).toBe("1199");
  });
});
