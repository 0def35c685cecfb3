import { describe, expect, it } from "vitest";
import { sampleDocument } from "./checkpoint.fixture.ts";
import type { GitSummary } from "./checkpoint.ts";
import { planHead, planRefs } from "./head-plan.ts";

const MAIN = "refs/heads/main";
const TOPIC = "refs/heads/topic";

function target(branch: string | null, commit: string | null): GitSummary {
  return {
    ...sampleDocument().git,
    branch,
    detached: branch === null,
    commit,
    unborn: commit === null,
  };
}

describe("planHead", () => {
  it("is nothing when HEAD is where it was", () => {
    expect(planHead({ branch: MAIN, commit: "c1" }, target(MAIN, "c1"), "c1")).toBeNull();
  });

  it("moves the branch back to its commit", () => {
    expect(planHead({ branch: MAIN, commit: "c2" }, target(MAIN, "c1"), "c2")).toEqual({
      from: { branch: MAIN, commit: "c2" },
      to: { branch: MAIN, commit: "c1" },
      move: { name: MAIN, from: "c2", to: "c1" },
    });
  });

  it("switches to another branch that did not move, and moves none", () => {
    expect(planHead({ branch: TOPIC, commit: "c1" }, target(MAIN, "c1"), "c1")).toEqual({
      from: { branch: TOPIC, commit: "c1" },
      to: { branch: MAIN, commit: "c1" },
      move: null,
    });
  });

  it("makes a branch again that is gone", () => {
    expect(planHead({ branch: TOPIC, commit: "c2" }, target(MAIN, "c1"), null)?.move).toEqual({
      name: MAIN,
      from: null,
      to: "c1",
    });
  });

  it("takes away a branch that had no commit yet", () => {
    expect(planHead({ branch: MAIN, commit: "c1" }, target(MAIN, null), "c1")?.move).toEqual({
      name: MAIN,
      from: "c1",
      to: null,
    });
  });

  it("is nothing when neither then nor now there is a commit", () => {
    expect(planHead({ branch: MAIN, commit: null }, target(MAIN, null), null)).toBeNull();
  });

  it("detaches HEAD and leaves every branch alone", () => {
    expect(planHead({ branch: MAIN, commit: "c1" }, target(null, "c1"), null)).toEqual({
      from: { branch: MAIN, commit: "c1" },
      to: { branch: null, commit: "c1" },
      move: null,
    });
  });

  it("attaches HEAD again although it is at the right commit", () => {
    expect(planHead({ branch: null, commit: "c1" }, target(MAIN, "c1"), "c1")).not.toBeNull();
  });

  it("believes `detached` more than a branch name that stands beside it", () => {
    const odd = { ...target(MAIN, "c1"), detached: true };
    expect(planHead({ branch: null, commit: "c1" }, odd, null)).toBeNull();
  });
});

describe("planRefs", () => {
  it("makes, moves and takes away, and leaves equal ones out", () => {
    const now = new Map([
      ["refs/bisect/bad", "c3"],
      ["refs/bisect/good-1", "c1"],
      ["refs/bisect/skip-1", "c2"],
    ]);
    const then = { "refs/bisect/bad": "c4", "refs/bisect/good-1": "c1", "refs/bisect/new": "c5" };
    expect(planRefs(now, then)).toEqual([
      { name: "refs/bisect/bad", from: "c3", to: "c4" },
      { name: "refs/bisect/skip-1", from: "c2", to: null },
      { name: "refs/bisect/new", from: null, to: "c5" },
    ]);
  });

  it("is nothing when there were none and are none", () => {
    expect(planRefs(new Map(), {})).toEqual([]);
  });
});
