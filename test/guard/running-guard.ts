/** A guard that a test watches while it runs. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { cliEnvironment, waymarkArguments } from "../support/cli.ts";
import type { TempRepository } from "../support/temp-repository.ts";

export class RunningGuard {
  readonly #child;
  stdout = Buffer.alloc(0);
  stderr = "";

  constructor(
    project: { readonly repo: Pick<TempRepository, "root" | "env"> },
    ...args: readonly string[]
  ) {
    const { root, env } = project.repo;
    this.#child = spawn(process.execPath, waymarkArguments(root, "guard", ...args), {
      env: cliEnvironment(env),
      // A process group that a test may send signals to.
      detached: true,
    });
    this.#child.stdout.on("data", (chunk: Buffer) => {
      this.stdout = Buffer.concat([this.stdout, chunk]);
    });
    this.#child.stderr.on("data", (chunk: Buffer) => (this.stderr += chunk.toString("utf8")));
  }

  send(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Gives the command something to read. */
  type(text: string): void {
    this.#child.stdin.write(text);
  }

  /** Until the command has written this. */
  async wrote(text: string): Promise<void> {
    while (!this.stdout.includes(text)) {
      if (this.#child.exitCode !== null) throw new Error(`it ended: ${this.stderr}`);
      await sleep(5);
    }
  }

  /** The exit code. */
  async end(): Promise<unknown> {
    this.#child.stdin.end();
    const [code] = (await once(this.#child, "close")) as unknown[];
    return code;
  }
}
