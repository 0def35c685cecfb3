/** Nobody hears or keeps what a run says: the workflow goes on to its end all the same. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { withSeed, type RuleProject } from "../spec/project.ts";
import { cliEnvironment, waymarkArguments, waymarkShellCommand } from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";
import { hasTerminal } from "../support/terminal.ts";
import { writeWorkflow } from "./running-command.ts";

const PHASES = [
  {
    name: "plan",
    run: "i=0; while [ $i -lt 300 ]; do echo line $i; echo line $i >&2; i=$((i+1)); done",
  },
  { name: "implement", run: "echo done > done.txt" },
];

/** As a person closes the window: whoever holds the other end of the terminal is gone. */
async function closeTerminalAt(project: RuleProject, seen: string): Promise<void> {
  const { root, env } = project.repo;
  const command = waymarkShellCommand("-C", root, "run", "wf.yml");
  const terminal = spawn("script", ["-qefc", command, "/dev/null"], {
    env: { ...cliEnvironment(env), TERM: "xterm-256color", SHELL: "/bin/sh" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  let screen = "";
  terminal.stdout.on("data", (chunk: Buffer) => {
    screen += chunk.toString("utf8");
    if (screen.includes(seen)) terminal.kill("SIGKILL");
  });
  await once(terminal, "exit");
}

async function startedSession(project: RuleProject): Promise<unknown> {
  const { json } = await project.ok("session", "list", "--all");
  return items(json, "sessions").find((session) => field(session, "implicit") === false);
}

async function expectCompleted(project: RuleProject): Promise<void> {
  expect((await project.repo.read("done.txt")).toString()).toBe("done\n");
  expect(text(await startedSession(project), "status")).toBe("completed");
}

it.each([
  ["stdout on a full disk", '"$@" > /dev/full', 1],
  ["the events of --json on a full disk", '"$@" --json > /dev/full', 1],
  ["stderr on a full disk", '"$@" 2> /dev/full', 0],
])("%s", async (_, script, code) => {
  await withSeed(async (project) => {
    await writeWorkflow(project, PHASES);
    const { root, env } = project.repo;
    const command = [process.execPath, ...waymarkArguments(root, "run", "wf.yml")];
    const ended = await runCommand("sh", ["-c", script, "sh", ...command], {
      env: cliEnvironment(env),
    });
    await expectCompleted(project);
    expect(ended.code).toBe(code);
  });
});

it("readers that go away", async () => {
  await withSeed(async (project) => {
    await writeWorkflow(project, PHASES);
    const { root, env } = project.repo;
    const child = spawn(process.execPath, waymarkArguments(root, "run", "wf.yml"), {
      env: cliEnvironment(env),
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stderr.once("data", () => {
      child.stderr.destroy();
      child.stdout.destroy();
    });
    const [code] = (await once(child, "exit")) as unknown[];
    await expectCompleted(project);
    expect(code).toBe(0);
  });
});

const DEAF =
  "trap '' HUP; trap 'echo saved > saved.txt; exit 3' TERM INT; while :; do echo begun; sleep 0.1; done";

it.skipIf(!hasTerminal).each([
  ["a node runs", { name: "plan", run: DEAF }, "begun", "interrupted"],
  [
    "a breakpoint asks",
    { name: "plan", run: "true", breakpoint: true },
    "[Enter] continues",
    "paused",
  ],
])("[R92] a terminal that is closed while %s", async (_, phase, seen, status) => {
  await withSeed(async (project) => {
    await writeWorkflow(project, [phase, { name: "implement", run: "true" }]);
    await closeTerminalAt(project, seen);
    let found = await startedSession(project);
    while (text(found, "status") === "active" && field(found, "lease", "alive") === true) {
      await sleep(50);
      found = await startedSession(project);
    }
    expect(text(found, "status")).toBe(status);
    expect(await project.repo.exists("saved.txt")).toBe(status === "interrupted");
  });
});
