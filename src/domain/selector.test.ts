import { describe, expect, it } from "vitest";
import { sampleDocument } from "./checkpoint.fixture.ts";
import type { CheckpointDocument } from "./checkpoint.ts";
import { Failure } from "./failure.ts";
import { selectCheckpoint, type Candidate, type SelectorContext } from "./selector.ts";
import { SessionStory } from "./session.fixture.ts";

function contextOf(story: SessionStory, more: Partial<SelectorContext> = {}): SelectorContext {
  return {
    candidates: story.documents.map((document): Candidate => ({ id: document.id, document })),
    standing: story.standing(),
    sessionId: undefined,
    startedId: undefined,
    worktreeId: "main",
    now: new Date("2026-11-15T18:46:00Z"),
    sessions: [story.session.id, "x"],
    restores: true,
    deleted: new Map(),
    ...more,
  };
}

function select(text: string, story: SessionStory, more: Partial<SelectorContext> = {}): string {
  return selectCheckpoint(text, contextOf(story, more)).id;
}

function failure(text: string, story: SessionStory, more: Partial<SelectorContext> = {}): Failure {
  try {
    const { id } = selectCheckpoint(text, contextOf(story, more));
    throw new Error(`${text} means ${id}`);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

const candidatesOf = (found: Failure): unknown => found.details["candidates"];

/** Three steps: 1 with both ends, 2 with its beginning, 3 with a manual one only. */
function workflow(): SessionStory {
  const story = new SessionStory();
  const take = (id: string, more: Partial<CheckpointDocument>) => story.take(id, more);
  take("cp-01-plan-pre", { step: 1, phase: "plan", trigger: "pre_phase" });
  take("cp-01-plan-post", { step: 1, phase: "plan", trigger: "post_phase" });
  take("cp-01-plan-auto", { step: 1, phase: "plan", trigger: "auto" });
  take("cp-02-build-pre", { step: 2, phase: "build", trigger: "pre_phase" });
  take("cp-02-build-auto", { step: 2, phase: "build", trigger: "auto" });
  take("cp-03-check", { step: 3, trigger: "manual" });
  return story;
}

describe("a name", () => {
  const named = (...names: readonly string[]): SessionStory => {
    const story = new SessionStory();
    for (const [at, name] of names.entries()) {
      story.take(`cp-00-${name}-20261115-18450${at}-a3f${at}`, { name });
    }
    return story;
  };

  it("names its checkpoint when it is short, and when others begin with it", () => {
    const story = named("foo", "baseline", "baseline2");
    expect(select("foo", story)).toContain("-foo-");
    expect(select("baseline", story)).toContain("-baseline-");
  });

  it("that several have is ambiguous", () => {
    expect(failure("foo", named("foo", "foo")).code).toBe("ambiguous_selector");
  });

  it("never means what is printed as a short id", () => {
    expect(select("a3f0", named("foo", "a3f0"))).toContain("-foo-");
  });
});

it("candidates that were rolled past are marked", () => {
  const story = workflow();
  story.rollBack("cp-01-plan-post");
  const { hint } = failure("build", story);
  expect(hint).toMatch(/cp-02-build-auto .*\(rolled past\)$/m);
  expect(failure("plan", story).hint).not.toMatch(/cp-01-plan-pre .*\(rolled past\)$/m);
});

it("one that was deleted is named with what restores it", () => {
  const id = "cp-00-manual-20261115-184000-c622";
  const deleted = new Map([[id, { at: "2026-11-15T18:42:00Z", sessionId: "x" }]]);
  const { message, hint } = failure("c622", workflow(), { deleted });
  expect(message).toBe("c622 was deleted 4 minutes ago");
  expect(hint).toBe(`\`waymark delete --undo ${id}\` restores it.`);
});

describe("a selector", () => {
  it.each([
    ["a whole id", "cp-02-build-pre", "cp-02-build-pre"],
    ["a part that only one has", "build-p", "cp-02-build-pre"],
    ["latest", "latest", "cp-03-check"],
    ["latest~0", "latest~0", "cp-03-check"],
    ["one before the latest", "latest~1", "cp-02-build-auto"],
    ["the oldest", "latest~5", "cp-01-plan-pre"],
    ["the first of the session", "start", "cp-01-plan-pre"],
    ["the first of another session", "session:worktree-main/start", "cp-01-plan-pre"],
    ["a step by its end", "1", "cp-01-plan-post"],
    ["a step that has no end by its beginning", "2", "cp-02-build-pre"],
    ["a step with a manual one", "3", "cp-03-check"],
    ["a step with zeros before it", "01", "cp-01-plan-post"],
    ["a phase by its beginning", "phase:plan", "cp-01-plan-pre"],
    ["a step of a session", "session:worktree-main/1", "cp-01-plan-post"],
    ["the latest of a session", "session:worktree-main/latest~1", "cp-02-build-auto"],
    ["a phase of a session", "session:worktree-main/phase:build", "cp-02-build-pre"],
  ])("can be %s", (_what, text, id) => {
    expect(select(text, workflow())).toBe(id);
  });

  it("takes the last of several with the same step and trigger", () => {
    const story = workflow();
    story.take("cp-01-again-pre", { step: 1, phase: "plan", trigger: "pre_phase" });
    story.take("cp-01-again-post", { step: 1, phase: "plan", trigger: "post_phase" });
    story.take("cp-01-later-pre", { step: 1, phase: "plan", trigger: "pre_phase" });
    expect(select("1", story)).toBe("cp-01-again-post");
    expect(select("phase:plan", story)).toBe("cp-01-later-pre");
  });

  it("finds a step that has neither beginning nor end by its last one", () => {
    const story = workflow();
    story.take("cp-07-a", { step: 7, trigger: "batch_complete" });
    story.take("cp-07-b", { step: 7, trigger: "auto" });
    expect(select("7", story)).toBe("cp-07-b");
  });

  it("prefers a whole id to ids that contain it", () => {
    const story = new SessionStory();
    story.takeAll("cp-a", "cp-a-b");
    expect(select("cp-a", story)).toBe("cp-a");
  });

  it("never means a safety checkpoint by `latest`, `latest~N`, step or phase", () => {
    const story = workflow();
    story.take("rescue", { trigger: "pre_rollback", step: 9, phase: "plan" });
    expect(select("latest", story)).toBe("cp-03-check");
    expect(select("latest~1", story)).toBe("cp-02-build-auto");
    expect(select("phase:plan", story)).toBe("cp-01-plan-pre");
    expect(() => select("9", story)).toThrow(Failure);
    expect(select("resc", story)).toBe("rescue");
  });

  it("means by `latest` the newest valid one of the work tree, whatever its session", () => {
    const story = workflow();
    story.rollBack("cp-02-build-pre");
    expect(select("latest", story)).toBe("cp-02-build-pre");
    expect(select("latest~1", story)).toBe("cp-01-plan-auto");
    const elsewhere = sampleDocument({ id: "elsewhere", worktree_id: "linked", seq: 90 });
    const created_at = "2026-11-15T18:40:00.000Z";
    const other = sampleDocument({ id: "other", session_id: "task", seq: 91, created_at });
    const candidates = [
      ...contextOf(story).candidates,
      ...[elsewhere, other].map((document): Candidate => ({ id: document.id, document })),
    ];
    expect(select("latest", story, { candidates })).toBe("cp-02-build-pre");
    expect(select("latest~2", story, { candidates })).toBe("cp-01-plan-post");
    expect(select("latest~3", story, { candidates })).toBe("cp-01-plan-pre");
    expect(select("latest~4", story, { candidates })).toBe("other");
    expect(select("latest", story, { candidates, sessionId: "task" })).toBe("other");
    expect(select("session:task/latest", story, { candidates })).toBe("other");
    expect(select("session:worktree-main/latest", story, { candidates })).toBe("elsewhere");
  });

  it("names a damaged checkpoint by its id, and never by anything else", () => {
    const story = workflow();
    const candidates: Candidate[] = [
      ...contextOf(story).candidates,
      { id: "cp-04-broken", document: undefined },
    ];
    expect(select("cp-04-broken", story, { candidates })).toBe("cp-04-broken");
    expect(select("broken", story, { candidates })).toBe("cp-04-broken");
    expect(select("latest", story, { candidates })).toBe("cp-03-check");
  });

  it("does not take a later checkpoint for a start that was deleted", () => {
    const story = workflow();
    const first = "cp-01-plan-20200101-000000-aaaa";
    const deletedIs = (id: string, sessionId = story.session.id): Partial<SelectorContext> => ({
      deleted: new Map([[id, { at: "2026-11-15T18:45:00Z", sessionId }]]),
    });
    expect(failure("start", story, deletedIs(first)).hint).toContain(`delete --undo ${first}`);
    expect(select("start", story, deletedIs(first, "x"))).toBe("cp-01-plan-pre");
    const safety = "cp-00-pre-rollback-20200101-000000-aaaa";
    expect(select("start", story, deletedIs(safety))).toBe("cp-01-plan-pre");
  });

  it("does not pass over a newer checkpoint that cannot be read", () => {
    const story = workflow();
    const broken = (id: string): Partial<SelectorContext> => ({
      candidates: [...contextOf(story).candidates, { id, document: undefined }],
    });
    const newer = "cp-03-check-29991231-235959-aaaa";
    expect(select("latest", story, broken(newer))).toBe(newer);
    expect(select("3", story, broken(newer))).toBe(newer);
    expect(select("2", story, broken(newer))).toBe("cp-02-build-pre");
    expect(select("phase:check", story, broken(newer))).toBe(newer);
    expect(select("phase:plan", story, broken(newer))).toBe("cp-01-plan-pre");
    expect(select("latest", story, broken("cp-03-check-20200101-000000-aaaa"))).toBe("cp-03-check");
    const safety = "cp-00-pre-rollback-29991231-235959-aaaa";
    expect(select("latest", story, broken(safety))).toBe("cp-03-check");
  });

  it("names an abandoned checkpoint by its id", () => {
    const story = workflow();
    story.rollBack("cp-01-plan-post");
    expect(select("cp-03-check", story)).toBe("cp-03-check");
  });
});

describe("a selector that means nothing", () => {
  it("is not found, and the nearest ids are listed with the best first", () => {
    const found = failure("cp-02-buildd", workflow());
    expect(found.code).toBe("checkpoint_not_found");
    expect(candidatesOf(found)).toHaveLength(5);
    expect(String(candidatesOf(found)).split(",").slice(0, 2).sort()).toEqual([
      "cp-02-build-auto",
      "cp-02-build-pre",
    ]);
    expect(found.hint).toContain("cp-02-build-pre");
  });

  it("lists no more than five, with age and message, the newest first", () => {
    const story = new SessionStory();
    for (let at = 0; at < 20; at++) story.take(`cp-${at}`, { reason: `edit ${at}` });
    const found = failure("nothing", story);
    expect(candidatesOf(found)).toHaveLength(5);
    expect(found.hint.split("\n").slice(0, 2)).toEqual([
      "The newest:",
      "  cp-19  30 seconds ago  edit 19",
    ]);
  });

  it.each([
    ["lates", "latest"],
    ["star", "start"],
    ["build", "phase:build"],
    ["phase:buidl", "phase:build"],
  ])("suggests for %s the word %s", (text, word) => {
    const story = new SessionStory();
    story.take("cp-1", { phase: "build", trigger: "post_phase" });
    expect(failure(text, story).hint).toContain(`Did you mean \`${word}\`?`);
  });

  it.each([
    ["a word", "nothing"],
    ["an empty text", ""],
    ["latest", "latest"],
    ["a step", "4"],
    ["a phase", "phase:plan"],
    ["a session without a checkpoint", "session:x/latest"],
    ["a session without a selector", "session:x"],
  ])("is not found where there is no checkpoint at all: %s", (_what, text) => {
    const found = failure(text, new SessionStory());
    expect(found.code).toBe("checkpoint_not_found");
    expect(found.hint).toContain("waymark create");
  });

  it.each(["4", "latest", "phase:plan", "cp-03-check"])(
    "says that there is no such session, whatever of it: %s",
    (rest) => {
      const found = failure(`session:worktre-main/${rest}`, workflow());
      expect(found.code).toBe("session_not_found");
      expect(found.message).toBe("there is no session worktre-main");
      expect(candidatesOf(found)).toEqual(["worktree-main"]);
    },
  );

  it("says nothing about sessions where one cannot be read", () => {
    const found = failure("session:y/4", workflow(), { sessions: undefined });
    expect(found.code).toBe("checkpoint_not_found");
  });

  it("says how many there are when `latest~N` goes too far", () => {
    const found = failure("latest~6", workflow());
    expect(found.code).toBe("checkpoint_not_found");
    expect(found.message).toContain("there are only 6 checkpoints");
  });

  it("is not found as a phase that has only an end", () => {
    const story = new SessionStory();
    story.take("cp-1", { phase: "plan", trigger: "post_phase" });
    expect(failure("phase:plan", story).code).toBe("checkpoint_not_found");
  });

  it("is refused as a step of a line that was rolled back, with the id that still works", () => {
    const story = workflow();
    story.rollBack("cp-01-plan-post");
    const found = failure("3", story);
    expect(found.code).toBe("roll_forward");
    expect(found.hint).toContain("cp-03-check");
    expect(candidatesOf(found)).toEqual(["cp-03-check"]);
  });

  it("means the last checkpoint of a step that was rolled past, where nothing is restored", () => {
    const story = workflow();
    story.rollBack("cp-01-plan-post");
    expect(select("3", story, { restores: false })).toBe("cp-03-check");
    story.take("cp-03-again", { step: 3, trigger: "manual" });
    expect(select("3", story, { restores: false })).toBe("cp-03-again");
  });

  it("is not found as a step that only another work tree has, or not the session that goes on", () => {
    const story = workflow();
    const other = sampleDocument({ id: "other", session_id: "task", step: 8 });
    const candidates = [...contextOf(story).candidates, { id: "other", document: other }];
    expect(select("8", story, { candidates })).toBe("other");
    const started = { candidates, startedId: "worktree-main" };
    expect(failure("8", story, started).code).toBe("checkpoint_not_found");
    const elsewhere = { candidates, worktreeId: "linked" };
    expect(failure("8", story, elsewhere).code).toBe("checkpoint_not_found");
  });
});

describe("a part of an id", () => {
  it.each(["c", "pre", "uil"])("has at least four characters, unlike %s", (text) => {
    const found = failure(text, workflow());
    expect(found.code).toBe("checkpoint_not_found");
    expect(found.message).toContain("a part of an id needs at least 4 characters");
  });
});

describe("a selector that means several", () => {
  it("is refused with every candidate", () => {
    const found = failure("cp-02", workflow());
    expect(found.code).toBe("ambiguous_selector");
    expect(candidatesOf(found)).toEqual(["cp-02-build-auto", "cp-02-build-pre"]);
    expect(found.hint).toContain("cp-02-build-auto");
  });

  it("shows five of them and says how many more there are", () => {
    const story = new SessionStory();
    for (let at = 0; at < 12; at++) story.take(`cp-x-${at}`);
    const found = failure("cp-x", story);
    expect(candidatesOf(found)).toHaveLength(12);
    expect(found.hint).toMatch(/… and 7 more$/);
  });
});
