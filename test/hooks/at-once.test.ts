/** Several agents, and several tools of one agent, at the same time. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DiskAgentMemory } from "../../src/adapters/agents/disk-agent-memory.ts";
import { openGitProject } from "../../src/app.ts";
import { readPayload } from "../../src/domain/agents/read-payload.ts";
import { agentHook } from "../../src/operations/hooks/agent-hook.ts";
import { RuleProject } from "../spec/project.ts";
import { HookedProject, withHooks } from "./hooked-project.ts";

describe("at the same time", () => {
  it("loses nothing when two agents and their helpers change one work tree", async () => {
    await withHooks(async (hooked) => {
      const { repo } = hooked.project;
      const sessions = ["claude-1", "claude-2"].map((id) => hooked.as(id));
      await Promise.all(sessions.map((session) => session.prompt("go")));
      const work = async (session: HookedProject, n: number): Promise<void> => {
        await session.write(`${session.session}-${n}.txt`);
        await repo.write(`${session.session}-${n}.txt`, `${n}\n`);
      };
      for (const round of [0, 1]) {
        await Promise.all(
          sessions.flatMap((session) => [
            work(session, 2 * round),
            work(session, 2 * round + 1),
            session.prompt(`turn of round ${round}`),
          ]),
        );
      }
      await Promise.all(sessions.map((session) => session.call("Stop")));
      expect(hooked.remembered("failures.ndjson")).toEqual([]);
      const steps = hooked.steps();
      expect(steps.filter((step) => step.moment === "pre_tool")).toHaveLength(8);
      for (const { session } of sessions) {
        const turns = steps.filter(
          (step) => step.agent_session_id === session && step.moment === "prompt",
        );
        expect(new Set(turns.map((step) => step.turn))).toEqual(new Set([1, 2, 3]));
      }
      const checkpoints = await hooked.checkpoints();
      const ids = new Set(checkpoints.map((each) => each.id));
      for (const step of steps) expect(ids).toContain(step.checkpoint_id);
      const { json } = await hooked.project.ok("validate");
      expect(json).toMatchObject({ invalid: 0 });
      await repo.git("fsck", "--strict");
      await repo.store("fsck", "--strict");

      // The last one holds all that both have written.
      await repo.remove("claude-1-0.txt");
      await repo.remove("claude-2-3.txt");
      await hooked.project.rollBack(checkpoints.at(-1)?.id ?? "");
      for (const { session } of sessions)
        for (const n of [0, 1, 2, 3]) expect(await repo.exists(`${session}-${n}.txt`)).toBe(true);
    });
  });

  it("keeps linked work trees apart, also for a session that moves between them", async () => {
    await withHooks(async (hooked) => {
      const { repo } = hooked.project;
      await repo.git("worktree", "add", "-q", "../linked");
      const linked = new HookedProject(new RuleProject(repo.at("linked")));
      await Promise.all([hooked.write("a.txt"), linked.write("a.txt")]);
      await linked.project.repo.write("only-there.txt", "x\n");
      await Promise.all([hooked.write("b.txt"), linked.write("b.txt")]);
      const trees = (await hooked.checkpoints()).map((each) => each.worktree_id);
      expect(trees.filter((id) => id === "main")).toHaveLength(1);
      expect(trees.filter((id) => id.startsWith("linked-"))).toHaveLength(2);
      expect(hooked.steps()).toHaveLength(2);
    });
  });

  it("[R121] goes on without its turn when the one before takes too long", async () => {
    await withHooks(async (hooked) => {
      const memory = new DiskAgentMemory(join(hooked.root, ".git/waymark/agents"));
      const turn = await memory.takeTurn(0);
      expect(turn).toBeDefined();
      const payload = {
        session_id: "session-1",
        hook_event_name: "PreToolUse",
        tool_name: "Write",
        tool_input: { file_path: join(hooked.root, "a.txt"), content: "x" },
      };
      const event = readPayload("claude", undefined, payload, {});
      if (event === undefined) throw new Error("the payload was not read");
      const project = await openGitProject({ directory: hooked.root });
      const reply = await agentHook(project, {
        event,
        paths: ["a.txt"],
        // How long the rest takes is not what this is about.
        deadline: new Promise<never>(() => undefined),
        timeLeft: () => 400,
      });
      project.close();
      expect(reply).toEqual({ reply: {}, isNew: true });
      expect(hooked.steps()).toHaveLength(1);
      expect(await hooked.checkpoints()).toHaveLength(1);
      turn?.release();
    });
  });

  it("leaves nothing half done when it is killed at any time", async () => {
    await withHooks(async (hooked) => {
      const { repo } = hooked.project;
      await hooked.write("a.txt");
      for (let n = 0; n < 8; n++) {
        await repo.write("a.txt", `${n}\n`.repeat(1000));
        const fields = { tool_name: "Bash", tool_input: { command: "x" }, tool_use_id: `k${n}` };
        await hooked.as("killed").killed("PreToolUse", fields, 60 + 45 * n);
      }
      expect(await hooked.write("a.txt")).toBe("");
      const checkpoints = await hooked.checkpoints();
      expect((await hooked.project.ok("validate")).json).toMatchObject({ invalid: 0 });
      await repo.git("fsck", "--strict");
      await repo.store("fsck", "--strict");
      await repo.write("a.txt", "lost\n");
      await hooked.project.rollBack(checkpoints.at(-1)?.id ?? "");
      expect((await repo.read("a.txt")).toString()).toBe("7\n".repeat(1000));
    });
  });
});
