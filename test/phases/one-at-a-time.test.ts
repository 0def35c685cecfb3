/** While a phase runs in a work tree, nobody else runs one there, and nobody pulls its files away. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { openGitProject } from "../../src/app.ts";
import { withPhase } from "../../src/index.ts";
import { type RuleProject, withSeed } from "../spec/project.ts";
import {
  bin,
  cliEnvironment,
  type CliResult,
  expectExit,
  waymarkArguments,
} from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";

const UNTIL_TOLD = "echo work > made.txt; touch started; while [ ! -e go ]; do sleep 0.05; done";

/** Runs `body` while a phase is running. */
async function whileRunning(project: RuleProject, body: () => Promise<void>): Promise<CliResult> {
  const { root } = project.repo;
  const running = project.run("phase", "implement", "--", "sh", "-c", UNTIL_TOLD);
  try {
    while (!existsSync(join(root, "started"))) await wait(20);
    await body();
  } finally {
    await writeFile(join(root, "go"), "");
  }
  return running;
}

describe("while a phase runs", () => {
  it("[R94] no rollback takes its files away, whichever session it is booked on", async () => {
    await withSeed(async (project) => {
      const { root } = project.repo;
      await project.repo.write("kept.txt", "kept\n");
      const first = await project.create();
      const ended = await whileRunning(project, async () => {
        const tried: string[][] = [
          ["rollback", first, "--yes", "--session", "worktree-main"],
          ["rollback", first, "--yes"],
        ];
        for (const args of tried) {
          const refused = await project.run(...args);
          expect({ args, code: field(refused.json, "error", "code") }).toEqual({
            args,
            code: "session_held",
          });
        }
        const other = await project.ok("session", "start", "--type", "other");
        const refused = await project.run("rollback", first, "--yes");
        expect(field(refused.json, "error", "code")).toBe("session_held");
        // [R94] Nor does another session run here meanwhile.
        const second = await project.run("phase", "validate", "--", "true");
        expect(field(second.json, "error", "code")).toBe("session_held");
        expect(text(other.json, "session", "status")).toBe("active");
        await project.repo.remove("kept.txt");
        await project.ok("rollback", first, "--yes", "--paths", "kept.txt");
        expect(await readFile(join(root, "made.txt"), "utf8")).toBe("work\n");
      });
      expectExit(ended, 0);
    });
  });

  it("cleanup and delete leave the checkpoint that it would go back to", async () => {
    await withSeed(async (project) => {
      await project.create();
      const ended = await whileRunning(project, async () => {
        const { json } = await project.ok("list");
        const before = items(json, "checkpoints").find(
          (one) => field(one, "trigger") === "pre_phase",
        );
        const id = text(before, "id");
        await project.repo.write("a.txt", "a\n");
        await project.create("--trigger", "auto");
        await project.repo.write("a.txt", "b\n");
        await project.create("--trigger", "auto");
        const cleaned = await project.ok("cleanup", "--keep", "1", "--older-than", "1s");
        expect(JSON.stringify(field(cleaned.json, "removed"))).not.toContain(id);
        const refused = await project.run("delete", id, "--yes", "--now");
        expect(field(refused.json, "error", "code")).toBe("checkpoint_protected");
        await project.ok("show", id);
      });
      expectExit(ended, 0);
    });
  });

  it("a rollback that it does itself says that only files come back", async () => {
    await withSeed(async (project) => {
      await project.ok("phase", "plan", "--modifies", "--", "sh", "-c", "echo plan > plan.txt");
      const words = [process.execPath, bin, "rollback", "phase:plan", "--yes"];
      const step = `${words.map((word) => `'${word}'`).join(" ")} > out.log`;
      await project.ok("phase", "validate", "--", "sh", "-c", step);
      expect(existsSync(join(project.repo.root, "plan.txt"))).toBe(false);
      const said = await readFile(join(project.repo.root, "out.log"), "utf8");
      expect(said).toContain("only files are restored");
      expect(said).not.toContain("taken back");
      const { json } = await project.ok("session", "show");
      expect(items(json, "session", "phases").map((one) => field(one, "status"))).toEqual([
        "completed",
        "completed",
      ]);
    });
  });

  it("what a killed one left running does not go on beside the next", async () => {
    await withSeed(async (project) => {
      const { root, env } = project.repo;
      const step = "while true; do echo old >> left.txt; sleep 0.05; done";
      const args = waymarkArguments(root, "phase", "plan", "--", "sh", "-c", step);
      const killed = spawn(process.execPath, args, { env: cliEnvironment(env), stdio: "ignore" });
      const gone = once(killed, "exit");
      while (!existsSync(join(root, "left.txt"))) await wait(20);
      killed.kill("SIGKILL");
      await gone;
      const refused = await project.run("phase", "plan", "--", "true");
      expectExit(refused, 5);
      await project.ok("phase", "plan", "--resume", "--", "sh", "-c", "echo new > left.txt");
      await wait(300);
      expect(await readFile(join(root, "left.txt"), "utf8")).toBe("new\n");
    });
  });

  it("one that was interrupted is asked about like one that was killed", async () => {
    await withSeed(async (project) => {
      const { root, env } = project.repo;
      const args = waymarkArguments(root, "phase", "plan", "--", "sh", "-c", UNTIL_TOLD);
      const stopped = spawn(process.execPath, args, { env: cliEnvironment(env), stdio: "ignore" });
      const gone = once(stopped, "exit");
      while (!existsSync(join(root, "started"))) await wait(20);
      stopped.kill("SIGTERM");
      expect(await gone).toEqual([130, null]);
      const refused = await project.run("phase", "validate", "--", "touch", "ran");
      expectExit(refused, 5);
      expect(text(refused.json, "error", "hint")).toContain("--resume");
      expect(existsSync(join(root, "ran"))).toBe(false);
      await project.ok("phase", "plan", "--resume", "--", "true");
      await project.ok("phase", "validate", "--", "true");
    });
  });

  it("one that takes too long leaves a checkpoint of what it did", async () => {
    await withSeed(async (project) => {
      const step = "echo half > half.txt; sleep 30";
      const late = await project.run("phase", "plan", "--timeout", "3s", "--", "sh", "-c", step);
      expectExit(late, 1);
      expect(late.json).toMatchObject({ status: "failed", timed_out: true });
      const id = text(late.json, "checkpoint_interrupt");
      const { json } = await project.ok("show", id);
      expect(field(json, "checkpoint", "trigger")).toBe("session_end");
      expect(
        await project.repo.store("cat-file", "blob", `refs/waymark/cp/${id}:worktree/half.txt`),
      ).toBe("half\n");
    });
  });

  it("[R94] of several that begin at once one runs at a time", async () => {
    await withSeed(async (project) => {
      const log = join(project.repo.home, "log");
      const step = `echo in >> "${log}"; sleep 0.3; echo out >> "${log}"`;
      const ended = await Promise.all(
        ["one", "two", "three"].map((name) => project.run("phase", name, "--", "sh", "-c", step)),
      );
      for (const result of ended) expectExit(result, 0, 6);
      const lines = (await readFile(log, "utf8")).trim().split("\n");
      expect(lines.filter((_, at) => at % 2 === 0).every((line) => line === "in")).toBe(true);
      const { json } = await project.ok("session", "list", "--all");
      const started = items(json, "sessions").filter((one) => field(one, "implicit") === false);
      expect(started).toHaveLength(1);
    });
  });
});

