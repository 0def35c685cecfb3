import { describe, expect, it } from "vitest";
import {
  freshProgress,
  isPhaseOpen,
  nodeOf,
  skipPhase,
  takenBack,
  withNodeOf,
  withPhase,
} from "./change-progress.ts";
import type { Workflow, WorkflowPhase } from "./definition.ts";
import { phaseOf } from "./progress.ts";
import { testNode, testPhase } from "./workflow.fixture.ts";

const phase = (name: string, step: number): WorkflowPhase =>
  testPhase(name, [testNode("a"), testNode("b")], { step });

const workflow: Workflow = {
  name: "test",
  type: "test",
  project: null,
  description: null,
  topic: null,
  task: null,
  issue: null,
  env: {},
  cwd: ".",
  concurrency: 2,
  phases: [phase("one", 1), phase("two", 2)],
};

describe("the progress of a workflow", () => {
  const fresh = freshProgress(workflow, "g");

  it("leaves out what is not done of a phase", () => {
    const half = withNodeOf(fresh, "one/a", { status: "completed" });
    const skipped = skipPhase(half, "one", "now");
    expect(phaseOf(skipped, "one")).toMatchObject({ status: "skipped", completed_at: "now" });
    expect(nodeOf(skipped, "one/a")?.status).toBe("completed");
    expect(nodeOf(skipped, "one/b")?.status).toBe("skipped");
    expect(nodeOf(skipped, "two/a")?.status).toBe("pending");
  });

  it("knows which phases there is something to do in", () => {
    const open = (change: object): boolean => {
      const found = phaseOf(withPhase(fresh, "one", change), "one");
      return found !== undefined && isPhaseOpen(found);
    };
    expect(open({})).toBe(true);
    expect(open({ status: "running" })).toBe(true);
    expect(open({ status: "failed" })).toBe(true);
    expect(open({ status: "failed", passed_over: true })).toBe(false);
    expect(open({ status: "skipped" })).toBe(false);
    expect(open({ status: "completed" })).toBe(false);
  });

  it("is what it was before an attempt, with how often things were begun, and what is kept", () => {
    const later = withPhase(
      withNodeOf(
        withNodeOf(fresh, "one/a", { status: "failed", attempts: 2, error: "x" }),
        "one/b",
        { status: "completed", attempts: 1 },
      ),
      "one",
      { status: "running", attempts: 3 },
    );
    const back = takenBack(fresh, { ...later, state: { half: true } }, new Set(["one/b"]));
    expect(nodeOf(back, "one/a")).toMatchObject({ status: "pending", attempts: 2, error: null });
    expect(nodeOf(back, "one/b")).toMatchObject({ status: "completed", attempts: 1 });
    expect(phaseOf(back, "one")).toMatchObject({ status: "pending", attempts: 3 });
    expect(back.state).toBeUndefined();
  });
});
