import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Failure } from "./failure.ts";
import { newSession, type SessionDocument } from "./session.ts";
import { mayBeUnfinished, orFailure, refuseUnreadable, understood } from "./session-version.ts";
import { SessionStory } from "./session.fixture.ts";
import { NO_LEASE } from "./workflow/lease.ts";
import { NO_PROGRESS } from "./workflow/progress.ts";

const AT = "2026-11-15T18:00:00.000Z";

function read(value: unknown): SessionDocument | Failure {
  const stored: unknown = JSON.parse(JSON.stringify(value) ?? "null");
  return orFailure(() => understood(stored, "s", (id) => id === "s"));
}

const HOLDER = { host: "h", boot: "b", pid: 1, started: "1", user: null };

function whole(): SessionDocument {
  const story = new SessionStory("s");
  story.takeAll("a", "b");
  story.rollBack("a");
  story.undo();
  return {
    ...story.session,
    workflow: {
      ...NO_PROGRESS,
      phases: [
        {
          name: "plan",
          step: 1,
          status: "running",
          attempts: 1,
          started_at: AT,
          completed_at: null,
          checkpoint_before: null,
          checkpoint_after: null,
          error: null,
        },
      ],
    },
    lease: { ...NO_LEASE, holder: HOLDER },
    events: [{ kind: "pin", at: AT, by: null, reason: null, checkpoint_ids: ["a"] }],
    pinned: { a: { at: AT, by: null, reason: null } },
    requests: [{ id: "r", at: AT, by: null, command: "*pause" }],
    unknown_to_us: { kept: [1] },
  };
}

describe("a session document", () => {
  it("is what was written, with keys that nobody here knows", () => {
    expect(read(whole())).toEqual(JSON.parse(JSON.stringify(whole())));
  });

  it("is filled up where its progress leaves something out", () => {
    const partial = { ...newSession("s", AT), workflow: { current_step: 2 } };
    expect(read(partial)).toMatchObject({ workflow: { ...NO_PROGRESS, current_step: 2 } });
  });

  it.each([
    ["nothing", {}],
    ["a list", []],
    ["no history", { ...newSession("s", AT), history: undefined }],
    ["no work trees", { ...newSession("s", AT), worktrees: undefined }],
    ["a work tree that is none", { ...newSession("s", AT), worktrees: { main: null } }],
    ["a phase that is none", { ...newSession("s", AT), workflow: { phases: [null] } }],
    ["a node that is none", { ...whole(), workflow: { execution_graph: { nodes: { a: 1 } } } }],
    ["a lease that is none", { ...newSession("s", AT), lease: "y" }],
    ["a time that is none", { ...newSession("s", AT), updated_at: "yesterday" }],
    ["the id of another", newSession("t", AT)],
  ])("with %s is damaged, and says where", (_, value) => {
    const failure = read(value);
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({ code: "session_damaged" });
    expect(failure).toHaveProperty("hint", expect.stringContaining("waymark doctor --fix"));
  });

  it("of a version that no Waymark wrote is damaged", () => {
    const problem = expect.stringContaining("its version 0 is not supported") as string;
    const damaged = { code: "session_damaged", message: problem };
    expect(read({ ...whole(), schema_version: 0 })).toMatchObject(damaged);
  });

  it("of a newer Waymark says so, whatever it looks like", () => {
    expect(read({ schema_version: 2 })).toMatchObject({ code: "checkpoint_newer" });
  });

  it("is read or refused, whatever JSON it is", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(read(value)).toBeInstanceOf(Failure);
      }),
    );
  });

  it("that can be read can be written, and nothing else", () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(whole())), fc.jsonValue(), (name, value) => {
        const changed = { ...whole(), [name]: value };
        const written = orFailure(() => refuseUnreadable(changed));
        const isOther = name === "id" || name === "schema_version";
        if (!isOther) {
          expect(written instanceof Failure).toBe(read(changed) instanceof Failure);
        }
      }),
    );
  });

  it("[R163] may be unfinished unless it says otherwise", () => {
    const why = (value: unknown): Failure => {
      const failure = read(value);
      if (!(failure instanceof Failure)) throw new Error("it can be read");
      return failure;
    };
    expect(mayBeUnfinished(why({ schema_version: 2 }), "main")).toBe(true);
    expect(mayBeUnfinished(why("garbage"), "main")).toBe(true);
    expect(mayBeUnfinished(why({ status: "active", worktree_id: "main" }), "main")).toBe(true);
    expect(mayBeUnfinished(why({ status: "active", worktree_id: "other" }), "main")).toBe(false);
    expect(mayBeUnfinished(why({ schema_version: 2, status: "completed" }), "main")).toBe(false);
    expect(mayBeUnfinished(why({ schema_version: 2, implicit: true }), "main")).toBe(false);
  });
});
