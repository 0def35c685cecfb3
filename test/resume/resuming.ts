/** Workflows that are killed or stopped and resumed with the built command, and the log of what ran, outside of the project. */
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expectExit, type CliResult } from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";
import { withSeed, type RuleProject } from "../spec/project.ts";

export class Resuming {
  readonly project: RuleProject;

  constructor(project: RuleProject) {
    this.project = project;
  }

  get base(): string {
    return this.project.repo.base;
  }

  get file(): string {
    return join(this.base, "workflow.yml");
  }

  /** A line for a node or a check: it says that it began, does this, and says that it ended. */
  node(name: string, work = "true"): string {
    return `echo begin ${name} >> ${this.#log} && { ${work}; } && echo end ${name} >> ${this.#log}`;
  }

  /** The same, and whoever runs it is killed by it, as by kill -9, the first time. */
  killer(name: string, before = "true"): string {
    const mark = join(this.base, `killed-${name}`);
    return this.node(
      name,
      `${before}; [ -e ${mark} ] || { touch ${mark}; kill -9 $PPID; sleep 60; }`,
    );
  }

  /** Work that waits until these nodes are at work. */
  untilBegun(...names: readonly string[]): string {
    const begun = names.map((name) => `grep -q 'begin ${name}' ${this.#log}`);
    return `until ${begun.join(" && ")}; do sleep 0.05; done`;
  }

  async write(phases: readonly unknown[], more: object = {}): Promise<void> {
    // JSON is YAML.
    await writeFile(this.file, JSON.stringify({ name: "test", ...more, phases }));
  }

  /** Until it kills itself. */
  async runKilled(): Promise<void> {
    const { signal } = await this.project.run("run", this.file);
    if (signal !== "SIGKILL") throw new Error(`it was not killed, but ${signal ?? "ended"}`);
  }

  run(...args: readonly string[]): Promise<CliResult> {
    return this.project.run("run", this.file, ...args);
  }

  resume(...args: readonly string[]): Promise<CliResult> {
    return this.project.run("resume", ...args);
  }

  async resumeOk(...args: readonly string[]): Promise<readonly unknown[]> {
    const result = await this.resume(...args);
    expectExit(result, 0);
    return linesOf(result);
  }

  /** What it would do; the exit code is one of these. */
  async plan(codes: readonly number[], ...args: readonly string[]): Promise<unknown> {
    const result = await this.resume("--dry-run", ...args);
    expectExit(result, ...codes);
    return result.json;
  }

  /** How often each began and ended. */
  async ran(): Promise<Record<string, string>> {
    const log = existsSync(this.#log) ? await readFile(this.#log, "utf8") : "";
    const counts: Record<string, [begun: number, ended: number]> = {};
    for (const line of log.trim().split("\n")) {
      const [what, name = ""] = line.split(" ");
      const count = (counts[name] ??= [0, 0]);
      count[what === "begin" ? 0 : 1] += 1;
    }
    return Object.fromEntries(
      Object.entries(counts).map(([name, [begun, ended]]) => [name, `${begun} ${ended}`]),
    );
  }

  /** Of the only session that somebody started. */
  async session(): Promise<unknown> {
    const { json } = await this.project.ok("session", "list", "--all");
    const [first] = items(json, "sessions").filter((one) => field(one, "implicit") === false);
    const shown = await this.project.ok("session", "show", text(first, "id"));
    return field(shown.json, "session");
  }

  get #log(): string {
    return join(this.base, "log");
  }
}

export function linesOf({ stdout }: CliResult): readonly unknown[] {
  return stdout
    .toString("utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}

export function whatsOf(plan: unknown): Record<string, string> {
  return Object.fromEntries(
    items(plan, "nodes").map((node) => [text(node, "id"), text(node, "what")]),
  );
}

export function kindsOf(plan: unknown): string[] {
  return items(plan, "findings").map((finding) => text(finding, "kind"));
}

export async function withResuming(body: (resuming: Resuming) => Promise<void>): Promise<void> {
  await withSeed((project) => body(new Resuming(project)));
}
