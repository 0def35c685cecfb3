import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { adoptDefinition } from "./adopt-definition.ts";
import type { Rerun } from "./definition.ts";
import { freshGraph, freshNode, withNode } from "./graph.ts";
import { NODE_STATUSES, type NodeStatus } from "./progress.ts";
import { mayRunAgain, planResume } from "./resume-plan.ts";
import { anyWorkflow, testNode, testPhase, testWorkflow } from "./workflow.fixture.ts";

const LOST = "it was running when its process ended";

describe("mayRunAgain", () => {
  it.each<[NodeStatus, Rerun | null, boolean, string, string]>([
    ["failed", "always", false, "yes", "failed with exit code 2; it may always run again"],
    ["failed", "if-idempotent", true, "yes", "failed with exit code 2; it is idempotent"],
    [
      "failed",
      "if-idempotent",
      false,
      "ask",
      "failed with exit code 2; it is not marked idempotent: your decision",
    ],
    ["failed", "ask", true, "ask", "failed with exit code 2; the workflow asks first"],
    ["failed", null, false, "yes", "failed with exit code 2"],
    ["unknown", "always", false, "yes", `${LOST}; it may always run again`],
    ["unknown", "if-idempotent", true, "yes", `${LOST}; it is idempotent`],
    [
      "unknown",
      "if-idempotent",
      false,
      "ask",
      `${LOST}; it is not marked idempotent: your decision`,
    ],
    ["unknown", "ask", false, "ask", `${LOST}; the workflow asks first`],
    [
      "unknown",
      null,
      false,
      "ask",
      `${LOST}; it is not marked as safe to run twice: your decision`,
    ],
    ["pending", null, false, "yes", "it has not run yet"],
    ["running", "always", true, "no", "it is running"],
    ["completed", "always", true, "no", "completed"],
    ["skipped", "always", true, "no", "skipped"],
  ])("%s, rerun %s, idempotent %s: %s", (status, rerun, idempotent, kind, why) => {
    const definition = testNode("api", { rerun, idempotent });
    const node = { ...freshNode("work", definition), status, exit_code: 2 };
    expect(mayRunAgain(node, definition)).toEqual({ kind, why });
  });

  it("tells one that somebody ended from one that failed by itself", () => {
    const definition = testNode("api", { rerun: "always" });
    const node = { ...freshNode("work", definition), status: "failed" as const, exit_code: 3 };
    const why = (ended_as: string, error: string): string =>
      mayRunAgain({ ...node, ended_as, error }, definition).why;
    expect(why("interrupted", "interrupted")).toBe("interrupted; it may always run again");
    expect(why("timed_out", "the time was over after 1 second")).toBe(
      "ended: the time was over after 1 second; it may always run again",
    );
    expect(why("failed", "exit code 3")).toBe("failed with exit code 3; it may always run again");
  });

  it("says why it failed when no exit code does", () => {
    const definition = testNode("api");
    const node = { ...freshNode("work", definition), status: "failed" as const };
    expect(mayRunAgain(node, definition).why).toBe("failed");
    expect(mayRunAgain({ ...node, error: "it took too long" }, definition).why).toBe(
      "failed: it took too long",
    );
    expect(mayRunAgain({ ...node, exit_code: 0, error: "output x: gone" }, definition).why).toBe(
      "failed: output x: gone",
    );
  });
});

describe("planResume", () => {
  const before = testWorkflow([
    testPhase("plan", [testNode("plan")]),
    testPhase("work", [
      testNode("api"),
      testNode("ui", { idempotent: true, rerun: "if-idempotent" }),
      testNode("docs"),
      testNode("wire", { needs: ["api", "ui"] }),
    ]),
  ]);
  const graph = (
    [
      ["plan/plan", "completed"],
      ["work/api", "unknown"],
      ["work/ui", "unknown"],
      ["work/docs", "failed"],
    ] as const
  ).reduce((changed, [id, status]) => withNode(changed, id, { status }), freshGraph(before, "g"));

  it("has a reason for each node, in the order of the workflow", () => {
    expect(planResume(graph, before)).toEqual([
      { id: "plan/plan", what: "kept", why: "completed" },
      {
        id: "work/api",
        what: "ask",
        why: `${LOST}; it is not marked as safe to run twice: your decision`,
      },
      { id: "work/ui", what: "run_again", why: `${LOST}; it is idempotent` },
      { id: "work/docs", what: "run_again", why: "failed" },
      { id: "work/wire", what: "run", why: "it waits for api and ui" },
    ]);
  });

  it("says what changed in the file: completed nodes do not run again all the same", () => {
    const now = testWorkflow([
      testPhase("plan", [testNode("plan", { run: "./other.sh" })]),
      testPhase("work", [
        testNode("api"),
        testNode("wire", { needs: ["api"], cwd: "app" }),
        testNode("tests"),
      ]),
    ]);
    expect(planResume(graph, now, before)).toEqual([
      {
        id: "plan/plan",
        what: "kept",
        why: "completed; its run changed since, and it does not run again",
      },
      expect.objectContaining({ id: "work/api", what: "ask" }),
      { id: "work/wire", what: "changed", why: "its needs and cwd changed in the workflow file" },
      { id: "work/tests", what: "added", why: "it is new in the workflow file" },
      { id: "work/ui", what: "removed", why: "the workflow file no longer has it" },
      { id: "work/docs", what: "removed", why: "the workflow file no longer has it" },
    ]);
  });

  it("[R77] never plans to run a completed node, whatever the workflow file says now", () => {
    fc.assert(
      fc.property(
        anyWorkflow,
        anyWorkflow,
        fc.array(fc.constantFrom(...NODE_STATUSES), { minLength: 12, maxLength: 12 }),
        (recorded, now, statuses) => {
          const fresh = freshGraph(recorded, "g");
          const ids = Object.keys(fresh.nodes);
          const reached = ids.reduce(
            (changed, id, at) => withNode(changed, id, { status: statuses[at] ?? "pending" }),
            fresh,
          );
          const plan = planResume(reached, now, recorded);
          const adopted = adoptDefinition(reached, now);
          for (const { id, what } of plan) {
            if (reached.nodes[id]?.status !== "completed") continue;
            expect(["kept", "removed"]).toContain(what);
            if (what === "kept") expect(adopted.nodes[id]?.status).toBe("completed");
          }
          // Each node of both is named once.
          const planned = plan.map(({ id }) => id);
          expect(planned.toSorted()).toEqual(
            [...new Set([...ids, ...Object.keys(adopted.nodes)])].toSorted(),
          );
        },
      ),
    );
  });
});
