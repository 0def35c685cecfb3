/** Nobody hears or keeps what a run says: the workflow goes on to its end all the same. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { withSeed, type RuleProject } from "../spec/project.ts";
import { cliEnvironment, waymarkArguments } from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";
import { writeWorkflow } from "./running-command.ts";

const PHASES = [
  {
    name: "plan",
    run: "i=0; while [ $i -lt 300 ]; do echo line $i; echo line $i >&2; i=$((i+1)); done",
  },
  { name: "implement", run: "echo done > done.txt" },
];

async function expectCompleted(project: RuleProject): Promise<void> {
  expect((await project.repo.read("done.txt")).toString()).toBe("done\n");
  const { json } = await project.ok("session", "list", "--all");
  const started = items(json, "sessions").find((session) => field(session, "implicit") === false);
  expect(text(started, "status")).toBe("completed");
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