describe("the end of a session", () => {
  it("comes back with undo: when it ended and was put away, too", async () => {
    await withSeed(async (project) => {
      const started = await project.ok("session", "start", "--type", "t");
      const id = text(started.json, "session", "id");
      const checkpoint = await project.create("--name", "here");
      await project.repo.write("more.txt", "more\n");
      await project.ok("session", "fail");
      const before = (await project.ok("session", "show", id)).json;
      await project.ok("rollback", checkpoint, "--yes", "--session", id);
      const between = (await project.ok("session", "show", id)).json;
      expect(between).toMatchObject({
        session: { status: "paused", ended_at: null, archived_at: null },
      });
      await project.ok("undo", "--yes");
      const after = (await project.ok("session", "show", id)).json;
      for (const name of ["status", "ended_at", "archived_at"]) {
        expect({ [name]: field(after, "session", name) }).toEqual({
          [name]: field(before, "session", name),
        });
      }
    });
  });

  it("is no matter of undo while it goes on: it is as active as it was", async () => {
    await withSeed(async (project) => {
      await project.ok("session", "start", "--type", "t");
      const checkpoint = await project.create("--name", "here");
      await project.repo.write("more.txt", "more\n");
      await project.ok("rollback", checkpoint, "--yes");
      await project.ok("undo", "--yes");
      const { json } = await project.ok("session", "show");
      expect(text(json, "session", "status")).toBe("active");
    });
  });
});

describe("undo", () => {
  it("says so when the rollback was one of another session", async () => {
    await withSeed(async (project) => {
      await project.ok("session", "start", "--type", "a", "--id", "first");
      const id = await project.create("--name", "here");
      await project.repo.write("more.txt", "more\n");
      await project.ok("rollback", id, "--yes");
      await project.ok("session", "complete");
      await project.ok("session", "start", "--type", "b", "--id", "second");
      const undone = await project.ok("undo", "--yes");
      expect(text(undone.json, "session_id")).toBe("first");
    });
  });
});

describe("withPhase", () => {
  it("with wrong arguments is refused in a few words", async () => {
    await withSeed(async (seed) => {
      const project = await openGitProject({ directory: seed.repo.root });
      try {
        const wrong: unknown = Reflect.apply(withPhase, undefined, [project, "implement", () => 1]);
        await expect(wrong).rejects.toMatchObject({
          code: "usage",
          message: "withPhase: the first argument is not a name",
        });
      } finally {
        project.close();
      }
    });
  });
});

describe("the observer", () => {
  it("takes no checkpoint for a session that nobody runs, and offers no resume of one that is over", async () => {
    await withSeed(async (project) => {
      await project.ok("session", "start", "--type", "t", "--id", "over");
      await project.ok("session", "complete");
      const before = await project.repo.storeRefs("refs/waymark");
      for (const command of ["*retry-cp", "*abort"]) {
        const refused = await project.run("observe", command, "--session", "over");
        expect(field(refused.json, "error", "code")).toBe("session_status");
        expect(text(refused.json, "error", "hint")).not.toContain("*resume");
      }
      expect(await project.repo.storeRefs("refs/waymark")).toBe(before);
    });
  });
});
