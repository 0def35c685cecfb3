import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { IssueSnapshot } from "../session.ts";
import { NO_LEASE, takenLease } from "./lease.ts";
import { phasesOf } from "./progress.fixture.ts";
import { NO_PROGRESS } from "./progress.ts";
import { SESSION_STATUSES } from "./session-status.ts";
import { assessStaleness, verdictOn } from "./staleness.ts";
import type { KnownChanges, PresentMoment, RecordedMoment } from "./staleness/moments.ts";
import { FINDING_KINDS, STALENESS_ACTIONS, STALENESS_RULES } from "./staleness/rules.ts";

const AT = "2026-11-16T10:00:00.000Z";
const MAIN = "refs/heads/main";
const [OLD, NEW] = ["a".repeat(40), "b".repeat(40)];

const ISSUE: IssueSnapshot = {
  number: 42,
  title: "Login fails",
  body: "text",
  labels: ["state:enrich"],
  assignees: ["ann"],
  branch: "main",
  state: "OPEN",
  taken_at: AT,
};

const RECORDED: RecordedMoment = {
  sessionId: "s1",
  formatVersion: 1,
  status: "interrupted",
  worktreeId: "main",
  branch: MAIN,
  checkpoint: { id: "cp-1", head: OLD, operation: "none" },
  definition: { path: "flow.yml", digest: "sha256:1" },
  issue: ISSUE,
  progress: {
    ...NO_PROGRESS,
    phases: phasesOf({ plan: "completed", implement: "running" }),
    state_label: "state:enrich",
  },
};

const UNCHANGED: KnownChanges = {
  head: OLD,
  operation: "none",
  files: [],
  commitsGained: [],
  commitsLost: [],
  isIndexChanged: false,
  parts: [],
};

const NOW: PresentMoment = {
  at: new Date(AT),
  formatVersion: 1,
  heldBy: null,
  worktreeId: "main",
  branchExists: true,
  checkedOut: MAIN,
  newerCheckpoints: [],
  damagedCheckpoints: [],
  lastValidId: null,
  changes: { kind: "known", changes: UNCHANGED },
  definitionDigest: "sha256:1",
  issue: { kind: "taken", snapshot: ISSUE },
  missingOutputs: [],
  missingStates: [],
};

const changed = (changes: Partial<KnownChanges>): Partial<PresentMoment> => ({
  changes: { kind: "known", changes: { ...UNCHANGED, ...changes } },
});
const issue = (changes: Partial<IssueSnapshot>): Partial<PresentMoment> => ({
  issue: { kind: "taken", snapshot: { ...ISSUE, ...changes } },
});
const HOLDER = { host: "box", boot: "b", pid: 7, started: "1", user: "ann" };
const commit = (subject: string) => ({ commit: NEW, subject });

interface Row {
  readonly before?: Partial<RecordedMoment>;
  readonly now?: Partial<PresentMoment>;
  readonly kinds: readonly string[];
  readonly action: string;
  readonly can: boolean;
  readonly met: boolean;
  readonly says: RegExp;
}

const ask = { action: "prompt_user", can: true, met: true };
const warn = { action: "proceed_with_warning", can: true, met: true };
const stop = { can: false, met: false };

