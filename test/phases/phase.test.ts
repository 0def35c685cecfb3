/** `waymark phase` on real repositories, and `withPhase` of the library. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withPhase } from "../../src/index.ts";
import { type RuleProject, withDirty, withSeed } from "../spec/project.ts";
import {
  cliEnvironment,
  expectExit,
  waymarkArguments,
  waymarkShellCommand,
} from "../support/cli.ts";
import { type CommandResult, runCommand } from "../support/run-command.ts";

interface PhaseDocument {
  session_id: string;
  status: string;
  step: number;
  attempt: number;
  checkpoint_before: string | null;
  checkpoint_after: string | null;
  rollback_command: string | null;
}

async function phase(project: RuleProject, ...args: readonly string[]): Promise<PhaseDocument> {
  return (await project.ok("phase", ...args)).json as PhaseDocument;
}

/** As people see it. */
function talk(project: RuleProject, ...args: readonly string[]): Promise<CommandResult> {
  const { root, env } = project.repo;
  return runCommand(process.execPath, waymarkArguments(root, ...args), {
    env: cliEnvironment(env),
  });
}

async function listed(project: RuleProject): Promise<Record<string, unknown>[]> {
  const { json } = await project.ok("list");
  return (json as { checkpoints: Record<string, unknown>[] }).checkpoints;
}

