import { describe, expect, it } from "vitest";
import { adoptDefinition, adoptPhases, freshPhases } from "./adopt-definition.ts";
import { freshGraph, nextBatch, withNode } from "./graph.ts";
import { testNode, testPhase, testWorkflow } from "./workflow.fixture.ts";

const before = testWorkflow([
  testPhase("plan", [testNode("plan")]),
  testPhase("work", [testNode("api"), testNode("old"), testNode("wire", { needs: ["old"] })]),
]);
const now = testWorkflow([
  testPhase("check", [testNode("check")]),
  testPhase("plan", [testNode("plan")]),
  testPhase("work", [testNode("api"), testNode("wire", { needs: ["api"] }), testNode("new")]),
]);
const graph = ["plan/plan", "work/api"].reduce(
  (changed, id) => withNode(changed, id, { status: "completed", result: { from: id } }),
  freshGraph(before, "g"),
);

describe("adoptDefinition", () => {
  it("keeps what is done, drops what is gone, adds what is new", () => {
    const adopted = adoptDefinition(graph, now);
    expect(
      Object.entries(adopted.nodes).map(([id, { status, needs }]) => [id, status, needs]),
    ).toEqual([
      ["check/check", "pending", []],
      ["plan/plan", "completed", []],
      ["work/api", "completed", []],
      ["work/wire", "pending", ["api"]],
      ["work/new", "pending", []],
    ]);
    expect(adopted.nodes["work/api"]?.result).toEqual({ from: "work/api" });
    expect(adopted.graph_id).toBe("g");
    expect(nextBatch(adopted, "work")).toEqual(["work/wire", "work/new"]);
  });

  it("changes nothing where nothing changed, whatever the nodes are in", () => {
    const reached = (["failed", "unknown", "running", "skipped"] as const).reduce(
      (changed, status, at) =>
        withNode(changed, Object.keys(graph.nodes)[at] ?? "", { status, attempts: at }),
      graph,
    );
    expect(adoptDefinition(reached, before)).toEqual(reached);
  });
});

describe("adoptPhases", () => {
  const phases = freshPhases(before).map((phase) => ({
    ...phase,
    status: "completed" as const,
    attempts: 1,
    completed_at: "2026-11-15T18:45:30.000Z",
    checkpoint_after: `cp-${phase.name}`,
  }));

  it("counts the steps anew and takes up a completed phase that got new nodes", () => {
    expect(
      adoptPhases(phases, graph, now).map(
        ({ name, step, status, completed_at, checkpoint_after }) => [
          name,
          step,
          status,
          completed_at !== null,
          checkpoint_after,
        ],
      ),
    ).toEqual([
      ["check", 1, "pending", false, null],
      ["plan", 2, "completed", true, "cp-plan"],
      ["work", 3, "pending", false, "cp-work"],
    ]);
  });

  it("leaves a skipped phase skipped", () => {
    const skipped = phases.map((phase) => ({ ...phase, status: "skipped" as const }));
    expect(adoptPhases(skipped, graph, now).map(({ status }) => status)).toEqual([
      "pending",
      "skipped",
      "skipped",
    ]);
  });
});
