/** Ctrl+C, signals and kills: the session says how far it came, and nothing is corrupted. */
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { withSeed, type RuleProject } from "../spec/project.ts";
import {
  cliEnvironment,
  expectExit,
  waymark,
  waymarkArguments,
  type CliResult,
} from "../support/cli.ts";
import { hasEnded } from "../support/has-ended.ts";
import { field, items, text } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";
import { interruptingGit } from "../support/interrupting-git.ts";
import { hasTerminal, inTerminal } from "../support/terminal.ts";
import { RunningCommand, writeWorkflow } from "./running-command.ts";

/** A node that saves what it has when it is asked to end. */
const SAVING =
  "trap 'echo saved > saved.txt; exit 7' INT TERM; echo half > b.txt; touch begun; while :; do sleep 0.05; done";

async function session(project: RuleProject): Promise<unknown> {
  const [first] = items((await project.ok("session", "list", "--all")).json, "sessions").filter(
    (listed) => !text(listed, "id").startsWith("worktree-"),
  );
  return field((await project.ok("session", "show", text(first, "id"))).json, "session");
}

async function triggers(project: RuleProject): Promise<string[]> {
  const { json } = await project.ok("list", "--session", text(await session(project), "id"));
  return items(json, "checkpoints").map((checkpoint) => text(checkpoint, "trigger"));
}

