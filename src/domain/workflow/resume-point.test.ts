import { describe, expect, it } from "vitest";
import { graphOf, phasesOf } from "./progress.fixture.ts";
import { NO_PROGRESS, type WorkflowProgress } from "./progress.ts";
import { resumePoint } from "./resume-point.ts";

function at(progress: Partial<WorkflowProgress>): unknown {
  const point = resumePoint({ ...NO_PROGRESS, ...progress });
  return point && [point.name, point.node, point.words];
}

const PHASES = phasesOf({ plan: "completed", implement: "running", test: "pending" });

describe("where a workflow goes on", () => {
  it("is nowhere without one", () => {
    expect(resumePoint(undefined)).toBeNull();
    expect(at({})).toBeNull();
  });

  it("is the first phase that is not done, whatever the order of the list", () => {
    expect(at({ phases: PHASES.toReversed() })).toEqual(["phase_2", null, "phase implement"]);
    expect(at({ phases: phasesOf({ plan: "skipped", implement: "failed" }) })).toEqual([
      "phase_2",
      null,
      "phase implement",
    ]);
  });

  it("is behind a failed phase that the workflow went on from", () => {
    const phases = phasesOf({ plan: "failed", implement: "completed", test: "pending" });
    expect(at({ phases, current_phase: "implement" })).toEqual(["phase_3", null, "phase test"]);
    expect(at({ phases, current_phase: "test" })).toEqual(["phase_3", null, "phase test"]);
  });

  it("is the end when everything is done", () => {
    const phases = phasesOf({ plan: "completed", test: "skipped" });
    expect(at({ phases })).toEqual(["end", null, "nothing is left to run"]);
  });

  it("is the first node of a batch that is not done", () => {
    const graph = graphOf("implement", {
      nodes: { model: "completed", api: "unknown", ui: "pending" },
      batches: [["model"], ["model", "api", "ui"]],
    });
    expect(at({ phases: PHASES, execution_graph: graph })).toEqual([
      "batch_2_task_2",
      "implement/api",
      "phase implement (node api)",
    ]);
  });

  it("prefers the batch that it was in", () => {
    const graph = graphOf("implement", {
      nodes: { a: "failed", b: "pending" },
      batches: [["a"], ["b"]],
    });
    const progress = { phases: PHASES, execution_graph: { ...graph, current_batch: 2 } };
    expect(at(progress)).toEqual(["batch_2_task_1", "implement/b", expect.any(String)]);
  });

  it("is the next batch for nodes that are in none, and there the first that waits for nobody", () => {
    const graph = graphOf("implement", {
      nodes: { model: "completed", wire: "pending", api: "pending" },
      needs: { wire: ["api"], api: ["model"] },
      batches: [["model"]],
    });
    expect(at({ phases: PHASES, execution_graph: graph })).toEqual([
      "batch_2_task_1",
      "implement/api",
      "phase implement (node api)",
    ]);
  });

  it("is the phase itself when all of its nodes are done, and takes no node of another phase", () => {
    const done = graphOf("implement", { nodes: { api: "completed" }, batches: [["api"]] });
    expect(at({ phases: PHASES, execution_graph: done })).toEqual([
      "phase_2",
      null,
      "phase implement",
    ]);
    const other = graphOf("test", { nodes: { unit: "pending" }, batches: [["unit"]] });
    expect(at({ phases: PHASES, execution_graph: other })).toEqual([
      "phase_2",
      null,
      "phase implement",
    ]);
  });
});