const ROWS: Readonly<Record<string, Row>> = {
  "a session of a newer format": {
    before: { formatVersion: 2 },
    kinds: ["session_newer"],
    ...stop,
    action: "prompt_user",
    says: /session s1 was written by a newer Waymark \(format 2\)/,
  },
  "a session that is completed": {
    before: { status: "completed" },
    kinds: ["session_ended"],
    ...stop,
    action: "start_fresh",
    says: /session s1 is completed/,
  },
  "a session in a status that nobody knows": {
    before: { status: "frozen" },
    kinds: ["session_ended"],
    ...stop,
    action: "start_fresh",
    says: /session s1 is frozen/,
  },
  "a session that somebody runs": {
    now: { heldBy: takenLease(NO_LEASE, HOLDER, "run", AT) },
    kinds: ["session_held"],
    ...stop,
    action: "prompt_user",
    says: /is being run by ann on box \(process 7, run\), last heartbeat 0 s ago/,
  },
  "a session of another work tree": {
    now: { worktreeId: "side" },
    kinds: ["other_work_tree"],
    ...ask,
    says: /ran in work tree main; this is side/,
  },
  "a checkpoint of a newer format": {
    now: { newerCheckpoints: [{ id: "cp-9", version: 3 }] },
    kinds: ["checkpoint_newer"],
    ...stop,
    action: "prompt_user",
    says: /cp-9 was written by a newer Waymark \(format 3\)/,
  },
  "a damaged checkpoint": {
    now: { damagedCheckpoints: [{ id: "cp-1", problem: "blob gone" }], lastValidId: "cp-0" },
    kinds: ["checkpoint_damaged"],
    ...stop,
    action: "prompt_user",
    says: /cp-1 is damaged: blob gone; the last valid one is cp-0/,
  },
  "no checkpoint": {
    before: { checkpoint: null },
    now: { changes: { kind: "not_asked" } },
    kinds: ["no_checkpoint"],
    ...warn,
    says: /no checkpoint/,
  },
  "only a checkpoint that cannot be read": {
    before: { checkpoint: null },
    now: { changes: { kind: "not_asked" }, damagedCheckpoints: [{ id: "cp-1", problem: "x" }] },
    kinds: ["checkpoint_damaged"],
    ...stop,
    action: "prompt_user",
    says: /cp-1 is damaged: x$/,
  },
  "a branch that is gone": {
    now: { branchExists: false, checkedOut: "refs/heads/other" },
    kinds: ["branch_gone"],
    ...stop,
    action: "start_fresh",
    says: /the branch main no longer exists; `waymark rollback cp-1` creates it again/,
  },
  "another branch": {
    now: { checkedOut: "refs/heads/other" },
    kinds: ["branch_switched"],
    ...ask,
    says: /the work was on the branch main; the branch other is checked out/,
  },
  "no branch": {
    now: { checkedOut: null },
    kinds: ["branch_switched"],
    ...ask,
    says: /no branch is checked out/,
  },
  "commits more and less": {
    now: changed({
      head: NEW,
      commitsGained: [commit("x"), commit("y")],
      commitsLost: [commit("z")],
    }),
    kinds: ["head_moved"],
    ...ask,
    says: /HEAD moved from aaaaaaaaaa to bbbbbbbbbb: 2 commits added, 1 commit removed/,
  },
  "the first commit": {
    before: { checkpoint: { id: "cp-1", head: null, operation: "none" } },
    now: changed({ head: NEW }),
    kinds: ["head_moved"],
    ...ask,
    says: /HEAD moved from nothing to bbbbbbbbbb$/,
  },
  "changed files, staged too": {
    now: changed({
      files: ["a", "b", "c", "d"].map((path) => ({ path, change: "modified" as const })),
      isIndexChanged: true,
    }),
    kinds: ["files_changed"],
    ...ask,
    says: /4 files changed since checkpoint cp-1: a, b, c and 1 more/,
  },
  "only the index": {
    now: changed({ isIndexChanged: true }),
    kinds: ["index_changed"],
    ...warn,
    says: /the index \(staged changes\) changed/,
  },
  "a merge": {
    now: changed({ operation: "merge" }),
    kinds: ["operation_changed"],
    ...ask,
    says: /a merge is in progress/,
  },
  "a merge that ended": {
    before: { checkpoint: { id: "cp-1", head: OLD, operation: "merge" } },
    kinds: ["operation_changed"],
    ...ask,
    says: /the merge that was in progress has ended/,
  },
  "a changed database": {
    now: changed({ parts: [{ type: "database_savepoint", what: "app.db", change: "modified" }] }),
    kinds: ["parts_changed"],
    ...ask,
    says: /app\.db/,
  },
  "changes that cannot be seen": {
    now: { changes: { kind: "unknown", why: "no server" } },
    kinds: ["not_compared"],
    ...ask,
    says: /could not be determined: no server/,
  },
  "missing outputs, each named": {
    now: {
      missingOutputs: [
        { path: "spec.md", of: "output spec" },
        { path: "api.md", of: "agent x, task y" },
      ],
    },
    kinds: ["output_missing", "output_missing"],
    ...ask,
    met: false,
    says: /spec\.md \(output spec\) is missing/,
  },
  "a state that is gone": {
    now: { missingStates: ["cp-0"] },
    kinds: ["state_missing"],
    ...ask,
    met: false,
    says: /the saved state was lost with checkpoint cp-0/,
  },
  "a workflow file that changed": {
    now: { definitionDigest: "sha256:2" },
    kinds: ["workflow_changed"],
    ...ask,
    says: /flow\.yml changed since the session started: .*recorded.*current/,
  },
  "a workflow file that is gone": {
    now: { definitionDigest: null },
    kinds: ["workflow_missing"],
    ...ask,
    says: /flow\.yml is missing/,
  },
  "an edited issue": {
    now: issue({ body: "other" }),
    kinds: ["issue_body_changed"],
    ...ask,
    says: /issue #42: its text was edited/,
  },
  "other labels": {
    now: issue({ labels: ["state:plan"] }),
    kinds: ["issue_labels_changed"],
    ...warn,
    says: /labels changed \(\+state:plan, -state:enrich\); the workflow's state is now state:plan/,
  },
  "a label that says nothing about the state": {
    now: issue({ labels: ["state:enrich", "bug"] }),
    kinds: ["issue_labels_changed"],
    ...warn,
    says: /labels changed \(\+bug\)$/,
  },
  "another title": {
    now: issue({ title: "Logout" }),
    kinds: ["issue_title_changed"],
    ...warn,
    says: /issue #42 is now called "Logout"/,
  },
  "somebody else's issue": {
    now: issue({ assignees: ["bob"] }),
    kinds: ["issue_assignees_changed"],
    ...warn,
    says: /assignees changed \(\+bob, -ann\)/,
  },
  "a closed issue": {
    now: issue({ state: "CLOSED" }),
    kinds: ["issue_state_changed"],
    ...warn,
    says: /issue #42 is closed \(it was open\)/,
  },
  "an issue that nobody can see": {
    now: { issue: { kind: "unavailable", why: "gh is not logged in" } },
    kinds: ["issue_unavailable"],
    ...warn,
    says: /issue #42 could not be read: gh is not logged in/,
  },
  "labels and body": {
    now: issue({ labels: [], body: "other" }),
    kinds: ["issue_body_changed", "issue_labels_changed"],
    ...ask,
    says: /edited/,
  },
  "everything at once": {
    before: { status: "abandoned" },
    now: {
      ...changed({ head: NEW, files: [{ path: "a", change: "removed" }] }),
      ...issue({ labels: [] }),
      definitionDigest: null,
      branchExists: false,
    },
    kinds: [
      "session_ended",
      "branch_gone",
      "head_moved",
      "files_changed",
      "workflow_missing",
      "issue_labels_changed",
    ],
    ...stop,
    action: "start_fresh",
    says: /abandoned/,
  },
};

