import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleDocument } from "./checkpoint.fixture.ts";
import { TRIGGERS, type CheckpointDocument, type Trigger } from "./checkpoint.ts";
import { DEFAULT_CONFIG, type Retention } from "./config.ts";
import { decideRetention, type RetentionCandidate, type RetentionInput } from "./retention.ts";
import { SessionStory } from "./session.fixture.ts";
import { newSession } from "./session.ts";

const NOW = new Date("2026-11-15T20:00:00.000Z");
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const ago = (ms: number): string => new Date(NOW.getTime() - ms).toISOString();

function candidate(
  document: Partial<CheckpointDocument>,
  more: Partial<RetentionCandidate> = {},
): RetentionCandidate {
  return {
    // Not the first of its session, unless it says so.
    document: sampleDocument({ previous_id: "earlier", ...document }),
    isValid: true,
    isPinned: false,
    holdsCommitsAlone: false,
    ...more,
  };
}

/** `count` checkpoints of one trigger, the oldest first, a minute apart. */
function row(trigger: Trigger, count: number, more: Partial<CheckpointDocument> = {}) {
  return Array.from({ length: count }, (_, at) =>
    candidate({
      id: `${trigger.replaceAll("_", "-")}-${at}`,
      trigger,
      seq: at + 1,
      created_at: ago((count - at) * 60_000),
      ...more,
    }),
  );
}

/** Newer than everything else, so that it and not one of the others is the newest of the session. */
const LAST = candidate({ id: "last", seq: 1000, created_at: ago(1000) });

function input(
  candidates: readonly RetentionCandidate[],
  settings: Partial<Retention> = {},
  more: Partial<RetentionInput> = {},
): RetentionInput {
  return {
    candidates,
    sessions: new Map(),
    settings: { ...DEFAULT_CONFIG.retention, ...settings },
    now: NOW,
    limits: {},
    sizes: undefined,
    neededBy: new Map(),
    ...more,
  };
}

const going = (given: RetentionInput): string[] =>
  decideRetention(given)
    .filter(({ stays }) => !stays)
    .map(({ id }) => id)
    .sort();

const reasonFor = (given: RetentionInput, id: string): string | undefined =>
  decideRetention(given).find((verdict) => verdict.id === id)?.reason;

describe("what goes by its number", () => {
  it("keeps the newest of a trigger, counted within the session", () => {
    const given = input([...row("session_end", 5), LAST]);
    expect(going(given)).toEqual(["session-end-0", "session-end-1"]);
    expect(reasonFor(given, "session-end-0")).toBe(
      "not among the newest 3 of its session (session end)",
    );
    expect(reasonFor(given, "session-end-4")).toBe(
      "among the newest 3 of its session (session end)",
    );
  });

  it("orders by the sequence number, as clocks may jump", () => {
    const [first, second] = row("user_interrupt", 2);
    if (first === undefined || second === undefined) throw new Error("two were asked for");
    const jumped = candidate({ ...first.document, created_at: ago(0) });
    expect(going(input([jumped, second, LAST]))).toEqual([first.document.id]);
  });

  it("counts each session and each work tree for itself", () => {
    const other = row("user_interrupt", 1, { session_id: "other", id: "o" });
    const linked = row("user_interrupt", 1, { worktree_id: "linked", id: "l" });
    expect(going(input([...row("user_interrupt", 1), ...other, ...linked, LAST]))).toEqual([]);
  });

  it.each(["batch_complete", "agent_complete"] as const)("counts %s for each phase", (trigger) => {
    const settings = { counts: { ...DEFAULT_CONFIG.retention.counts, [trigger]: 1 } };
    const plan = row(trigger, 2, { phase: "plan" });
    const implement = row(trigger, 2, { phase: "implement" }).map(({ document }) =>
      candidate({ ...document, id: `${document.id}-i`, seq: document.seq + 10 }),
    );
    const given = input([...plan, ...implement, LAST], settings);
    const name = trigger.replaceAll("_", "-");
    expect(going(given)).toEqual([`${name}-0`, `${name}-0-i`]);
  });

  it("keeps all of a trigger with -1, whatever their age and task", () => {
    const many = row("manual", 30, { created_at: ago(400 * DAY), task_id: "task-1" });
    expect(going(input([...many, LAST]))).toEqual([]);
    expect(reasonFor(input([...many, LAST]), "manual-0")).toBe("all of its kind are kept (manual)");
  });

  it("keeps max_per_task of a task, over all sessions, and does not count what is kept anyway", () => {
    const one = row("tool_use", 8, { task_id: "task-1" });
    const two = row("auto", 8, { task_id: "task-1", session_id: "other" });
    const kept = row("manual", 5, { task_id: "task-1", seq: 500 });
    const given = input([...one, ...two, ...kept, LAST]);
    expect(going(given)).toHaveLength(6);
    expect(reasonFor(given, "auto-0")).toBe("more than 10 of task task-1");
  });
});

