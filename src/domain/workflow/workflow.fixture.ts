/** Workflows for tests, and random ones. */
import fc from "fast-check";
import type { Workflow, WorkflowNode, WorkflowPhase } from "./definition.ts";

export function testNode(name: string, more: Partial<WorkflowNode> = {}): WorkflowNode {
  return {
    name,
    run: `./${name}.sh`,
    needs: [],
    isolate: null,
    rerun: null,
    idempotent: false,
    env: {},
    cwd: null,
    timeoutMs: null,
    retries: 0,
    outputs: {},
    agent: null,
    result: null,
    ...more,
  };
}

export function testPhase(
  name: string,
  nodes: readonly WorkflowNode[],
  more: Partial<WorkflowPhase> = {},
): WorkflowPhase {
  return {
    name,
    step: 1,
    modifies: null,
    breakpoint: false,
    onFail: "stop",
    nodes,
    resolver: null,
    verify: [],
    retries: 0,
    retryDelayMs: 0,
    timeoutMs: null,
    outputs: {},
    metrics: null,
    env: {},
    cwd: null,
    ...more,
  };
}

/** Steps are counted through. */
export function testWorkflow(
  phases: readonly WorkflowPhase[],
  more: Partial<Workflow> = {},
): Workflow {
  return {
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
    phases: phases.map((phase, at) => ({ ...phase, step: at + 1 })),
    ...more,
  };
}

/** One phase `work` whose nodes need only nodes before them, so there is no cycle; their order in the file is another. */
export const anyWorkflow: fc.Arbitrary<Workflow> = fc
  .array(fc.array(fc.nat({ max: 11 }), { maxLength: 4 }), { minLength: 1, maxLength: 12 })
  .chain((wishes) => {
    const nodes = wishes.map((needs, at) =>
      testNode(`n${at}`, {
        needs: [...new Set(needs.filter((need) => need < at))].map((need) => `n${need}`),
      }),
    );
    return fc.shuffledSubarray(nodes, { minLength: nodes.length });
  })
  .map((nodes) => testWorkflow([testPhase("work", nodes)]));