describe("staleness", () => {
  it("is none when nothing changed: it is resumed", () => {
    expect(assessStaleness(RECORDED, NOW)).toMatchObject({
      session_id: "s1",
      checkpoint_id: "cp-1",
      can_resume: true,
      resume_from: "phase_2",
      resume_point: { words: "phase implement" },
      prerequisites_met: true,
      warnings: [],
      action: "resume",
      state_label: "state:enrich",
      findings: [],
    });
  });

  it.each(Object.entries(ROWS))("[R84] %s", (_, { before, now, kinds, action, can, met, says }) => {
    const report = assessStaleness({ ...RECORDED, ...before }, { ...NOW, ...now });
    expect(report.findings.map(({ kind }) => kind)).toEqual(kinds);
    expect(report).toMatchObject({ action, can_resume: can, prerequisites_met: met });
    expect(report.warnings).toEqual(report.findings.map(({ message }) => message));
    expect(report.warnings[0]).toMatch(says);
    for (const { what_happens_if_ignored } of report.findings) {
      expect(what_happens_if_ignored).toMatch(/\w/);
    }
    // Where it would go on is known in any case.
    expect(report.resume_from).toBe("phase_2");
  });

  it("has a row for every kind of finding", () => {
    const shown = new Set(Object.values(ROWS).flatMap(({ kinds }) => kinds));
    expect(FINDING_KINDS.filter((kind) => !shown.has(kind))).toEqual([]);
  });

  it("lists what changed for whoever shows it, up to a limit", () => {
    const files = Array.from({ length: 500 }, (_, at) => ({
      path: `f${at}`,
      change: "added" as const,
    }));
    const gained = [commit("one")];
    const now = { ...NOW, ...changed({ files, head: NEW, commitsGained: gained }) };
    const [head, changedFiles] = assessStaleness(RECORDED, now).findings;
    expect(head?.details).toMatchObject({
      from: OLD,
      to: NEW,
      commits_gained: gained,
      commits_gained_total: 1,
    });
    expect(changedFiles?.details).toMatchObject({ files_total: 500 });
    expect(changedFiles?.details["files"]).toHaveLength(200);
  });

  it("follows the labels of the issue, and only those", () => {
    const label = (now: Partial<PresentMoment>): string | null =>
      assessStaleness(RECORDED, { ...NOW, ...now }).state_label;
    expect(label(issue({ labels: ["workflow:Planned"] }))).toBe("workflow:Planned");
    expect(label(issue({ labels: [] }))).toBeNull();
    expect(label({ issue: { kind: "unavailable", why: "" } })).toBe("state:enrich");
  });

  it("says nothing about what was never recorded", () => {
    const bare: RecordedMoment = {
      ...RECORDED,
      worktreeId: null,
      branch: null,
      definition: null,
      issue: null,
      progress: undefined,
    };
    const now: PresentMoment = {
      ...NOW,
      branchExists: true,
      checkedOut: null,
      definitionDigest: null,
      ...issue({ body: "other" }),
    };
    expect(assessStaleness(bare, now)).toMatchObject({ action: "resume", resume_from: null });
    expect(assessStaleness(RECORDED, { ...NOW, issue: { kind: "not_asked" } }).findings).toEqual(
      [],
    );
  });

  it("can be resumed from every status that may become active", () => {
    const can = SESSION_STATUSES.filter(
      (status) => assessStaleness({ ...RECORDED, status }, NOW).can_resume,
    );
    expect(can).toEqual(["active", "paused", "interrupted", "failed"]);
  });
});

