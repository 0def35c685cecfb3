import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { freshGraph, withNode } from "./graph.ts";
import { NO_PROGRESS, NODE_STATUSES, type NodeStatus, type WorkflowProgress } from "./progress.ts";
import { phasesOf } from "./progress.fixture.ts";
import { resumeNodes, takenUp, UNANSWERED, withoutRunning, type RerunAnswer } from "./take-up.ts";
import { anyWorkflow, testNode, testPhase, testWorkflow } from "./workflow.fixture.ts";

const WORKFLOW = testWorkflow([
  testPhase("plan", [testNode("plan")]),
  testPhase("work", [
    testNode("api"),
    testNode("deploy"),
    testNode("lint", { idempotent: true }),
    testNode("wire", { needs: ["deploy"] }),
  ]),
]);
const VERSIONS = { workflow: WORKFLOW, recorded: WORKFLOW };

function progress(statuses: Readonly<Record<string, NodeStatus>>): WorkflowProgress {
  const graph = Object.entries(statuses).reduce(
    (changed, [id, status]) => withNode(changed, id, { status, attempts: 1 }),
    freshGraph(WORKFLOW, "g"),
  );
  return {
    ...NO_PROGRESS,
    phases: phasesOf({ plan: "completed", work: "running" }),
    execution_graph: graph,
  };
}

const KILLED = progress({
  "plan/plan": "completed",
  "work/api": "completed",
  "work/deploy": "running",
  "work/lint": "running",
});

function whats(answer: RerunAnswer, given = KILLED): Record<string, string> {
  const nodes = resumeNodes(given, VERSIONS, answer);
  return Object.fromEntries(nodes.map(({ id, what }) => [id, what]));
}

function statuses(given: WorkflowProgress): Record<string, string> {
  const nodes = Object.entries(given.execution_graph?.nodes ?? {});
  return Object.fromEntries(nodes.map(([id, { status }]) => [id, status]));
}

describe("resumeNodes", () => {
  it("asks about what was running, unless the workflow answers for it", () => {
    expect(whats(UNANSWERED)).toEqual({
      "plan/plan": "kept",
      "work/api": "kept",
      "work/deploy": "ask",
      "work/lint": "run_again",
      "work/wire": "run",
    });
  });

  it.each<[string, RerunAnswer, string]>([
    ["by its name", { again: ["deploy"], left: [], rest: "ask" }, "run_again"],
    ["by its id", { again: [], left: ["work/deploy"], rest: "again" }, "left"],
    ["with the rest", { again: [], left: [], rest: "left" }, "left"],
    ["not at all", { again: ["other"], left: [], rest: "ask" }, "ask"],
  ])("takes an answer %s", (_, answer, what) => {
    expect(whats(answer)["work/deploy"]).toBe(what);
  });

  it("runs nothing of a phase that the workflow has passed over", () => {
    const over = {
      ...progress({ "work/deploy": "failed" }),
      phases: phasesOf({ plan: "completed", work: "failed" }).map((phase) =>
        phase.name === "work" ? { ...phase, passed_over: true } : phase,
      ),
    };
    expect(whats(UNANSWERED, over)).toMatchObject({ "work/deploy": "kept", "work/wire": "kept" });
  });
});

describe("takenUp", () => {
  it("[R79] leaves what is done, and makes pending what runs again", () => {
    const answer: RerunAnswer = { again: ["deploy"], left: [], rest: "ask" };
    expect(statuses(takenUp(KILLED, VERSIONS, answer))).toEqual({
      "plan/plan": "completed",
      "work/api": "completed",
      "work/deploy": "pending",
      "work/lint": "pending",
      "work/wire": "pending",
    });
  });

  it("passes over what somebody leaves, so that what needs it can run", () => {
    const left = takenUp(KILLED, VERSIONS, { again: [], left: [], rest: "left" });
    expect(statuses(left)["work/deploy"]).toBe("skipped");
  });

  it("takes over another version of the workflow", () => {
    const workflow = testWorkflow([
      testPhase("plan", [testNode("plan"), testNode("review")]),
      testPhase("work", [testNode("api"), testNode("ship", { needs: ["api"] })]),
    ]);
    const adopted = takenUp(KILLED, { workflow, recorded: WORKFLOW }, UNANSWERED);
    expect(statuses(adopted)).toEqual({
      "plan/plan": "completed",
      "plan/review": "pending",
      "work/api": "completed",
      "work/ship": "pending",
    });
    expect(adopted.phases.map(({ status }) => status)).toEqual(["pending", "running"]);
  });

  it("[R79] never makes anything of a completed node, whatever is answered", () => {
    const anyStatus = fc.constantFrom(...NODE_STATUSES);
    const anyAnswer = fc.record({
      again: fc.constant([]),
      left: fc.constant([]),
      rest: fc.constantFrom("again", "left", "ask" as const),
    }) as fc.Arbitrary<RerunAnswer>;
    fc.assert(
      fc.property(anyWorkflow, fc.array(anyStatus), anyAnswer, (workflow, given, answer) => {
        const fresh = freshGraph(workflow, "g");
        const graph = Object.keys(fresh.nodes).reduce(
          (changed, id, at) => withNode(changed, id, { status: given[at] ?? "pending" }),
          fresh,
        );
        const before = {
          ...NO_PROGRESS,
          phases: phasesOf({ work: "running" }),
          execution_graph: graph,
        };
        const after = takenUp(before, { workflow, recorded: workflow }, answer);
        for (const [id, { status }] of Object.entries(graph.nodes)) {
          const now = after.execution_graph?.nodes[id]?.status;
          expect(now).not.toBe("running");
          if (status === "completed" || status === "pending") expect(now).toBe(status);
        }
      }),
    );
  });
});

describe("withoutRunning", () => {
  it("leaves no phase running, and says why", () => {
    const { phases } = withoutRunning(KILLED);
    expect(phases.map(({ status, error }) => [status, error])).toEqual([
      ["completed", null],
      ["pending", "its process ended while it ran"],
    ]);
  });
});
