/** Phases and nodes of a workflow on real git, with real commands. */
import { describe, expect, it } from "vitest";
import { field, items } from "../support/json.ts";
import { withRunning } from "./running.ts";

const statuses = (events: readonly { readonly status: string }[]): string[] =>
  events.map(({ status }) => status);

describe("a workflow", () => {
  it("runs its phases in order, each node with its variables, and is completed", async () => {
    await withRunning(async (running) => {
      const print =
        'echo "$WAYMARK_PHASE $WAYMARK_STEP $WAYMARK_NODE $WAYMARK_ATTEMPT $A $B $C" >> out';
      const result = await running.run(
        [
          { name: "plan", run: print, env: { B: "phase" } },
          {
            name: "implement",
            nodes: [
              { name: "wire", run: print, needs: ["api"], env: { C: "node", A: "inner" } },
              { name: "api", run: print },
            ],
          },
        ],
        {},
        { env: { A: "flow" }, task: "task-12", issue: 42 },
      );
      expect(result).toMatchObject({ status: "completed", exitCode: 0, resumeCommand: null });
      expect(await running.read("out")).toBe(
        "plan 1 plan 1 flow phase \nimplement 2 api 1 flow  \nimplement 2 wire 1 inner  node\n",
      );
      const session = await running.session(result.sessionId);
      expect(session).toMatchObject({
        status: "completed",
        last_error: null,
        lease: { holder: null },
        workflow: {
          current_phase: "implement",
          current_step: 2,
          iteration_count: 1,
          phases: [
            { name: "plan", status: "completed", attempts: 1 },
            { name: "implement", status: "completed", attempts: 1 },
          ],
          execution_graph: {
            nodes: {
              "plan/plan": { status: "completed", exit_code: 0 },
              "implement/api": { status: "completed", exit_code: 0 },
              "implement/wire": { status: "completed", exit_code: 0 },
            },
            completed_batches: [1, 2, 3],
          },
        },
      });
      // Success cleans up, so what was taken is told by the events.
      const taken = running.of("checkpoint_created");
      expect(taken.map(({ trigger, phase, step }) => [trigger, phase, step])).toEqual([
        ["pre_phase", "plan", 1],
        ["batch_complete", "plan", 1],
        ["post_phase", "plan", 1],
        ["pre_phase", "implement", 2],
        ["batch_complete", "implement", 2],
        ["batch_complete", "implement", 2],
        ["post_phase", "implement", 2],
        ["session_end", "implement", 2],
      ]);
      const documents = await running.checkpoints(result.sessionId);
      expect(documents.at(-1)).toMatchObject({ task_id: "task-12", issue_number: 42 });
    });
  });

  it("keeps where it began: after success a rollback to its first phase finds it", async () => {
    await withRunning(async (running) => {
      const { rules } = running;
      const flow = await running.workflowFile([
        { name: "research", run: "echo r > research.txt" },
        { name: "implement", run: "echo i > code.txt" },
      ]);
      await rules.ok("run", flow);
      const { json } = await rules.ok("cleanup", "--dry-run");
      const kept = items(json, "kept").map((one) => field(one, "reason"));
      expect(kept).toContain("the start of its session");
      for (const start of ["phase:research", "start"]) {
        await rules.ok("rollback", start, "--yes");
        expect(await rules.repo.exists("research.txt")).toBe(false);
        expect(await rules.repo.exists("code.txt")).toBe(false);
        await rules.ok("undo", "--yes");
        expect(await rules.repo.exists("code.txt")).toBe(true);
      }
    });
  });

  it("[R95] runs a node again from the checkpoint before its batch", async () => {
    await withRunning(async (running) => {
      // What the first attempt leaves is gone in the second; the count is outside of the project.
      const line =
        'echo x >> ../count; test ! -e half; echo half > half; test "$(wc -l < ../count)" -gt 1';
      const result = await running.run([{ name: "implement", run: line, retries: 2 }]);
      expect(result.status).toBe("completed");
      expect(statuses(running.of("node_finished"))).toEqual(["failed", "completed"]);
      expect(running.of("node_retrying")).toMatchObject([
        {
          attempt: 2,
          reason: "exit code 1",
          checkpoint_id: running.of("batch_started")[0]?.checkpoint_id,
        },
      ]);
      const session = await running.session(result.sessionId);
      expect(session.workflow?.execution_graph?.nodes["implement/implement"]).toMatchObject({
        status: "completed",
        attempts: 2,
      });
      expect(session.workflow?.phases[0]).toMatchObject({ attempts: 1, status: "completed" });
      expect(session.history).toHaveLength(1);
    });
  });

  it("runs the whole batch again, because the rollback took the work of all its nodes back", async () => {
    await withRunning(async (running) => {
      const result = await running.run([
        {
          name: "implement",
          retries: 1,
          nodes: [
            { name: "good", run: "echo good > good; echo x >> ../good-count" },
            { name: "bad", run: 'echo x >> ../count; test "$(wc -l < ../count)" -gt 1' },
          ],
        },
      ]);
      expect(result.status).toBe("completed");
      expect(await running.read("../good-count")).toBe("x\nx\n");
      expect(await running.read("good")).toBe("good\n");
    });
  });

  it("stops at a phase that fails, says how to roll back, and can be looked at", async () => {
    await withRunning(async (running) => {
      const result = await running.run([
        { name: "implement", run: "echo broken > b.txt; echo the last word; exit 3" },
        { name: "validate", run: "touch never" },
      ]);
      expect(result).toMatchObject({ status: "failed", exitCode: 1 });
      expect(result.reason).toBe("phase implement failed: exit code 3");
      expect(result.hint).toContain("the last word");
      expect(result.hint).toMatch(/\.git\/waymark\/runs\/\S+\.log/);
      expect(result.rollbackCommand).toMatch(
        /^waymark rollback cp-01-implement-\S+ --yes --discard-commits$/,
      );
      expect(await running.read("b.txt")).toBe("broken\n");
      const session = await running.session(result.sessionId);
      expect(session).toMatchObject({
        status: "failed",
        last_error: { phase: "implement", node: "implement" },
        workflow: { phases: [{ status: "failed" }, { status: "pending" }] },
      });
      const words = (result.rollbackCommand ?? "").split(" ").slice(1);
      await running.rules.ok(...words);
      expect(await running.read("b.txt")).toBe("beta\n");
    });
  });
});