describe("max_per_task that was set", () => {
  const many = row("manual", 6, { created_at: ago(30 * DAY), task_id: "task-1" });
  const settings = { maxPerTask: 3, limitedByTask: ["manual" as const] };

  it("limits a trigger whose -1 is only the default", () => {
    const set = input(many, settings);
    expect(going(set)).toEqual(["manual-0", "manual-1", "manual-2"]);
    expect(reasonFor(set, "manual-0")).toBe("more than 3 of task task-1");
    expect(reasonFor(set, "manual-3")).toBe("among the newest 3 of task task-1");
  });

  it("does not limit one whose -1 was set, too, and does not remove the start of a session", () => {
    expect(going(input([...many, LAST], { maxPerTask: 3, limitedByTask: [] }))).toEqual([]);
    const start = candidate({ id: "start", previous_id: null, session_id: "s", task_id: "task-1" });
    const sessions = new Map([["s", { ...newSession("s", ago(0)), implicit: false }]]);
    expect(going(input([start, ...many], settings, { sessions }))).not.toContain("start");
  });
});

describe("what goes by its age", () => {
  const old = candidate({ id: "old", trigger: "auto", created_at: ago(7 * DAY + 1) });
  const young = candidate({ id: "young", trigger: "auto", seq: 2, created_at: ago(7 * DAY) });
  const failed = new Map([
    ["worktree-main", { ...newSession("worktree-main", ago(0)), status: "failed" }],
  ]);

  it("goes after a week by default, but for phases, conflicts that were resolved and those taken by hand", () => {
    const created_at = ago(300 * DAY);
    const old = TRIGGERS.map((trigger, seq) =>
      candidate({ id: trigger, trigger, seq, created_at }),
    );
    const kept = decideRetention(input([...old, LAST])).filter(({ stays }) => stays);
    expect(kept.map(({ id }) => id).toSorted()).toEqual([
      "conflict_resolved",
      "last",
      "manual",
      "post_phase",
      "pre_phase",
      // The newest safety checkpoint.
      "pre_rollback",
    ]);
  });

  it("goes when it is older than max_age", () => {
    const given = input([old, young, LAST]);
    expect(going(given)).toEqual(["old"]);
    expect(reasonFor(given, "old")).toBe("older than 7 days");
    expect(going(input([old, young, LAST], { maxAge: null }))).toEqual([]);
  });

  it("stays for failed_max_age in a session that failed", () => {
    const older = candidate({ id: "older", trigger: "auto", created_at: ago(31 * DAY) });
    const given = input([old, older, young, LAST], {}, { sessions: failed });
    expect(going(given)).toEqual(["older"]);
  });

  it.each([ago(-400 * DAY), "some day", ""])("is not old when its time is %j", (created_at) => {
    const odd = candidate({ id: "odd", trigger: "auto", created_at });
    expect(going(input([odd, LAST]))).toEqual([]);
    expect(going(input([odd, LAST], {}, { limits: { olderThanMs: DAY } }))).toEqual([]);
  });

  it("goes when it has expired, also where all of its trigger are kept", () => {
    const expired = candidate({ id: "expired", expires_at: ago(1) });
    const later = candidate({ id: "later", seq: 2, expires_at: ago(-1) });
    const given = input([expired, later, LAST]);
    expect(going(given)).toEqual(["expired"]);
    expect(reasonFor(given, "expired")).toMatch(/^expired at /);
  });
});

describe("what goes when a session succeeded", () => {
  const completed = new Map([
    ["worktree-main", { ...newSession("worktree-main", ago(0)), status: "completed" }],
  ]);
  const all = [...row("pre_phase", 1), ...row("tool_use", 1), LAST];

  it.each([
    ["keep_all", []],
    ["keep_milestones", ["tool-use-0"]],
    ["delete_all", ["pre-phase-0", "tool-use-0"]],
  ] as const)("on_success %s takes %j", (onSuccess, expected) => {
    expect(going(input(all, { onSuccess }, { sessions: completed }))).toEqual(expected);
  });

  it("takes nothing of a session that still runs", () => {
    expect(going(input(all, { onSuccess: "delete_all" }))).toEqual([]);
  });
});

