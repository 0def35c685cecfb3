/** What fails in a workflow, and what becomes of it. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Failure } from "../../src/domain/failure.ts";
import { saveMeanwhile } from "../support/save-meanwhile.ts";
import { withRunning } from "./running.ts";

/** What has ended and was not waited for is still in the list of processes. */
function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
}

describe("a phase that fails", () => {
  it("is taken back with `on_fail: rollback`, commits too, and can be run again from there", async () => {
    await withRunning(async (running) => {
      const head = await running.rules.repo.git("rev-parse", "HEAD");
      const line =
        "echo x > x; git add -A; git -c user.name=n -c user.email=e@x commit -qm x; exit 2";
      const result = await running.run([
        { name: "plan", run: "echo plan > plan.txt" },
        { name: "implement", run: line, on_fail: "rollback" },
      ]);
      expect(result).toMatchObject({ status: "failed", exitCode: 1, rollbackCommand: null });
      expect(await running.rules.repo.exists("x")).toBe(false);
      expect(await running.rules.repo.git("rev-parse", "HEAD")).toBe(head);
      expect(await running.read("plan.txt")).toBe("plan\n");
      expect(running.of("rolled_back")).toMatchObject([
        {
          checkpoint_id: running
            .of("checkpoint_created")
            .findLast(({ trigger }) => trigger === "pre_phase")?.checkpoint_id,
          commits_left: [{ branch: "refs/heads/main", subject: "x" }],
        },
      ]);
      expect(await running.session(result.sessionId)).toMatchObject({
        status: "failed",
        workflow: {
          phases: [{ status: "completed" }, { status: "failed", attempts: 1 }],
          execution_graph: { nodes: { "implement/implement": { status: "pending", attempts: 1 } } },
        },
      });
    });
  });

  it("says how long it took and shows the error among the last lines, also when it was rolled back", async () => {
    await withRunning(async (running) => {
      const frames = 'for n in 1 2 3 4 5 6 7 8; do echo "  at frame $n" >&2; done';
      const result = await running.run([
        {
          name: "implement",
          run: `sleep 0.3; echo begun; echo "Error: boom" >&2; ${frames}; exit 3`,
          on_fail: "rollback",
        },
      ]);
      const [finished] = running.of("phase_finished");
      expect(finished?.duration_ms).toBeGreaterThanOrEqual(300);
      const lines = result.hint?.split("\n") ?? [];
      expect(lines.slice(0, 4)).toEqual([
        "Last lines of output:",
        "  begun",
        "  Error: boom",
        "    at frame 1",
      ]);
      expect(lines).toContainEqual(expect.stringMatching(/^Full log: /));
      expect(lines.at(-1)).toBe(
        "The phase's changes were rolled back; `waymark undo` restores them.",
      );
    });
  });

  it("[R7] reports what somebody saved while it was taken back, and holds it in a checkpoint", async () => {
    await withRunning(async (running) => {
      await running.write("other.txt", "old\n");
      saveMeanwhile(running.project, () => running.write("other.txt", "saved meanwhile\n"));
      const result = await running.run([
        { name: "implement", run: "echo broke > other.txt; exit 1", on_fail: "rollback" },
      ]);
      expect(await running.read("other.txt")).toBe("saved meanwhile\n");
      expect(running.of("rolled_back")).toMatchObject([
        { kept: [{ path: "other.txt", reason: "changed_meanwhile", kept_at: "its path" }] },
      ]);
      expect(running.of("warning")).toMatchObject([
        {
          phase: "implement",
          message:
            "other.txt was changed by another process meanwhile; that content is kept at its path",
        },
      ]);
      expect((await running.checkpoints(result.sessionId)).at(-1)).toMatchObject({
        id: result.checkpointId,
        trigger: "session_end",
      });
    });
  });

  it("[R7] starts a retry from a checkpoint of what somebody saved meanwhile", async () => {
    await withRunning(async (running) => {
      await running.write("other.txt", "old\n");
      saveMeanwhile(running.project, () => running.write("other.txt", "saved meanwhile\n"));
      const run = "test -e ../once && exit 0; touch ../once; echo broke > other.txt; exit 1";
      const result = await running.run([{ name: "implement", run, retries: 1 }]);
      expect(result.status).toBe("completed");
      expect(running.of("rolled_back")[0]?.kept).toMatchObject([{ path: "other.txt" }]);
      const [first, second] = running.of("batch_started");
      expect(first?.checkpoint_id).toBe(running.of("rolled_back")[0]?.checkpoint_id);
      expect(second?.checkpoint_id).not.toBe(first?.checkpoint_id);
    });
  });

  it.each([
    ["`on_fail: rollback`", { on_fail: "rollback" }, "and could not be rolled back: "],
    ["a retry of its nodes", { retries: 1 }, "and could not be rolled back for another attempt: "],
    [
      "a retry of its own",
      { retries: 1, run: "true", verify: "echo broke > broke.txt; touch .git/index.lock; exit 1" },
      "and could not be rolled back for another attempt: ",
    ],
  ])("says that and how to go back when %s cannot take it back", async (_what, more, words) => {
    await withRunning(async (running) => {
      const run = "echo broke > broke.txt; touch .git/index.lock; exit 1";
      const result = await running.run([{ name: "implement", modifies: true, run, ...more }]);
      const [before] = running.of("checkpoint_created");
      expect(result).toMatchObject({
        status: "failed",
        exitCode: 1,
        rollbackCommand: `waymark rollback ${before?.checkpoint_id ?? ""} --yes --discard-commits`,
      });
      expect(result.reason).toMatch(/^phase implement failed: .*exit code 1, and could/);
      expect(result.reason).toContain(words);
      expect(result.reason).toContain("index.lock");
      expect(result.hint).toContain("About the rollback: Wait for it to finish.");
      expect(running.of("rolled_back")).toEqual([]);
      expect(running.of("phase_finished")).toMatchObject([{ status: "failed" }]);
      expect(await running.read("broke.txt")).toBe("broke\n");
      expect(await running.session(result.sessionId)).toMatchObject({
        status: "failed",
        workflow: { phases: [{ status: "failed", error: expect.stringContaining(words) }] },
      });
    });
  });

  it("says that nothing was taken back when there is no checkpoint before it", async () => {
    await withRunning(async (running) => {
      const { checkpoints } = running.project;
      checkpoints.publish = () =>
        Promise.reject(new Failure("disk_full", "no space is left", { hint: "Free some." }));
      const result = await running.run(
        [{ name: "implement", run: "echo broke > broke.txt; exit 1", on_fail: "rollback" }],
        { onCheckpointFailure: "skip" },
      );
      expect(result.rollbackCommand).toBe(null);
      expect(result.reason).toContain("and could not be rolled back: there is no checkpoint");
    });
  });

  it("is passed over with `on_fail: continue`, and recorded as failed", async () => {
    await withRunning(async (running) => {
      const result = await running.run([
        { name: "lint", run: "exit 1", on_fail: "continue" },
        { name: "plan", run: "touch done" },
      ]);
      expect(result).toMatchObject({ status: "completed", exitCode: 0, passedOver: ["lint"] });
      expect(await running.rules.repo.exists("done")).toBe(true);
      expect((await running.session(result.sessionId)).workflow?.phases[0]).toMatchObject({
        status: "failed",
        error: "exit code 1",
      });
    });
  });

  it("is tried again as a whole when its check fails, from the checkpoint before it", async () => {
    await withRunning(async (running) => {
      const result = await running.run([
        {
          name: "implement",
          retries: 1,
          nodes: [
            { name: "a", run: "test ! -e made && echo made > made && echo x >> ../count" },
            { name: "b", run: "echo second > second", needs: ["a"] },
          ],
          verify: ["test -e second", 'test "$(wc -l < ../count)" -gt 1'],
        },
      ]);
      expect(result.status).toBe("completed");
      const checks = running.of("verify_finished").map(({ ok }) => ok);
      expect(checks).toEqual([true, false, true, true]);
      const session = await running.session(result.sessionId);
      expect(session.workflow?.phases[0]).toMatchObject({ attempts: 2, status: "completed" });
      expect(session.workflow?.execution_graph?.nodes["implement/a"]).toMatchObject({
        attempts: 2,
      });
    });
  });

  it("does not run what needs a node that failed, and lets its neighbours end", async () => {
    await withRunning(async (running) => {
      const result = await running.run([
        {
          name: "implement",
          nodes: [
            { name: "bad", run: "exit 9" },
            { name: "slow", run: "sleep 0.5; echo slow > slow" },
            { name: "after", run: "touch never", needs: ["bad"] },
          ],
        },
      ]);
      expect(result.reason).toBe("phase implement failed: bad: exit code 9");
      expect(await running.read("slow")).toBe("slow\n");
      expect(await running.rules.repo.exists("never")).toBe(false);
    });
  });

  it("ends what takes too long, with everything that it started", async () => {
    await withRunning(async (running) => {
      const result = await running.run([
        {
          name: "implement",
          nodes: [{ name: "slow", run: "sleep 60 & echo $! > ../pid; wait", timeout: "3s" }],
        },
      ]);
      expect(result.reason).toBe(
        "phase implement failed: slow: the time limit was reached after 3 seconds",
      );
      expect(running.of("node_finished")).toMatchObject([{ status: "timed_out" }]);
      expect(isRunning(Number(await running.read("../pid")))).toBe(false);
    });
  });

  it("ends a phase that takes too long, its checks too", async () => {
    await withRunning(async (running) => {
      const result = await running.run([
        { name: "implement", run: "true", verify: ["sleep 60"], timeout: "3s" },
      ]);
      expect(result.reason).toContain("the time limit of the phase was reached after 3 seconds");
    });
  });

  it.each([
    [
      "a file that is not there",
      { outputs: { spec: "no/spec.md" } },
      "output spec: no/spec.md: there is no such file",
    ],
    [
      "JSON that is none",
      { outputs: { spec: { file: "a.txt", json: true } } },
      "output spec: a.txt: it is not JSON",
    ],
    [
      "no JSON on stdout",
      { outputs: { answer: { stdout: "json" } } },
      "output answer: its output is not JSON",
    ],
  ])("fails for its outputs: %s", async (_, more, reason) => {
    await withRunning(async (running) => {
      const result = await running.run([{ name: "plan", run: "echo hello", ...more }]);
      expect(result.status).toBe("failed");
      expect(result.reason).toContain(reason);
    });
  });

  it("fails when a node leaves no JSON in its state, and when its folder is not there", async () => {
    await withRunning(async (running) => {
      const broken = await running.run([{ name: "plan", run: "echo '{half' > $WAYMARK_STATE" }]);
      expect(broken.reason).toContain("the state (WAYMARK_STATE): it is not JSON");
      const nowhere = await running.run([{ name: "plan", run: "true", cwd: "nowhere" }]);
      expect(nowhere.reason).toContain("no such folder");
    });
  });
});
