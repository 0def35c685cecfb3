import { describe, expect, it } from "vitest";
import { DEFAULT_CONFIG } from "../config.ts";
import type { Workflow, WorkflowNode, WorkflowPhase } from "./definition.ts";
import { planRun } from "./run-plan.ts";

type SomeNode = Pick<WorkflowNode, "name" | "needs" | "isolate">;

const phase = (name: string, nodes: readonly SomeNode[]): WorkflowPhase =>
  ({
    name,
    step: 1,
    modifies: null,
    nodes,
    verify: [],
    retries: 0,
    timeoutMs: null,
    breakpoint: false,
    onFail: "stop",
  }) as unknown as WorkflowPhase;

const workflow = (...phases: readonly WorkflowPhase[]): Workflow =>
  ({ phases }) as unknown as Workflow;

describe("the plan of a run", () => {
  it("has the batches of each phase and where checkpoints are taken", () => {
    const nodes: SomeNode[] = [
      { name: "wire", needs: ["api", "ui"], isolate: null },
      { name: "api", needs: [], isolate: "worktree" },
      { name: "ui", needs: [], isolate: null },
    ];
    const plan = planRun(
      workflow(
        phase("plan", nodes.slice(2)),
        phase("review", nodes.slice(2)),
        phase("implement", nodes),
      ),
      DEFAULT_CONFIG,
    );
    expect(plan).toMatchObject([
      {
        name: "plan",
        modifies: false,
        pre_checkpoint: "yes",
        post_checkpoint: true,
        batches: [["ui"]],
      },
      { name: "review", modifies: false, pre_checkpoint: "no" },
      {
        name: "implement",
        modifies: true,
        pre_checkpoint: "yes",
        batches: [["api", "ui"], ["wire"]],
        isolated: ["api"],
      },
    ]);
  });

  it("knows what depends on the work tree, and what the triggers turn off", () => {
    const node = { name: "x", needs: [], isolate: null };
    const one = workflow(phase("plan", [node]), phase("validate", [node]));
    const smart = { ...DEFAULT_CONFIG, strategy: "smart" as const };
    expect(planRun(one, smart)).toMatchObject([
      { pre_checkpoint: "yes" },
      { pre_checkpoint: "if_dirty" },
    ]);
    const off = {
      ...DEFAULT_CONFIG,
      triggers: { ...DEFAULT_CONFIG.triggers, phaseTransition: false },
    };
    expect(planRun(one, off)[0]).toMatchObject({ pre_checkpoint: "no", post_checkpoint: false });
  });
});