describe("an interruption", () => {
  it.each([
    ["SIGINT", "user_interrupt", "interrupted by Ctrl+C"],
    ["SIGTERM", "session_end", "interrupted by SIGTERM"],
  ] as const)(
    "[R92] by %s leaves a %s checkpoint of what nodes saved, and a session to resume",
    async (signal, trigger, reason) => {
      await withSeed(async (project) => {
        await writeWorkflow(project, [{ name: "implement", run: SAVING }]);
        const running = new RunningCommand(project);
        await running.made("begun");
        running.send(signal);
        expect(await running.end()).toBe(130);
        expect((await project.repo.read("saved.txt")).toString()).toBe("saved\n");
        const found = await session(project);
        const id = text(found, "id");
        expect(found).toMatchObject({ status: "interrupted", last_error: { message: reason } });
        expect(field(found, "execution_graph", "nodes", "implement/implement")).toMatchObject({
          status: "failed",
          error: "interrupted",
        });
        expect(await triggers(project)).toContain(trigger);
        const { root, env } = project.repo;
        const log = await runCommand(process.execPath, waymarkArguments(root, "log", "--failed"), {
          env: cliEnvironment(env),
        });
        expect(log.stdout.toString()).toContain("\trun interrupted\t");
        expect(log.stdout.toString()).not.toContain("\trun failed\t");
        expect(running.stderr.trimEnd().split("\n").at(-1)).toBe(
          `resume with: waymark resume ${id}`,
        );
      });
    },
  );

  it("[R92] a node that saves and ends well when it is told to stop runs again after a resume", async () => {
    await withSeed(async (project) => {
      const again = "[ -e begun ] && echo whole > b.txt && exit; touch begun";
      const run = SAVING.replace("exit 7", "exit 0").replace("touch begun", again);
      await writeWorkflow(project, [
        { name: "implement", run },
        { name: "validate", run: "cp b.txt seen.txt" },
      ]);
      const running = new RunningCommand(project);
      await running.made("begun");
      running.send("SIGTERM");
      expect(await running.end()).toBe(130);
      expect(
        field(await session(project), "execution_graph", "nodes", "implement/implement"),
      ).toMatchObject({ status: "failed", error: "interrupted" });
      await project.ok("resume");
      expect((await project.repo.read("seen.txt")).toString()).toBe("whole\n");
    });
  });

  it("leaves a workflow that no checkpoint of create, guard or a hook belongs to until it is resumed", async () => {
    await withSeed(async (project) => {
      await writeWorkflow(project, [
        { name: "plan", run: "touch begun; test -e ../go || exec sleep 30" },
      ]);
      const running = new RunningCommand(project);
      await running.made("begun");
      running.send("SIGINT");
      expect(await running.end()).toBe(130);
      const id = text(await session(project), "id");
      await project.ok("create", "-m", "mine", "--force");
      await project.ok("guard", "--verify", "true", "--", "true");
      const { json } = await project.ok("list");
      const [guarded, mine] = items(json, "checkpoints");
      for (const taken of [guarded, mine]) {
        expect(taken).toMatchObject({ phase: null, step: null });
        expect(text(taken, "session_id")).toMatch(/^worktree-/);
      }
      expect(text((await project.ok("status")).json, "session_id")).toBe(id);
      await project.ok("create", "-m", "for it", "--force", "--session", id);
      expect(items((await project.ok("list")).json, "checkpoints")[0]).toMatchObject({
        session_id: id,
        phase: "plan",
      });
      await project.repo.write("../go", "");
      await project.ok("resume", "--accept-changes");
      expect(await session(project)).toMatchObject({ id, status: "completed" });
    });
  });

  it("[R92] a second one while it stops leaves the same", async () => {
    await withSeed(async (project) => {
      const deaf = "trap '' INT TERM; touch begun; while :; do sleep 0.1; done";
      await writeWorkflow(project, [{ name: "implement", run: deaf }]);
      const running = new RunningCommand(project);
      await running.made("begun");
      running.send("SIGINT");
      await sleep(700);
      running.send("SIGINT");
      expect(await running.end()).toBe(130);
      expect(await session(project)).toMatchObject({ status: "interrupted" });
      expect(await triggers(project)).toContain("user_interrupt");
    });
  });

  it("[R92] one that reaches the whole process group does not end the gits of a rollback", async () => {
    await withSeed(async (project) => {
      const among = await interruptingGit(project.repo, 3);
      const run = `echo half > b.txt; false`;
      await writeWorkflow(project, [{ name: "implement", run, on_fail: "rollback", retries: 1 }]);
      const before = await project.repo.read("b.txt");
      const running = new RunningCommand(among);
      expect({ code: await running.end(), said: running.stderr }).toMatchObject({ code: 130 });
      expect((await project.repo.read("b.txt")).toString()).toBe(before.toString());
      expect(await session(project)).toMatchObject({ status: "interrupted" });
    });
  });

  it.skipIf(!hasTerminal)(
    "[R92] Ctrl+C in a terminal reaches the node, and the last line says how to resume",
    async () => {
      await withSeed(async (project) => {
        await writeWorkflow(project, [
          { name: "implement", run: SAVING.replace("touch begun", "echo be''gun") },
        ]);
        const { code, screen } = await inTerminal(
          project.repo.root,
          ["run", "wf.yml"],
          [{ see: "begun", type: "\u0003" }],
          project.repo.env,
          50,
        );
        expect(code).toBe(130);
        expect((await project.repo.read("saved.txt")).toString()).toBe("saved\n");
        const id = text(await session(project), "id");
        expect(screen.trimEnd().endsWith(`waymark resume ${id}`)).toBe(true);
        expect(await triggers(project)).toContain("user_interrupt");
      });
    },
  );

  it.skipIf(!hasTerminal)(
    "a failure is said once in a terminal, with its log and the commands to go on or back",
    async () => {
      await withSeed(async (project) => {
        await writeWorkflow(project, [{ name: "implement", run: "echo broken; exit 3" }]);
        const { root, env } = project.repo;
        const plain = { ...env, NO_COLOR: "1" };
        const { code, screen } = await inTerminal(root, ["run", "wf.yml"], [], plain, 120);
        expect(code).toBe(1);
        const id = text(await session(project), "id");
        const end = screen.slice(screen.lastIndexOf("✖ implement")).split("\r\n").slice(1);
        const shown = end.map((line) =>
          line
            .replaceAll("\u001B[K", "")
            .replaceAll("\u001B[J", "")
            .replace(/\b[0-9a-f]{4}$/, "<id>"),
        );
        expect(shown).toEqual([
          "0/1  <id>",
          "failed: phase implement (exit code 3)",
          "Last lines of output:",
          "  broken",
          `Full log: .git/waymark/runs/${id}/01-implement.1.log`,
          "roll back with: waymark rollback <id>",
          `resume with: waymark resume ${id}`,
          "",
        ]);
        expect(screen.match(/exit code 3/g)).toHaveLength(1);
      });
    },
  );

  it.skipIf(!hasTerminal)(
    "asks at a breakpoint in a terminal, and goes on at [Enter]",
    async () => {
      await withSeed(async (project) => {
        await writeWorkflow(project, [
          { name: "plan", run: "true", breakpoint: true },
          { name: "implement", run: "touch done" },
        ]);
        const { code, screen } = await inTerminal(
          project.repo.root,
          ["run", "wf.yml"],
          [
            { see: "plan> ", type: "*what\r" },
            { see: "plan> ", type: "\r" },
          ],
          project.repo.env,
          40,
        );
        expect(code).toBe(0);
        expect(screen).toContain("unknown command *what");
        expect(await project.repo.exists("done")).toBe(true);
      });
    },
  );

  it("is resumed: what is done stays done, and the node that was ended runs again", async () => {
    await withSeed(async (project) => {
      const second = "echo x >> ../second; touch begun; test -e ../go || exec sleep 30";
      await writeWorkflow(project, [
        { name: "plan", run: "echo x >> ../first" },
        { name: "implement", run: second },
      ]);
      const running = new RunningCommand(project);
      await running.made("begun");
      running.send("SIGINT");
      expect(await running.end()).toBe(130);
      const stopped = await session(project);
      const { root, env } = project.repo;
      const page = await runCommand(
        process.execPath,
        waymarkArguments(root, "session", "show", text(stopped, "id")),
        { env: cliEnvironment(env) },
      );
      expect(page.stdout.toString()).toContain("■ 2 implement (stopped)");
      expect(page.stdout.toString()).not.toContain("running");
      await project.repo.write("../go", "");
      const refused = await project.run("run", "wf.yml");
      expectExit(refused, 5);
      const again = new RunningCommand(project, "--resume", "--json");
      expect(await again.end()).toBe(0);
      const ended = again.events().findLast(({ event }) => event === "phase_finished");
      const sinceStop =
        Date.parse(text(ended, "at")) - Date.parse(text(field(stopped, "last_error"), "at"));
      expect(field(ended, "duration_ms")).toBeLessThanOrEqual(sinceStop);
      expect((await project.repo.read("../first")).toString()).toBe("x\n");
      expect((await project.repo.read("../second")).toString()).toBe("x\nx\n");
      expect(await session(project)).toMatchObject({ status: "completed" });
    });
  });
});

