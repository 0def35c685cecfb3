/** The observer: at a breakpoint of a real run in a real terminal, from another terminal, and as one command. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { type RuleProject, withSeed } from "../spec/project.ts";
import { cliEnvironment, expectExit, waymarkArguments } from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";
import { type CommandResult, runCommand } from "../support/run-command.ts";
import { hasTerminal, inTerminal, type TerminalResult } from "../support/terminal.ts";

const WORKFLOW = `name: two steps
type: demo
project: seed
phases:
  - {name: plan, run: echo planned > plan.txt, modifies: true, breakpoint: true}
  - {name: build, run: echo built > built.txt, modifies: true}
`;

const SLOW =
  "name: slow\ntype: demo\nphases:\n  - {name: one, run: 'echo compiling; echo a > a.txt; until test -e ../told; do sleep 0.05; done'}\n  - {name: two, run: echo b > b2.txt}\n";

function talk({ repo }: RuleProject, ...args: readonly string[]): Promise<CommandResult> {
  return runCommand(process.execPath, waymarkArguments(repo.root, ...args), {
    env: cliEnvironment(repo.env),
  });
}

async function withWorkflow(body: (project: RuleProject) => Promise<void>): Promise<void> {
  await withSeed(async (project) => {
    await project.repo.write("flow.yml", WORKFLOW);
    await body(project);
  });
}

async function statusOf(project: RuleProject): Promise<unknown> {
  return field((await project.ok("session", "show")).json, "session", "status");
}

describe.skipIf(!hasTerminal)("the observer at a breakpoint", () => {
  it("looks, is corrected, and goes on", async () => {
    await withWorkflow(async (project) => {
      const { root, env } = project.repo;
      const { code, screen } = await inTerminal(
        root,
        ["run", "flow.yml"],
        [
          { see: "plan> ", type: "*cp-list\r" },
          { see: "plan> ", type: "*cp-lst\r" },
          { see: "plan> ", type: "*help\r" },
          { see: "plan> ", type: "\r" },
        ],
        env,
        120,
      );
      expect(screen).toMatch(/plan is done, checkpoint [0-9a-f]{4}; next: build/);
      expect(screen).toContain("Did you mean *cp-list?");
      expect(screen).toContain("*manual-restore");
      expect(code).toBe(0);
      expect(await statusOf(project)).toBe("completed");
    });
  });

  it("goes back with the same question, and the session waits there", async () => {
    await withWorkflow(async (project) => {
      const { root, env } = project.repo;
      const { code, screen } = await inTerminal(
        root,
        ["run", "flow.yml"],
        [
          { see: "plan> ", type: "*rollback:phase:plan\r" },
          { see: "[y/N]", type: "no\r" },
          { see: "plan> ", type: "*rollback:phase:plan\r" },
          { see: "[y/N]", type: "yes\r" },
        ],
        env,
        120,
      );
      expect(screen).toContain("nothing was changed");
      expect(code).toBe(5);
      expect(await project.repo.exists("plan.txt")).toBe(false);
      expect(await statusOf(project)).toBe("paused");
      // Nothing runs now: an empty line is *continue, and both name what continues.
      for (const word of ["", "*continue"]) {
        const idle = await talk(project, "observe", word);
        expect(idle.code).toBe(4);
        expect(idle.stderr).toContain("*resume continues it");
      }
      expect((await talk(project, "observe", "*pause")).code).toBe(0);
      expect((await talk(project, "observe", "*resume")).code).toBe(5);
      expect(await project.repo.exists("plan.txt")).toBe(true);
    });
  });
});

describe("waymark observe", () => {
  it("pauses a run that another terminal started, and its phases go on later", async () => {
    await withWorkflow(async (project) => {
      await project.repo.write("flow.yml", SLOW);
      const { root, env } = project.repo;
      const child = spawn(process.execPath, waymarkArguments(root, "run", "flow.yml", "--json"), {
        env: cliEnvironment(env),
        stdio: ["ignore", "pipe", "ignore"],
      });
      const ended = once(child, "close");
      let events = "";
      child.stdout.on("data", (chunk: Buffer) => void (events += chunk.toString("utf8")));
      while (!events.includes("node_started")) await once(child.stdout, "data");
      const where = await talk(project, "observe", "*session-info");
      expect(where.stdout.toString("utf8")).toContain("active");
      const kept = await project.run("observe", "*rollback:latest", "--yes", "--keep-head");
      expectExit(kept, 2);
      const asked = await project.ok("observe", "*pause");
      expect(asked.json).toMatchObject({ kind: "request", request: { command: "*pause" } });
      while (!events.includes('"request_obeyed"')) await once(child.stdout, "data");
      await project.repo.write("../told", "");
      const [code] = (await ended) as [number | null];
      expect(code).toBe(5);
      expect(await project.repo.exists("b2.txt")).toBe(false);
      expect(await statusOf(project)).toBe("paused");
      expect((await talk(project, "observe", "*continue")).stderr).toContain("*resume continues");
      const resumed = await talk(project, "observe", "*resume");
      expect(resumed.code).toBe(0);
      expect(await project.repo.exists("b2.txt")).toBe(true);
    });
  });

  it.skipIf(!hasTerminal)("shows what a killed run left as stopped", async () => {
    await withWorkflow(async (project) => {
      await project.repo.write("flow.yml", SLOW);
      const { root, env } = project.repo;
      const child = spawn(process.execPath, waymarkArguments(root, "run", "flow.yml", "--json"), {
        env: cliEnvironment(env),
        stdio: ["ignore", "pipe", "ignore"],
      });
      const ended = once(child, "close");
      while (!String((await once(child.stdout, "data"))[0]).includes("node_started"));
      child.kill("SIGKILL");
      await project.repo.write("../told", "");
      await ended;
      const turns = [{ see: "stopped: its process ended", type: "*exit\r" }];
      const { code, screen } = await inTerminal(root, ["observe"], turns, env, 120);
      expect(code).toBe(0);
      expect(screen).toContain("not running; *resume continues it");
    });
  });

  it.skipIf(!hasTerminal)(
    "watches without a key, also a run that begins later, and takes commands below",
    async () => {
      await withWorkflow(async (project) => {
        await project.repo.write("flow.yml", SLOW);
        const { root, env } = project.repo;
        let ended: Promise<unknown[]> = Promise.resolve([]);
        const start = (): void => {
          const args = waymarkArguments(root, "run", "flow.yml", "--json");
          const child = spawn(process.execPath, args, {
            env: cliEnvironment(env),
            stdio: ["ignore", "pipe", "ignore"],
          });
          ended = once(child, "close");
          let events = "";
          child.stdout.on("data", (chunk: Buffer) => {
            events += chunk.toString("utf8");
            if (events.includes('"request_obeyed"')) void project.repo.write("../told", "");
          });
        };
        const { code, screen } = await inTerminal(
          root,
          ["observe"],
          [
            { see: "waiting for one", type: "", andThen: start },
            { see: "▶ one", type: "*session-inf" },
            { see: "last heartbeat", type: "o\r" },
            { see: "Progress: 0 of 2 phases", type: "*pause\r" },
            { see: "paused by", type: "*exit\r" },
          ],
          env,
        );
        expect(await ended).toEqual([5, null]);
        expect(code).toBe(0);
        expect(screen).toContain("observe> *session-info");
        expect(screen).toMatch(/session demo_\S+: slow/);
        expect(screen).toMatch(/one {2}[\d.]+s {2}compiling/);
        expect(screen).toContain("resume with:");
        // The view that stays begins where the one above the typed line began.
        expect(screen.slice(screen.lastIndexOf("*exit"))).toMatch(/\[[1-9]\d*A.\[J/);
      });
    },
  );

  it.skipIf(!hasTerminal)(
    "says at which breakpoint a run waits and what comes next, and answers it",
    async () => {
      await withWorkflow(async (project) => {
        const { repo } = project;
        const { root, env } = repo;
        let watching: Promise<TerminalResult> | undefined;
        const watch = (): void => {
          const turns = [
            { see: "breakpoint: plan is done; next: build", type: "*continue\r" },
            { see: "completed in", type: "*exit\r" },
          ];
          watching = inTerminal(root, ["observe"], turns, env, 120);
        };
        const turns = [{ see: "plan> ", type: "", andThen: watch }];
        expect((await inTerminal(root, ["run", "flow.yml"], turns, env, 120)).code).toBe(0);
        expect((await watching)?.screen).toContain("requested *continue");
        expect(await repo.exists("built.txt")).toBe(true);
        const session = field((await project.ok("session", "show")).json, "session");
        expect(session).not.toHaveProperty("breakpoint");
      });
    },
  );

  it.skipIf(!hasTerminal)(
    "shows the progress that a rollback restored, and says that the session is paused",
    async () => {
      await withWorkflow(async (project) => {
        for (const name of ["specify", "plan", "implement"]) {
          const command = ["sh", "-c", `echo ${name} > ${name}.txt`];
          await project.ok("phase", name, "--modifies", "--", ...command);
        }
        const { root, env } = project.repo;
        const turns = [
          { see: "3/3", type: "*rollback:2\r" },
          { see: "[y/N]", type: "y\r" },
          { see: "resume with:", type: "\r" },
          { see: "*continue has no effect", type: "*exit\r" },
        ];
        const { code, screen } = await inTerminal(root, ["observe"], turns, env, 120);
        expect(code).toBe(0);
        const after = screen.slice(screen.indexOf("resume with:"));
        expect(after).toMatch(/1\/1 {2}[0-9a-f]{4} /);
        expect(after).toContain("✔ specify");
        expect(after).not.toMatch(/plan|implement|resumed/);
      });
    },
  );

  it("tells what happens in lines where its input is no terminal, and ends with it", async () => {
    await withWorkflow(async (project) => {
      const { root, env } = project.repo;
      const args = waymarkArguments(root, "observe");
      const child = spawn(process.execPath, args, { env: cliEnvironment(env) });
      let said = "";
      const ended = once(child, "close");
      const told = new Promise<void>((resolve) => {
        child.stderr.on("data", (chunk: Buffer) => {
          said += chunk.toString("utf8");
          if (said.includes("completed in")) resolve();
        });
      });
      await project.repo.write("flow.yml", SLOW.replace(/echo a.*done/, "echo a > a.txt"));
      await project.ok("run", "flow.yml", "--json");
      await told;
      child.stdin.end();
      expect(await ended).toEqual([0, null]);
      const [last] = items((await project.ok("list")).json, "checkpoints");
      expect(text(last, "trigger")).toBe("session_end");
      expect(said).toContain(`\ncheckpoint ${text(last, "id")}\n`);
      expect(said).toContain("phase two: done in");
    });
  });

  it("prints steps for a person that bring every file back", async () => {
    await withWorkflow(async (project) => {
      const id = await project.create();
      const steps = await talk(project, "observe", `*manual-restore:${id}`);
      expect(steps.code).toBe(0);
      await project.repo.write("flow.yml", "changed since\n");
      const done = await runCommand("sh", ["-c", steps.stdout.toString("utf8")], {
        env: project.repo.env,
      });
      const out = /^\/\S+$/m.exec(done.stdout.toString("utf8"))?.[0] ?? "";
      const restored = await runCommand("cat", [`${out}/flow.yml`], { env: project.repo.env });
      expect(restored.stdout.toString("utf8")).toBe(WORKFLOW);
      expect((await project.repo.read("flow.yml")).toString("utf8")).toBe("changed since\n");
      await runCommand("rm", ["-rf", out, `${out}.index`], { env: project.repo.env });
    });
  });

  it("reads commands from a script, and ends with the worst exit code", async () => {
    await withWorkflow(async (project) => {
      await project.create();
      const { root, env } = project.repo;
      const script = `printf '*cp-list\\n*nonsense\\n*cp-validate\\n*exit\\n*cp-list\\n' | "${process.execPath}" ${waymarkArguments(root, "observe").join(" ")}`;
      const result = await runCommand("sh", ["-c", script], { env: cliEnvironment(env) });
      expect(result.code).toBe(2);
      expect(result.stderr).toContain("unknown command *nonsense");
    });
  });
});