describe("the verdict", () => {
  const findings = fc.array(fc.constantFrom(...FINDING_KINDS).map((kind) => ({ kind })));
  const gravity = (action: (typeof STALENESS_ACTIONS)[number]): number =>
    STALENESS_ACTIONS.indexOf(action);

  it("[R84] never gets milder with one more finding, wherever it comes", () => {
    fc.assert(
      fc.property(findings, fc.constantFrom(...FINDING_KINDS), fc.nat(), (list, kind, at) => {
        const before = verdictOn(list);
        const after = verdictOn(list.toSpliced(at % (list.length + 1), 0, { kind }));
        expect(gravity(after.action)).toBeGreaterThanOrEqual(gravity(before.action));
        expect(gravity(after.action)).toBeGreaterThanOrEqual(gravity(STALENESS_RULES[kind].action));
        expect(after.can_resume).toBe(
          before.can_resume && STALENESS_RULES[kind].severity !== "blocking",
        );
        if (!before.prerequisites_met) expect(after.prerequisites_met).toBe(false);
      }),
    );
  });

  it("[R84] never calls one resumable that is not", () => {
    fc.assert(
      fc.property(findings, (list) => {
        const { action, can_resume, prerequisites_met } = verdictOn(list);
        if (!can_resume) {
          expect(prerequisites_met).toBe(false);
          expect(["prompt_user", "start_fresh"]).toContain(action);
        }
        if (action === "resume") expect(list).toEqual([]);
      }),
    );
  });
});