describe("waymark phase", () => {
  it("takes a checkpoint before and after, in one session for all phases", async () => {
    await withDirty(async (project) => {
      const one = await phase(
        project,
        "implement",
        "--task",
        "task-12",
        "--",
        "sh",
        "-c",
        "echo done > made.txt",
      );
      expect(one).toMatchObject({ kind: "phase", status: "completed", step: 5, attempt: 1 });
      const two = await phase(project, "validate", "--", "true");
      expect(two.session_id).toBe(one.session_id);
      const checkpoints = await listed(project);
      expect(checkpoints.map(({ trigger, phase, task_id }) => [trigger, phase, task_id])).toEqual([
        ["post_phase", "validate", "task-12"],
        ["pre_phase", "validate", "task-12"],
        ["post_phase", "implement", "task-12"],
        ["pre_phase", "implement", "task-12"],
      ]);
      await project.ok("rollback", "phase:implement", "--yes");
      await expect(readFile(join(project.repo.root, "made.txt"))).rejects.toMatchObject({
        code: "ENOENT",
      });
      await project.ok("rollback", one.checkpoint_after ?? "", "--yes");
      expect(await readFile(join(project.repo.root, "made.txt"), "utf8")).toBe("done\n");
    });
  });

  it("takes one before the first phase of a session, whatever its name says", async () => {
    await withSeed(async (project) => {
      await project.repo.write("src/work.txt", "not committed\n");
      await phase(project, "docs", "--", "rm", "-rf", "src");
      const next = await talk(project, "phase", "review", "--", "true");
      expect(next.stderr).toContain(
        "no checkpoint before review (strategy before_modify; --modifies creates one)",
      );
      await project.ok("rollback", "start", "--yes");
      expect(await readFile(join(project.repo.root, "src/work.txt"), "utf8")).toBe(
        "not committed\n",
      );
    });
  });

  it("takes none after a phase that failed, and says how to go back", async () => {
    await withDirty(async (project) => {
      const failed = await talk(
        project,
        "phase",
        "implement",
        "--",
        "sh",
        "-c",
        "echo x > y; exit 3",
      );
      expect(failed.code).toBe(1);
      expect(failed.stderr).toMatch(/error: phase implement failed: exit 3/);
      expect(failed.stderr).toMatch(
        /roll back with: waymark rollback cp-05-implement-\S+ --yes --discard-commits/,
      );
      const again = await phase(project, "implement", "--", "true");
      expect(again.attempt).toBe(2);
      const checkpoints = await listed(project);
      expect(checkpoints.map(({ trigger }) => trigger)).toEqual([
        "post_phase",
        "pre_phase",
        "pre_phase",
      ]);
    });
  });

  it("follows the strategy and the lists of the settings", async () => {
    await withSeed(async (project) => {
      const before = async (name: string, ...options: string[]): Promise<string | null> => {
        const run = [name, ...options, "--", "true"];
        return (await phase(project, ...run)).checkpoint_before;
      };
      expect(await before("assess", "--strategy", "manual")).toBeNull();
      await project.ok("session", "complete");
      const first = await before("assess");
      expect(first).not.toBeNull();
      expect(await before("plan")).toBeNull();
      expect(await before("plan", "--modifies")).not.toBeNull();
      expect(await before("validate", "--strategy", "smart")).toBeNull();
      await writeFile(join(project.repo.root, "new.txt"), "new\n");
      expect(await before("validate", "--strategy", "smart")).not.toBeNull();
      await writeFile(
        join(project.repo.root, "waymark.yml"),
        "phases: {never: [validate], always: [plan]}\n",
      );
      expect(await before("validate")).toBeNull();
      expect(await before("plan", "--strategy", "manual")).not.toBeNull();
    });
  });

  it("runs nothing when no checkpoint can be taken, unless it is told to", async () => {
    await withDirty(async (project) => {
      await project.agreeTo("capture: {max_total_mb: 1}\n");
      await writeFile(join(project.repo.root, "big.bin"), Buffer.alloc(3_000_000, 1));
      const run = ["phase", "implement", "--", "touch", "ran.txt"];
      const stopped = await talk(project, ...run);
      expect(stopped.code).toBe(1);
      await expect(readFile(join(project.repo.root, "ran.txt"))).rejects.toMatchObject({
        code: "ENOENT",
      });
      const skipped = await talk(
        project,
        ...run.slice(0, 2),
        "--on-checkpoint-failure",
        "skip",
        ...run.slice(2),
      );
      expect(skipped.stderr).toMatch(/no rollback to this point will be possible/);
      expect(await readFile(join(project.repo.root, "ran.txt"), "utf8")).toBe("");
    });
  });

  it("runs again a phase that a rollback went back into, without a question", async () => {
    await withSeed(async (project) => {
      const taking = waymarkShellCommand("create", "mid");
      await phase(
        project,
        "implement",
        "--",
        "sh",
        "-c",
        `echo 1 > made.txt; ${taking} > /dev/null`,
      );
      await phase(project, "validate", "--", "true");
      const mid = (await listed(project)).find(({ reason }) => reason === "mid");
      await project.ok("rollback", String(mid?.["id"]), "--yes");
      // It is not the one that comes next.
      expectExit(await project.run("phase", "validate", "--", "true"), 5);
      expect(await phase(project, "implement", "--", "true")).toMatchObject({
        status: "completed",
      });
    });
  });

  it("runs in a session whose steps an orchestrator saves, and interrupts none of them", async () => {
    await withSeed(async (project) => {
      await project.ok("session", "start", "--type", "go-team", "--id", "team");
      await project.ok("session", "save", "--phase", "plan", "--step", "4");
      expect((await project.ok("status")).json).toMatchObject({ stopped: null });
      expect(await phase(project, "implement", "--", "true")).toMatchObject({ session_id: "team" });
      const { json } = await project.ok("session", "show");
      expect((json as { session: unknown }).session).toMatchObject({
        phases: [
          { name: "plan", status: "running", error: null },
          { name: "implement", status: "completed" },
        ],
      });
    });
  });

  it("is the current one of its session before it starts, without the error that a rollback undid", async () => {
    await withSeed(async (project) => {
      const show = async (): Promise<unknown> =>
        ((await project.ok("session", "show")).json as { session: unknown }).session;
      expectExit(await project.run("phase", "implement", "--", "false"), 1);
      expect(await show()).toMatchObject({ last_error: { phase: "implement" } });
      await project.ok("rollback", "phase:implement", "--yes");
      const place = { current_phase: "implement", current_step: 5, phases: [], last_error: null };
      expect(await show()).toMatchObject(place);
      expect((await project.ok("resume")).json).toMatchObject({
        next_phase: { phase: "implement", why: "it has not started" },
      });
      await project.ok("undo", "--yes");
      expect(await show()).toMatchObject({ last_error: { phase: "implement" } });
    });
  });

  it("finds a phase that was cut off, and goes on or begins anew", async () => {
    await withDirty(async (project) => {
      const killed = await talk(project, "phase", "implement", "--", "sh", "-c", "kill -9 $PPID");
      expect(killed.code).not.toBe(0);
      const asked = await talk(project, "phase", "implement", "--", "true");
      expect(asked.code).toBe(5);
      expect(asked.stderr).toMatch(/is unfinished[^]*--resume[^]*--fresh/);
      const resumed = await phase(project, "implement", "--resume", "--", "true");
      expect(resumed.attempt).toBe(2);
      await talk(project, "phase", "implement", "--", "sh", "-c", "kill -9 $PPID");
      const fresh = await phase(project, "implement", "--fresh", "--", "true");
      expect(fresh.session_id).not.toBe(resumed.session_id);
      expect(fresh.attempt).toBe(1);
    });
  });
});

describe("withPhase", () => {
  it("gives back what the function gives, with checkpoints around it", async () => {
    await withDirty(async (project) => {
      const result = await withPhase(
        "implement",
        { task: "task-1", directory: project.repo.root },
        async ({ checkpointId }) => {
          await writeFile(join(project.repo.root, "made.txt"), "made\n");
          return checkpointId;
        },
      );
      expect(result).toMatch(/^cp-05-implement-/);
      await expect(
        withPhase("validate", { directory: project.repo.root }, () => {
          throw new RangeError("no such thing");
        }),
      ).rejects.toMatchObject({
        code: "phase_failed",
        message: "phase validate failed: no such thing",
        hint: expect.stringMatching(/waymark rollback cp-06-validate-/) as string,
        cause: expect.any(RangeError) as RangeError,
      });
      const checkpoints = await listed(project);
      expect(checkpoints).toHaveLength(3);
    });
  });
});
