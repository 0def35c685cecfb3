import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  followedLabel,
  issueChanges,
  issueSnapshot,
  MOST_BODY_BYTES,
  type SeenIssue,
} from "./issue-snapshot.ts";
import type { IssueSnapshot } from "./session.ts";

const SEEN: SeenIssue = {
  number: 42,
  title: "Login fails",
  body: "one\ntwo\n",
  labels: ["bug", "state:enrich"],
  assignees: ["ann"],
  branch: "main",
  state: "OPEN",
};
const AT = new Date(0);

function taken(changes: Partial<SeenIssue> = {}): IssueSnapshot {
  return issueSnapshot(
    { ...SEEN, ...changes },
    AT,
    (text) => `of ${text.length} ${text.slice(-5)}`,
  );
}

function changes(now: Partial<SeenIssue>): unknown {
  return issueChanges(taken(), taken(now));
}

const NONE = {
  title: null,
  body: false,
  labelsAdded: [],
  labelsRemoved: [],
  assigneesAdded: [],
  assigneesRemoved: [],
  state: null,
};

describe("a snapshot of an issue", () => {
  it("never has a longer body than it may, and says when it is cut", () => {
    const bodies = fc
      .tuple(fc.string({ unit: "binary", minLength: 1, maxLength: 20 }), fc.nat(40_000))
      .map(([piece, times]) => piece.repeat(times));
    fc.assert(
      fc.property(bodies, (body) => {
        const snapshot = taken({ body });
        expect(Buffer.byteLength(snapshot.body)).toBeLessThanOrEqual(MOST_BODY_BYTES);
        expect(body.startsWith(snapshot.body)).toBe(true);
        expect(snapshot.body_cut !== undefined).toBe(snapshot.body.length < body.length);
      }),
      { numRuns: 40 },
    );
  });

  it("has no more names than an issue can have", () => {
    const labels = Array.from({ length: 300 }, (_, at) => `${at}${"x".repeat(1000)}`);
    const snapshot = taken({ labels });
    expect(snapshot.labels).toHaveLength(100);
    expect(snapshot.labels.every((label) => label.length <= 256)).toBe(true);
  });
});

describe("what changed in an issue", () => {
  it("is nothing when it is the same, in whatever order, with whatever line ends", () => {
    const same = { body: "one\r\ntwo\r\n\r\n", labels: ["state:enrich", "bug"], state: "open" };
    expect(changes(same)).toEqual(NONE);
  });

  it.each<[Partial<SeenIssue>, object]>([
    [{ title: "Logout fails" }, { title: { from: "Login fails", to: "Logout fails" } }],
    [{ body: "one\nthree\n" }, { body: true }],
    [{ body: " one\ntwo\n" }, { body: true }],
    [
      { labels: ["bug", "state:plan"] },
      { labelsAdded: ["state:plan"], labelsRemoved: ["state:enrich"] },
    ],
    [{ labels: [] }, { labelsRemoved: ["bug", "state:enrich"] }],
    [{ assignees: ["bob"] }, { assigneesAdded: ["bob"], assigneesRemoved: ["ann"] }],
    [{ state: "CLOSED" }, { state: { from: "open", to: "closed" } }],
  ])("%j", (now, found) => {
    expect(changes(now)).toEqual({ ...NONE, ...found });
  });

  it("is seen behind the cut, too", () => {
    const long = (end: string) => taken({ body: `${"x".repeat(MOST_BODY_BYTES)}${end}` });
    expect(issueChanges(long("one"), long("one")).body).toBe(false);
    expect(issueChanges(long("one"), long("two")).body).toBe(true);
  });

  it("does not depend on who took the first snapshot: one that was not cut, one without a state", () => {
    const body = "x".repeat(2 * MOST_BODY_BYTES);
    const { state: _state, body_cut: _cut, ...rest } = taken({ body });
    expect(issueChanges({ ...rest, body }, taken({ body }))).toEqual(NONE);
  });
});

describe("the label of a workflow", () => {
  it.each([
    ["state:enrich", ["state:enrich"], ["state:enrich", "bug"], "state:enrich"],
    ["state:enrich", ["state:enrich"], ["state:plan"], "state:plan"],
    ["state:enrich", ["state:enrich"], ["state:enrich", "state:plan"], "state:plan"],
    ["state:enrich", ["state:enrich"], ["workflow:In Review"], "workflow:In Review"],
    ["state:enrich", ["state:enrich"], ["workflow:new", "state:new"], "state:new"],
    ["state:enrich", ["state:enrich"], ["bug"], null],
    ["own-word", ["bug"], [], "own-word"],
    [null, [], ["workflow:Planned"], "workflow:Planned"],
    [null, [], ["bug", "state:", "restate:x"], null],
    [null, ["bug"], [], null],
  ])("recorded %j, labels %j, now %j: %j", (recorded, before, now, expected) => {
    expect(followedLabel(recorded, before, now)).toBe(expected);
  });
});
