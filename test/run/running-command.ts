/** `waymark run`, or `resume`, as a process that a test watches, signals and kills. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { RuleProject } from "../spec/project.ts";
import { cliEnvironment, waymarkArguments } from "../support/cli.ts";
import type { Among } from "../support/interrupting-git.ts";

export class RunningCommand {
  readonly #child;
  readonly #project: Among;
  stdout = "";
  stderr = "";

  constructor(project: Among, ...args: readonly string[]) {
    this.#project = project;
    const { root, env } = project.repo;
    const command = args[0] === "resume" ? args : ["run", "wf.yml", ...args];
    this.#child = spawn(process.execPath, waymarkArguments(root, ...command), {
      env: cliEnvironment(env),
      // A process group that a test may send signals to.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child.stdout.on("data", (chunk: Buffer) => (this.stdout += chunk.toString("utf8")));
    this.#child.stderr.on("data", (chunk: Buffer) => (this.stderr += chunk.toString("utf8")));
  }

  send(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Until a node has made this file. */
  async made(file: string): Promise<void> {
    while (!(await this.#project.repo.exists(file))) {
      if (this.#child.exitCode !== null) throw new Error(`it ended: ${this.stderr}`);
      await sleep(10);
    }
  }

  /** The exit code; null: it was killed. */
  async end(): Promise<unknown> {
    if (this.#child.exitCode !== null) return this.#child.exitCode;
    const [code] = (await once(this.#child, "close")) as unknown[];
    return code;
  }

  /** Events of `--json`. */
  events(): readonly Record<string, unknown>[] {
    return this.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }
}

export async function writeWorkflow(
  { repo }: RuleProject,
  phases: readonly object[],
): Promise<void> {
  await repo.write("wf.yml", JSON.stringify({ name: "test", phases }));
}