describe("what goes by size", () => {
  const sizes = (of: Record<string, number>) => ({ sizes: new Map(Object.entries(of)) });
  const [first, second, third] = row("tool_use", 3);
  const all = [first, second, third].flatMap((one) => one ?? []);

  it("takes the oldest until the rest fits", () => {
    const of = { "tool-use-0": 4e6, "tool-use-1": 4e6, "tool-use-2": 4e6, last: 4e6 };
    expect(going(input([...all, LAST], { maxSizeMb: 16 }, sizes(of)))).toEqual([]);
    expect(going(input([...all, LAST], { maxSizeMb: 15 }, sizes(of)))).toEqual(["tool-use-0"]);
    expect(going(input([...all, LAST], { maxSizeMb: 1 }, sizes(of)))).toHaveLength(3);
  });

  it("takes those of which all are kept otherwise only after the others", () => {
    const milestone = candidate({ id: "milestone", trigger: "pre_phase", created_at: ago(DAY) });
    const of = { milestone: 4e6, "tool-use-0": 4e6 };
    const given = (maxSizeMb: number) =>
      input([milestone, ...all.slice(0, 1), LAST], { maxSizeMb }, sizes(of));
    expect(going(given(5))).toEqual(["tool-use-0"]);
    expect(going(given(1))).toEqual(["milestone", "tool-use-0"]);
  });

  it("takes nothing when nothing was measured", () => {
    expect(going(input([...all, LAST], { maxSizeMb: 0 }))).toEqual([]);
  });
});

describe("limits that were given", () => {
  const all = [...row("manual", 5), LAST];

  it("--keep leaves the newest of each session, and takes all others that may go", () => {
    const given = input(all, {}, { limits: { keep: 2 } });
    expect(going(given)).toEqual(["manual-0", "manual-1", "manual-2", "manual-3"]);
    expect(reasonFor(given, "manual-0")).toBe("not one of the newest 2 of its session");
  });

  it("--keep counts safety checkpoints apart", () => {
    const safety = row("pre_rollback", 3, { seq: 2000 });
    const given = input([...all, ...safety], {}, { limits: { keep: 2 } });
    expect(going(given)).toContain("manual-0");
    expect(going(given)).not.toContain("manual-4");
  });

  it("--older-than takes what is older, and nothing younger", () => {
    const given = input(all, {}, { limits: { olderThanMs: 3 * 60_000 } });
    expect(going(given)).toEqual(["manual-0", "manual-1"]);
    expect(reasonFor(given, "manual-0")).toBe("older than 3 minutes");
  });

  it("takes only what neither of the two keeps", () => {
    const given = input(all, {}, { limits: { keep: 2, olderThanMs: 4 * 60_000 } });
    expect(going(given)).toEqual(["manual-0"]);
  });
});

describe("what always stays", () => {
  const NOTHING_KEPT: Partial<Retention> = {
    counts: Object.fromEntries(TRIGGERS.map((trigger) => [trigger, 0])) as Retention["counts"],
  };

  it("is what is pinned, needed by something under way, or alone in holding commits", () => {
    const pinned = candidate({ id: "pinned", expires_at: ago(1) }, { isPinned: true });
    const needed = candidate({ id: "needed", seq: 2 });
    const alone = candidate(
      { id: "alone", seq: 3, trigger: "pre_rollback" },
      { holdsCommitsAlone: true },
    );
    const newer = candidate({ id: "newer", seq: 4, trigger: "pre_rollback" });
    const given = input([pinned, needed, alone, newer, LAST], NOTHING_KEPT, {
      neededBy: new Map([["needed", "a guard"]]),
    });
    expect(going(given)).toEqual([]);
    expect(reasonFor(given, "pinned")).toBe("pinned");
    expect(reasonFor(given, "needed")).toBe("needed by a guard");
    expect(reasonFor(given, "alone")).toMatch(/only reference to some commits/);
  });

  it("is the newest of each session, the current one of each line, and what undo and redo go to", () => {
    const story = new SessionStory();
    story.takeAll("a", "b", "c", "d");
    story.rollBack("b");
    story.rollBack("a");
    story.undo();
    story.take("tail");
    const standing = story.standing();
    const candidates = story.documents.map((document) =>
      candidate(document, { isValid: standing(document).valid }),
    );
    const given = input(candidates, NOTHING_KEPT, {
      sessions: new Map([[story.session.id, story.session]]),
    });
    // Undo goes from b to the safety checkpoint of rb1, redo from that of rb2 to that of rb3.
    expect(going(given)).toEqual(["a", "c", "d"]);
    expect(reasonFor(given, "tail")).toBe("the current one of its work tree");
    expect(reasonFor(given, "b")).toBe("undo or redo needs it");
    expect(reasonFor(given, "rb2-safety")).toBe("undo or redo needs it");
  });

  it("is the current one also when a newer one was rolled back", () => {
    const current = candidate({ id: "current", seq: 1, trigger: "auto" });
    const abandoned = candidate({ id: "abandoned", seq: 2, trigger: "auto" }, { isValid: false });
    const given = input([current, abandoned], NOTHING_KEPT);
    expect(going(given)).toEqual([]);
    expect(reasonFor(given, "current")).toBe("the current one of its work tree");
    expect(reasonFor(given, "abandoned")).toBe("the newest of its session");
  });
});

