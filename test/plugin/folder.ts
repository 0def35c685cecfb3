/** A folder with a project, a home and `waymark` on the PATH, as a person or an agent in a shell has it. */
import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bin, cliEnvironment } from "../support/cli.ts";
import { type CommandResult, runCommand } from "../support/run-command.ts";

const WHO = { NAME: "ada", EMAIL: "ada@example.org" };

export class Folder {
  readonly #base: string;

  private constructor(base: string) {
    this.#base = base;
  }

  static async make(): Promise<Folder> {
    const base = await temporary();
    for (const folder of ["bin", "home", "project"]) await mkdir(join(base, folder));
    const command = `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`;
    await writeFile(join(base, "bin/waymark"), command, { mode: 0o755 });
    return new Folder(base);
  }

  async copy(): Promise<Folder> {
    const base = await temporary();
    await cp(this.#base, base, { recursive: true, preserveTimestamps: true });
    return new Folder(base);
  }

  get project(): string {
    return join(this.#base, "project");
  }

  /** To its end, whatever that is. */
  try(script: string, input?: string): Promise<CommandResult> {
    return runCommand("sh", ["-euc", script], {
      cwd: this.project,
      env: this.#env,
      ...(input === undefined ? {} : { input }),
    });
  }

  async shell(script: string, input?: string): Promise<string> {
    const result = await this.try(script, input);
    const stdout = result.stdout.toString("utf8");
    if (result.code === 0) return stdout;
    throw new Error(`${script}: exit ${result.code}\n${stdout}${result.stderr}`);
  }

  async json(args: string): Promise<unknown> {
    return JSON.parse(await this.shell(`waymark ${args} --json`));
  }

  /** What Claude Code does at such a moment. */
  hook(payload: Readonly<Record<string, unknown>>): Promise<string> {
    return this.shell("waymark hook claude", JSON.stringify({ cwd: this.project, ...payload }));
  }

  remove(): Promise<void> {
    return rm(this.#base, { recursive: true, force: true });
  }

  get #env(): NodeJS.ProcessEnv {
    return cliEnvironment({
      PATH: `${join(this.#base, "bin")}:${process.env["PATH"] ?? ""}`,
      HOME: join(this.#base, "home"),
      LANG: "C.UTF-8",
      TZ: "UTC",
      // A process in the background would get in the way of what a test looks at.
      WAYMARK_NO_AUTO_CLEANUP: "1",
      ...Object.fromEntries(
        Object.entries(WHO).flatMap(([name, value]) => [
          [`GIT_AUTHOR_${name}`, value],
          [`GIT_COMMITTER_${name}`, value],
        ]),
      ),
    });
  }
}

async function temporary(): Promise<string> {
  return await realpath(await mkdtemp(join(tmpdir(), "waymark-test-")));
}