describe("two runs at once", () => {
  it("[R94] are refused in one work tree, also of different workflows, with exit code 6", async () => {
    await withSeed(async (project) => {
      await writeWorkflow(project, [{ name: "implement", run: "touch begun; sleep 30" }]);
      await project.repo.write(
        "other.yml",
        JSON.stringify({ name: "other", phases: [{ name: "plan", run: "touch never" }] }),
      );
      const running = new RunningCommand(project);
      await running.made("begun");
      expectExit(await project.run("run", "wf.yml"), 6);
      const other = await project.run("run", "other.yml");
      expectExit(other, 6);
      expect(text(other.json, "error", "code")).toBe("session_held");
      running.send("SIGTERM");
      await running.end();
      expect(await project.repo.exists("never")).toBe(false);
    });
  });

  it("[R94] that start in the same moment: one of them runs", async () => {
    await withSeed(async (project) => {
      const untilTold = "echo x >> ../count; until test -e ../go; do sleep 0.05; done";
      await writeWorkflow(project, [{ name: "implement", run: untilTold }]);
      const both = [new RunningCommand(project), new RunningCommand(project)];
      const ends = both.map((each) => each.end());
      expect(await Promise.race(ends)).toBe(6);
      await project.repo.write("../go", "");
      expect(new Set(await Promise.all(ends))).toEqual(new Set([0, 6]));
      expect((await project.repo.read("../count")).toString()).toBe("x\n");
    });
  });
});

