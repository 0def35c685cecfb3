import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Workflow } from "./definition.ts";
import {
  afterCrash,
  beginBatch,
  endBatch,
  freshGraph,
  nextBatch,
  pendingAgain,
  unreachableNodes,
  withNode,
} from "./graph.ts";
import { NODE_STATUSES, type ExecutionGraph, type NodeStatus } from "./progress.ts";
import { anyWorkflow, testNode, testPhase, testWorkflow } from "./workflow.fixture.ts";

const AT = "2026-11-15T18:45:30.000Z";

const diamond = testWorkflow([
  testPhase("plan", [testNode("plan")]),
  testPhase("work", [
    testNode("wire", { needs: ["api", "ui"] }),
    testNode("api"),
    testNode("ui"),
    testNode("ship", { needs: ["wire"] }),
  ]),
]);

function at(graph: ExecutionGraph, statuses: Readonly<Record<string, NodeStatus>>): ExecutionGraph {
  return Object.entries(statuses).reduce(
    (changed, [id, status]) => withNode(changed, id, { status }),
    graph,
  );
}

const anyGraph = anyWorkflow.chain((workflow) =>
  fc.array(fc.constantFrom(...NODE_STATUSES), { minLength: 12, maxLength: 12 }).map((statuses) => {
    const graph = freshGraph(workflow, "g");
    const ids = Object.keys(graph.nodes);
    return {
      workflow,
      graph: at(graph, Object.fromEntries(ids.map((id, n) => [id, statuses[n] ?? "pending"]))),
    };
  }),
);

/** Runs every batch; `fails` says which nodes do. The order in which they ran, batch by batch. */
function runAll(workflow: Workflow, fails: (id: string) => boolean) {
  let graph = freshGraph(workflow, "g");
  const ran: string[][] = [];
  for (;;) {
    const batch = nextBatch(graph, "work");
    if (batch.length === 0) return { graph, ran };
    graph = beginBatch(graph, { phase: "work", nodes: batch, at: AT, checkpointBefore: null });
    ran.push(batch);
    for (const id of batch) {
      graph = withNode(graph, id, { status: fails(id) ? "failed" : "completed" });
    }
    graph = endBatch(graph, batch.some(fails) ? "failed" : "completed", AT);
  }
}

describe("freshGraph", () => {
  it("has every node by id, pending, in the order of the file", () => {
    const graph = freshGraph(diamond, "graph-1");
    expect(graph).toMatchObject({ graph_id: "graph-1", batches: [], current_batch: null });
    expect(Object.keys(graph.nodes)).toEqual([
      "plan/plan",
      "work/wire",
      "work/api",
      "work/ui",
      "work/ship",
    ]);
    expect(graph.nodes["work/wire"]).toMatchObject({
      name: "wire",
      phase: "work",
      needs: ["api", "ui"],
      status: "pending",
      attempts: 0,
    });
  });
});

describe("nextBatch", () => {
  it("has what waits for nothing, of that phase only", () => {
    const graph = freshGraph(diamond, "g");
    expect(nextBatch(graph, "work")).toEqual(["work/api", "work/ui"]);
    expect(nextBatch(graph, "plan")).toEqual(["plan/plan"]);
    expect(nextBatch(graph, "nowhere")).toEqual([]);
  });

  it("goes on after completed and skipped ones, not after the others", () => {
    const graph = freshGraph(diamond, "g");
    const done = at(graph, { "work/api": "completed", "work/ui": "skipped" });
    expect(nextBatch(done, "work")).toEqual(["work/wire"]);
    for (const status of ["running", "failed", "unknown"] as const) {
      expect(nextBatch(at(done, { "work/ui": status }), "work")).toEqual([]);
    }
  });

  it("runs each node once, after all that it needs, and ends when all are done", () => {
    fc.assert(
      fc.property(anyWorkflow, (workflow) => {
        const { graph, ran } = runAll(workflow, () => false);
        const order = ran.flat();
        expect(order.toSorted()).toEqual(Object.keys(graph.nodes).toSorted());
        for (const [batchAt, batch] of ran.entries()) {
          const before = new Set(ran.slice(0, batchAt).flat());
          for (const id of batch) {
            for (const need of graph.nodes[id]?.needs ?? [])
              expect(before).toContain(`work/${need}`);
          }
        }
        expect(graph.completed_batches).toEqual(ran.map((_, n) => n + 1));
        expect(graph.current_batch).toBeNull();
      }),
    );
  });

  it("names only nodes that are pending and whose needs are behind them, whatever the graph is in", () => {
    fc.assert(
      fc.property(anyGraph, ({ graph }) => {
        for (const id of nextBatch(graph, "work")) {
          const node = graph.nodes[id];
          expect(node?.status).toBe("pending");
          for (const need of node?.needs ?? []) {
            expect(["completed", "skipped"]).toContain(graph.nodes[`work/${need}`]?.status);
          }
        }
      }),
    );
  });
});