describe("where work began", () => {
  const HARSH: Partial<Retention> = {
    counts: Object.fromEntries(TRIGGERS.map((trigger) => [trigger, 0])) as Retention["counts"],
    maxPerTask: 0,
    maxSizeMb: 0,
    maxAge: 7 * DAY,
  };
  const by = (agent_session_id: string): CheckpointDocument["created_by"] => ({
    ...sampleDocument().created_by,
    agent: "claude",
    agent_session_id,
  });
  const begin = candidate({
    id: "begin",
    trigger: "auto",
    previous_id: null,
    session_id: "flow",
    task_id: "task-1",
    created_at: ago(2 * DAY),
  });
  const later = row("auto", 2, { session_id: "flow", seq: 2, task_id: "task-1" });
  const end = candidate({ id: "end", session_id: "flow", seq: 1000, created_at: ago(HOUR) });
  const flow = [begin, ...later, end];
  const sizes = new Map(flow.map(({ document }) => [document.id, 1e6]));
  const session = (implicit: boolean) => ({
    ...newSession("flow", ago(2 * DAY)),
    status: "completed" as const,
    implicit,
  });
  const sessions = new Map([["flow", session(false)]]);

  it("stays while it is younger than max_age: the start of a session, whatever counts, task, size and success say", () => {
    const given = input(flow, HARSH, { sessions, sizes });
    expect(going(given)).toEqual(["auto-0", "auto-1"]);
    expect(reasonFor(given, "begin")).toBe("the start of its session");
    expect(going(input(flow, { ...HARSH, maxAge: null }, { sessions }))).not.toContain("begin");
    // The work tree's own session has no such start.
    const own = new Map([["flow", session(true)]]);
    expect(going(input(flow, HARSH, { sessions: own, sizes }))).toContain("begin");
  });

  it("goes when it is older, has expired, or its settings or a given limit take everything", () => {
    const other = { sessions, sizes };
    expect(going(input(flow, { ...HARSH, maxAge: DAY }, other))).toContain("begin");
    expect(going(input(flow, { ...HARSH, onSuccess: "delete_all" }, other))).toContain("begin");
    expect(going(input(flow, HARSH, { ...other, limits: { keep: 1 } }))).toContain("begin");
    const expired = candidate({ ...begin.document, expires_at: ago(HOUR) });
    expect(going(input([expired, ...later, end], HARSH, other))).toContain("begin");
  });

  it("stays for each day of each session of an agent", () => {
    const day = (date: string, session: string, hours: readonly number[]): RetentionCandidate[] =>
      hours.map((hour) =>
        candidate({
          id: `${session}-${date}-${hour}`,
          trigger: "tool_use",
          created_at: `2026-11-${date}T${String(hour).padStart(2, "0")}:00:00.000Z`,
          created_by: by(session),
          seq: Number(date) * 24 + hour,
        }),
      );
    const all = [
      ...day("07", "one", [9, 10]),
      ...day("13", "one", [9, 10, 11]),
      ...day("14", "one", [8, 12]),
      ...day("14", "two", [13, 14]),
      LAST,
    ];
    const given = input(all, HARSH);
    const kept = all.map(({ document }) => document.id).filter((id) => !going(given).includes(id));
    expect(kept).toEqual(["one-13-9", "one-14-8", "two-14-13", "last"]);
    expect(reasonFor(given, "two-14-13")).toBe("the first of claude's session on 2026-11-14");
  });
});