describe("kill -9", () => {
  it("[R93] what the killed run left running is ended before anything runs again", async () => {
    await withSeed(async (project) => {
      const line =
        "echo x >> ../count; echo $$ > ../pid; touch begun; test -e ../go || { sleep 600; true; }";
      await writeWorkflow(project, [
        { name: "implement", nodes: [{ name: "one", run: line, rerun: "always" }] },
      ]);
      const running = new RunningCommand(project);
      await running.made("begun");
      running.send("SIGKILL");
      await running.end();
      const pid = Number((await project.repo.read("../pid")).toString());
      expect(hasEnded(pid)).toBe(false);
      await project.repo.write("../go", "");
      const again = new RunningCommand(project, "resume", "--accept-changes");
      expect(await again.end()).toBe(0);
      expect(again.stderr).toContain("left running by a killed run");
      expect(hasEnded(pid)).toBe(true);
      expect((await project.repo.read("../count")).toString()).toBe("x\nx\n");
    });
  });

  /** Kills a run whose isolated node begins with this line. */
  async function killIsolated(project: RuleProject, line: string): Promise<void> {
    const run = `echo $$ > ${project.repo.base}/pid; pwd > ${project.repo.base}/place; ${line}`;
    await writeWorkflow(project, [
      { name: "implement", nodes: [{ name: "api", run, isolate: "worktree" }] },
    ]);
    const running = new RunningCommand(project);
    await running.made("../begun");
    running.send("SIGKILL");
    await running.end();
    await project.repo.write(
      "other.yml",
      JSON.stringify({ name: "other", phases: [{ name: "plan", run: "true" }] }),
    );
  }

  it("[R93] a node that the killed run left is ended before its work tree goes, and where its work is is said", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      // The shell says that it was told to end, and nobody reads that any more.
      const saving = `exec 2> /dev/null; trap 'echo saved > saved.txt; exit 7' TERM; touch ${repo.base}/begun`;
      await killIsolated(project, `${saving}; while :; do sleep 0.05; done`);
      const pid = Number((await repo.read("../pid")).toString());
      expect(hasEnded(pid)).toBe(false);
      const { stdout } = await project.ok("run", "other.yml");
      expect(hasEnded(pid)).toBe(true);
      const id = /the work of api is in (cp-[\w-]+)/.exec(stdout.toString())?.[1] ?? "nowhere";
      expect(await repo.store("cat-file", "blob", `refs/waymark/cp/${id}:worktree/saved.txt`)).toBe(
        "saved\n",
      );
      expect((await repo.git("worktree", "list")).trim().split("\n")).toHaveLength(1);
    });
  });

  it("[R93] a work tree in which a process of nobody still works stays, and is named", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const loop = `echo x > stray.txt; echo $$ > ${repo.base}/stray; touch ${repo.base}/begun; exec sleep 600`;
      await killIsolated(project, `setsid env -i PATH="$PATH" sh -c '${loop}' & wait`);
      const stray = Number((await repo.read("../stray")).toString());
      const place = (await repo.read("../place")).toString().trim();
      const fix = (): Promise<CliResult> =>
        waymark(repo.root, ["doctor", "--fix"], { env: repo.env, hasOwnProcess: true });
      try {
        const said = `process ${stray} still works in it`;
        expect((await project.ok("run", "other.yml")).stdout.toString()).toContain(said);
        const doctor = await fix();
        expect(doctor.stdout.toString()).toContain(said);
        expect(existsSync(`${place}/stray.txt`)).toBe(true);
      } finally {
        process.kill(stray);
      }
      while (!hasEnded(stray)) await sleep(10);
      const fixed = await fix();
      expect(fixed.stdout.toString()).toContain("the work of api is in cp-");
      expect((await repo.git("worktree", "list")).trim().split("\n")).toHaveLength(1);
    });
  });

  it("[R93] at any moment leaves a session that can be read, valid checkpoints, and one that can be taken up", async () => {
    await withSeed(async (project) => {
      await writeWorkflow(
        project,
        [
          { name: "plan", run: "echo plan > plan.txt", rerun: "always" },
          { name: "implement", run: "echo implement > b.txt", retries: 1, verify: ["true"] },
        ].map(({ rerun, run, name, ...rest }) => ({
          ...rest,
          name,
          nodes: [{ name, run, rerun: rerun ?? "always" }],
        })),
      );
      const goOn = ["resume", "--accept-changes"];
      let killedAt = 100;
      let kills = 0;
      // On a busy machine the first ones may be killed before they have written anything.
      const next = async (): Promise<RunningCommand> => {
        const isBegun = (await project.repo.storeRefs("refs/waymark/session")) !== "";
        return new RunningCommand(project, ...(isBegun ? goOn : []));
      };
      for (let round = 0; round < 10; round++) {
        const running = await next();
        const ended = running.end();
        const first = await Promise.race([ended, sleep(killedAt, "late" as const)]);
        if (first !== "late") {
          // The round before may have been killed after its last write and before its end: nothing is left to resume.
          const isOver = text(await session(project), "status") === "completed";
          expect({ first, said: running.stderr, isOver }).toMatchObject({
            first: isOver && first !== 0 ? 3 : 0,
          });
          break;
        }
        running.send("SIGKILL");
        await ended;
        // Later each time, so that every part of a run is met.
        killedAt += 60;
        kills += 1;
        const checked = await project.run("validate");
        expect([0, 3]).toContain(checked.code);
      }
      expect(kills).toBeGreaterThan(2);
      await project.run("recover");
      const code = await (await next()).end();
      // There is nothing left to resume when the last round was not killed.
      expect([0, 3]).toContain(code);
      expect((await project.repo.read("b.txt")).toString()).toBe("implement\n");
      expectExit(await project.run("validate"), 0);
    });
  });
});
