import { describe, expect, it } from "vitest";
import { failedAudit, sampleAudit } from "./audit.fixture.ts";
import { sampleDocument } from "./checkpoint.fixture.ts";
import { journalOf } from "./journal.ts";
import { newSession, recordEvent, type RollbackRecord } from "./session.ts";

const at = (minute: number): string => `2026-11-15T18:${String(minute).padStart(2, "0")}:00.000Z`;

function rollbackRecord(more: Partial<RollbackRecord>): RollbackRecord {
  return {
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
    ...more,
  };
}

describe("the journal", () => {
  it("has checkpoints, rollbacks and events in one order, the newest first", () => {
    const taken = sampleDocument({ id: "cp-1", created_at: at(1), reason: "why it was taken" });
    const started = newSession("s", at(0));
    const session = recordEvent(
      {
        ...started,
        history: [rollbackRecord({ id: "rb-1", to_id: "cp-1" })],
      },
      { kind: "pin", at: at(2), by: "bob", reason: null, checkpoint_ids: ["cp-1"] },
    );
    expect(
      journalOf([taken], [session], []).map(({ kind, by, reason, checkpoint_ids }) => [
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

  it("has what only the audit log knows: what failed, what is gone and what no session records", () => {
    const journal = journalOf(
      [],
      [],
      [
        sampleAudit({ at: at(1), checkpoint_ids: ["cp-gone"], reason: "why it was taken" }),
        failedAudit({ at: at(2), operation: "rollback", checkpoint_ids: ["cp-gone"] }),
        sampleAudit({ at: at(3), operation: "stash", checkpoint_ids: ["cp-1"] }),
      ],
    );
    expect(journal).toMatchObject([
      { kind: "stash", ok: true },
      { kind: "rollback", ok: false, error: { code: "locked", message: "busy" } },
      { kind: "create", ok: true, error: null, by: "ann", reason: "why it was taken" },
    ]);
  });

  it("has nothing twice that the session and the audit log both know, and learns the agent from the latter", () => {
    const agent = { ...sampleAudit().by, agent: "claude" };
    const taken = sampleDocument({ id: "cp-1", created_at: at(1) });
    const session = recordEvent(
      recordEvent(
        { ...newSession("s", at(0)), history: [rollbackRecord({ id: "rb-1", to_id: "cp-1" })] },
        { kind: "pin", at: at(4), by: "ann", reason: null, checkpoint_ids: ["cp-1"] },
      ),
      { kind: "import", at: at(6), by: "ann", reason: null, checkpoint_ids: [] },
    );
    const minutes = (count: number): number => count * 60_000;
    const journal = journalOf(
      [taken],
      [session],
      [
        sampleAudit({ at: at(2), by: agent, duration_ms: minutes(1) }),
        sampleAudit({
          at: at(3),
          operation: "rollback",
          by: agent,
          details: { rollback_id: "rb-1" },
        }),
        sampleAudit({ at: at(5), operation: "pin", by: agent, duration_ms: minutes(2) }),
        sampleAudit({ at: at(6), operation: "import", checkpoint_ids: [], duration_ms: 5 }),
      ],
    );
    expect(journal.map(({ kind, agent: name }) => [kind, name])).toEqual([
      ["import", null],
      ["pin", "claude"],
      ["rollback", "claude"],
      ["create", "claude"],
    ]);
  });

  it("takes two of the same kind at different times for two", () => {
    const event = {
      kind: "pin",
      at: at(1),
      by: null,
      reason: null,
      checkpoint_ids: ["cp-1"],
    } as const;
    const session = recordEvent(newSession("s", at(0)), event);
    const again = sampleAudit({ at: at(9), operation: "pin", duration_ms: 3 });
    expect(journalOf([], [session], [again]).map(({ at: when }) => when)).toEqual([at(9), at(1)]);
    const other = sampleAudit({ at: at(3), operation: "undo", details: { rollback_id: "rb-2" } });
    const rolledBack = { ...session, history: [rollbackRecord({ id: "rb-1", kind: "undo" })] };
    expect(journalOf([], [rolledBack], [other])).toHaveLength(3);
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