const anyCandidate = fc
  .record({
    trigger: fc.constantFrom(...TRIGGERS),
    session_id: fc.constantFrom("worktree-main", "done", "failed"),
    worktree_id: fc.constantFrom("main", "linked"),
    phase: fc.constantFrom(null, "plan", "implement"),
    task_id: fc.constantFrom(null, "task-1", "task-2"),
    seq: fc.integer({ min: 1, max: 30 }),
    previous_id: fc.constantFrom(null, "earlier", "earlier"),
    agent_session_id: fc.constantFrom(null, null, "one", "two"),
    ageHours: fc.integer({ min: -5, max: 24 * 40 }),
    expires_at: fc.constantFrom(null, null, null, ago(HOUR), ago(-HOUR)),
    isValid: fc.boolean(),
    isPinned: fc.boolean(),
    holdsCommitsAlone: fc.boolean(),
  })
  .map(({ ageHours, isValid, isPinned, holdsCommitsAlone, agent_session_id, ...document }) =>
    candidate(
      {
        ...document,
        created_at: ago(ageHours * HOUR),
        created_by: { ...sampleDocument().created_by, agent_session_id },
      },
      {
        isValid,
        isPinned,
        holdsCommitsAlone: holdsCommitsAlone && document.trigger === "pre_rollback",
      },
    ),
  );

const anyInput = fc
  .record({
    candidates: fc.array(anyCandidate, { maxLength: 40 }),
    counts: fc.array(fc.integer({ min: -1, max: 4 }), {
      minLength: TRIGGERS.length,
      maxLength: TRIGGERS.length,
    }),
    onSuccess: fc.constantFrom("keep_all", "keep_milestones", "delete_all"),
    maxPerTask: fc.integer({ min: -1, max: 5 }),
    maxSizeMb: fc.constantFrom(-1, 0, 5, 20),
    maxAge: fc.constantFrom(null, DAY, 30 * DAY),
    keep: fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined }),
    olderThanMs: fc.option(fc.constantFrom(0, DAY, 10 * DAY), { nil: undefined }),
    needed: fc.array(fc.integer({ min: 0, max: 39 })),
    isMeasured: fc.boolean(),
  })
  .map((made) => {
    const candidates = made.candidates.map((one, at) => ({
      ...one,
      document: { ...one.document, id: `cp-${at}` },
    }));
    const settings = {
      counts: Object.fromEntries(
        TRIGGERS.map((trigger, at) => [trigger, made.counts[at] ?? 0]),
      ) as Retention["counts"],
      onSuccess: made.onSuccess,
      maxPerTask: made.maxPerTask,
      maxSizeMb: made.maxSizeMb,
      maxAge: made.maxAge,
    };
    return input(candidates, settings, {
      limits: {
        ...(made.keep === undefined ? {} : { keep: made.keep }),
        ...(made.olderThanMs === undefined ? {} : { olderThanMs: made.olderThanMs }),
      },
      sizes: made.isMeasured ? new Map(candidates.map((_, at) => [`cp-${at}`, 1e6])) : undefined,
      neededBy: new Map(made.needed.map((at) => [`cp-${at}`, "something"])),
      sessions: new Map([
        ["done", { ...newSession("done", ago(0)), status: "completed", implicit: false }],
        ["failed", { ...newSession("failed", ago(0)), status: "failed" }],
      ]),
    });
  });

const check = (property: (given: RetentionInput) => void): void =>
  fc.assert(fc.property(anyInput, property), { numRuns: 400 });