describe("unreachableNodes", () => {
  it("says which failed node is in the way, also through others", () => {
    const graph = at(freshGraph(diamond, "g"), { "work/api": "failed", "work/ui": "completed" });
    expect(unreachableNodes(graph, "work")).toEqual([
      { id: "work/wire", failed: ["work/api"], why: "it needs api, which failed" },
      { id: "work/ship", failed: ["work/api"], why: "it needs api, which failed" },
    ]);
    expect(unreachableNodes(at(graph, { "work/ui": "failed" }), "work")[0]?.why).toBe(
      "it needs api and ui, which failed",
    );
    expect(unreachableNodes(graph, "plan")).toEqual([]);
  });

  it("does not look past what was skipped", () => {
    const graph = at(freshGraph(diamond, "g"), { "work/api": "failed", "work/wire": "skipped" });
    expect(unreachableNodes(graph, "work")).toEqual([]);
    expect(nextBatch(graph, "work")).toEqual(["work/ui", "work/ship"]);
  });

  it("is what is left when everything that can run has run", () => {
    fc.assert(
      fc.property(anyWorkflow, fc.func(fc.boolean()), (workflow, fails) => {
        const { graph } = runAll(workflow, fails);
        const left = Object.keys(graph.nodes).filter((id) => graph.nodes[id]?.status === "pending");
        expect(unreachableNodes(graph, "work").map(({ id }) => id)).toEqual(left);
      }),
    );
  });

  it("and what may run now have nothing in common", () => {
    fc.assert(
      fc.property(anyGraph, ({ graph }) => {
        const never = new Set(unreachableNodes(graph, "work").map(({ id }) => id));
        expect(nextBatch(graph, "work").filter((id) => never.has(id))).toEqual([]);
      }),
    );
  });
});

describe("batches", () => {
  it("are numbered through, and one that is made anew has a number of its own", () => {
    const start = { phase: "work", nodes: ["work/api"], at: AT, checkpointBefore: "cp-1" };
    const failed = endBatch(beginBatch(freshGraph(diamond, "g"), start), "failed", AT);
    const again = beginBatch(failed, start);
    expect(again.batches.map(({ number, status }) => [number, status])).toEqual([
      [1, "failed"],
      [2, "running"],
    ]);
    expect(again).toMatchObject({ current_batch: 2, completed_batches: [] });
    expect(endBatch(again, "completed", AT)).toMatchObject({
      current_batch: null,
      completed_batches: [2],
    });
  });

  it("end only when one has begun", () => {
    const graph = freshGraph(diamond, "g");
    expect(endBatch(graph, "completed", AT)).toBe(graph);
  });
});

describe("pendingAgain", () => {
  it("forgets how it ended, not how often it was begun", () => {
    const graph = withNode(freshGraph(diamond, "g"), "work/api", {
      status: "failed",
      attempts: 2,
      exit_code: 1,
      error: "no",
    });
    expect(pendingAgain(graph, ["work/api"]).nodes["work/api"]).toMatchObject({
      status: "pending",
      attempts: 2,
      exit_code: null,
      error: null,
    });
    expect(pendingAgain(graph, ["work/none"])).toEqual(graph);
  });
});

describe("afterCrash", () => {
  it("nobody knows what was running did, and its batch is over", () => {
    const begun = beginBatch(freshGraph(diamond, "g"), {
      phase: "work",
      nodes: ["work/api", "work/ui"],
      at: AT,
      checkpointBefore: null,
    });
    const graph = afterCrash(at(begun, { "work/api": "running", "work/ui": "completed" }));
    expect(graph.nodes["work/api"]).toMatchObject({
      status: "unknown",
      error: "its process ended while it ran",
    });
    expect(graph.nodes["work/ui"]?.status).toBe("completed");
    expect(graph).toMatchObject({ current_batch: null, batches: [{ status: "failed" }] });
  });

  it("changes nothing but what was running, and nothing the second time", () => {
    fc.assert(
      fc.property(anyGraph, ({ graph }) => {
        const before = structuredClone(graph);
        const after = afterCrash(graph);
        expect(graph).toEqual(before);
        expect(afterCrash(after)).toEqual(after);
        for (const [id, node] of Object.entries(graph.nodes)) {
          if (node.status === "running") expect(after.nodes[id]?.status).toBe("unknown");
          else expect(after.nodes[id]).toEqual(node);
        }
      }),
    );
  });
});
