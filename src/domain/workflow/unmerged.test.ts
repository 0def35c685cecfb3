import { describe, expect, it } from "vitest";
import { NO_PROGRESS, type WorkflowProgress } from "./progress.ts";
import { neededToMerge, unmergedNodes } from "./unmerged.ts";

function progress(status: string, merged: boolean, more: object = {}): WorkflowProgress {
  const isolated = { checkpoint_id: "cp-result", base_id: "cp-base", merged };
  const node = { name: "api", phase: "implement", status: "completed", isolated };
  return {
    ...NO_PROGRESS,
    phases: [{ name: "implement", step: 1, status }],
    execution_graph: { nodes: { "implement/api": node }, batches: [], current_batch: 1 },
    ...more,
  } as unknown as WorkflowProgress;
}

describe("what is to be merged", () => {
  it("is what completed nodes of a phase that goes on left", () => {
    expect(unmergedNodes(progress("running", false))).toEqual(["implement/api"]);
    expect([...neededToMerge(progress("running", false))]).toEqual(["cp-result", "cp-base"]);
  });

  it("is still needed when it is merged, until the phase is over: the merge may be undone", () => {
    expect(unmergedNodes(progress("running", true))).toEqual([]);
    expect([...neededToMerge(progress("running", true))]).toEqual(["cp-result", "cp-base"]);
    expect([...neededToMerge(progress("completed", true))]).toEqual([]);
  });

  it("has both sides of a conflict that waits", () => {
    const open_conflict = { node: "api", paths: [], start_id: "cp-start", merged_id: "cp-merged" };
    const needed = neededToMerge(progress("running", false, { open_conflict }));
    expect([...needed]).toEqual(["cp-result", "cp-base", "cp-start", "cp-merged"]);
  });
});