describe("for any checkpoints and settings", () => {
  it("[R37] pinned, needed, current and newest ones never go", () => {
    check((given) => {
      const gone = new Set(going(given));
      for (const { document, isPinned, holdsCommitsAlone } of given.candidates) {
        if (isPinned || holdsCommitsAlone || given.neededBy.has(document.id)) {
          expect(gone).not.toContain(document.id);
        }
      }
      const { keep, olderThanMs } = given.limits;
      // Who keeps none means the newest too.
      if (keep === 0 || olderThanMs === 0) return;
      const lines = new Set(
        given.candidates
          .filter(({ document }) => document.trigger !== "pre_rollback")
          .map(({ document }) => `${document.session_id} ${document.worktree_id}`),
      );
      for (const line of lines) {
        const left = given.candidates.filter(
          ({ document }) =>
            `${document.session_id} ${document.worktree_id}` === line &&
            document.trigger !== "pre_rollback" &&
            !gone.has(document.id),
        );
        expect(left.length).toBeGreaterThan(0);
      }
    });
  });

  it("[R37] everything goes but what is pinned, needed, or the only reference to some commits", () => {
    check((given) => {
      const gone = going({ ...given, limits: { all: true } });
      const left = given.candidates.filter(
        ({ document, isPinned, holdsCommitsAlone }) =>
          isPinned || holdsCommitsAlone || given.neededBy.has(document.id),
      );
      expect(gone).toHaveLength(given.candidates.length - left.length);
    });
  });

  it("says something about each of them, once, with a reason", () => {
    check((given) => {
      const verdicts = decideRetention(given);
      expect(verdicts.map(({ id }) => id).sort()).toEqual(
        given.candidates.map(({ document }) => document.id).sort(),
      );
      for (const { reason } of verdicts) expect(reason).not.toBe("");
    });
  });

  it("takes nothing more when it runs again right after", () => {
    check((given) => {
      const gone = new Set(going(given));
      const left = given.candidates.filter(({ document }) => !gone.has(document.id));
      expect(going({ ...given, candidates: left })).toEqual([]);
    });
  });

  it("does not depend on the order in which they are given", () => {
    fc.assert(
      fc.property(anyInput, fc.integer(), (given, seed) => {
        const mixed = given.candidates.toSorted(
          (one, other) => hash(one.document.id, seed) - hash(other.document.id, seed),
        );
        expect(decideRetention({ ...given, candidates: mixed })).toEqual(decideRetention(given));
      }),
    );
  });

  it("keeps every one of a trigger with -1 that did not expire, unless limits, success or size say otherwise", () => {
    check((given) => {
      const plain = { ...given, limits: {}, sizes: undefined, sessions: new Map() };
      const gone = new Set(going(plain));
      for (const { document } of plain.candidates) {
        const isKept = given.settings.counts[document.trigger] === -1;
        const hasExpired = document.expires_at !== null && document.expires_at <= ago(0);
        if (isKept && !hasExpired) expect(gone).not.toContain(document.id);
      }
    });
  });
});

const hash = (text: string, seed: number): number =>
  [...text].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) | 0, seed);

describe("what is of a session that ended", () => {
  const ended = (status: string, days: number) => {
    const session = { ...newSession("session-1", NOW.toISOString()), implicit: false, status };
    return new Map([["session-1", { ...session, ended_at: ago(days * DAY) }]]);
  };
  const own = (): RetentionCandidate[] =>
    [...row("pre_phase", 2), ...row("session_end", 1)].map((each) => ({
      ...each,
      document: { ...each.document, session_id: "session-1" },
    }));

  it.each(["failed", "abandoned"])("goes as a whole when it was %s long ago", (status) => {
    const past = input(own(), {}, { sessions: ended(status, 31) });
    expect(going(past)).toEqual(["pre-phase-0", "pre-phase-1", "session-end-0"]);
    expect(reasonFor(past, "pre-phase-0")).toBe(`its session was ${status} more than 30 days ago`);
    expect(going(input(own(), {}, { sessions: ended(status, 29) }))).toEqual([]);
    const never = input(own(), { failedMaxAge: null }, { sessions: ended(status, 999) });
    expect(going(never)).toEqual([]);
  });

  it("stays while a work tree is in it or somebody runs it, and so does what is pinned", () => {
    const sessions = ended("failed", 31);
    expect(going(input(own(), {}, { sessions, inUse: new Set(["session-1"]) }))).toEqual([]);
    const pinned = own().map((each) => ({ ...each, isPinned: true }));
    expect(going(input(pinned, {}, { sessions }))).toEqual([]);
  });

  it("leaves the last one when it succeeded, until its time is over", () => {
    const all = (days: number) =>
      going(input(own(), { onSuccess: "delete_all" }, { sessions: ended("completed", days) }));
    expect(all(1)).toEqual(["pre-phase-0", "session-end-0"]);
    expect(all(8)).toEqual(["pre-phase-0", "pre-phase-1", "session-end-0"]);
  });

  it("keeps its milestones when it succeeded, for ever", () => {
    expect(going(input(own(), {}, { sessions: ended("completed", 999) }))).toEqual([]);
  });
});
