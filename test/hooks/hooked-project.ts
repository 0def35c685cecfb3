/** A project whose agent calls `waymark hook`, as agents do it: a process for each call, the payload on standard input. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import type { AgentStep } from "../../src/domain/agents/agent-step.ts";
import type { CheckpointDocument } from "../../src/domain/checkpoint.ts";
import { type RuleProject, withSeed } from "../spec/project.ts";
import { bin, cliEnvironment } from "../support/cli.ts";
import { type CommandResult, runCommand } from "../support/run-command.ts";

export interface CallOptions {
  readonly agent?: string;
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

/** No test is about how quick the machine is; those about the deadline have one of their own. */
const PATIENCE = { WAYMARK_AGENTS_DEADLINE: "50s" };

let calls = 0;

export class HookedProject {
  readonly project: RuleProject;
  readonly session: string;

  constructor(project: RuleProject, session = "session-1") {
    this.project = project;
    this.session = session;
  }

  get root(): string {
    return this.project.repo.root;
  }

  /** The same project as another session of an agent. */
  as(session: string): HookedProject {
    return new HookedProject(this.project, session);
  }

  /** Whatever the input is. */
  async raw(input: Buffer | string, options: CallOptions = {}): Promise<CommandResult> {
    const { agent = "claude", args = [], env, cwd } = options;
    return await runCommand(process.execPath, [bin, "hook", agent, ...args], {
      cwd: cwd ?? this.root,
      env: cliEnvironment({ ...this.project.repo.env, ...PATIENCE, ...env }),
      input,
    });
  }

  /** A payload in Claude's form; what it said on stdout. */
  async call(
    event: string,
    fields: Readonly<Record<string, unknown>> = {},
    options: CallOptions = {},
  ): Promise<string> {
    const result = await this.raw(JSON.stringify(this.#payload(event, fields)), options);
    expect([result.code, result.stderr]).toEqual([0, expect.any(String)]);
    return result.stdout.toString("utf8");
  }

  /** The same, killed so many milliseconds after its start. */
  async killed(
    event: string,
    fields: Readonly<Record<string, unknown>>,
    afterMs: number,
  ): Promise<void> {
    await new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [bin, "hook", "claude"], {
        env: cliEnvironment({ ...this.project.repo.env, ...PATIENCE }),
        stdio: ["pipe", "ignore", "ignore"],
      });
      child.on("error", reject);
      child.on("close", resolve);
      child.stdin.on("error", () => undefined);
      child.stdin.end(JSON.stringify(this.#payload(event, fields)));
      setTimeout(() => child.kill("SIGKILL"), afterMs);
    });
  }

  #payload(event: string, fields: Readonly<Record<string, unknown>>) {
    return { session_id: this.session, cwd: this.root, hook_event_name: event, ...fields };
  }

  /** Before a tool: with an id of its own, as most agents send it. */
  preTool(
    tool: string,
    input: Readonly<Record<string, unknown>>,
    more: Readonly<Record<string, unknown>> = {},
    options: CallOptions = {},
  ): Promise<string> {
    const fields = { tool_name: tool, tool_input: input, tool_use_id: `tool-${calls++}` };
    return this.call("PreToolUse", { ...fields, ...more }, options);
  }

  write(path: string, options: CallOptions = {}): Promise<string> {
    return this.preTool("Write", { file_path: `${this.root}/${path}`, content: "x" }, {}, options);
  }

  prompt(text: string, options: CallOptions = {}): Promise<string> {
    return this.call("UserPromptSubmit", { prompt: text, prompt_id: `turn-${calls++}` }, options);
  }

  /** The oldest first. */
  async checkpoints(): Promise<readonly CheckpointDocument[]> {
    const { json } = await this.project.ok("list", "--all");
    const { checkpoints } = json as { checkpoints: CheckpointDocument[] };
    return checkpoints.toSorted((left, right) => left.seq - right.seq);
  }

  steps(): AgentStep[] {
    return this.remembered("steps.ndjson").map((line) => JSON.parse(line) as AgentStep);
  }

  /** Lines of a file in the memory of hooks. */
  remembered(name: string): string[] {
    try {
      const text = readFileSync(`${this.root}/.git/waymark/agents/${name}`, "utf8");
      return text.split("\n").filter(Boolean);
    } catch {
      return [];
    }
  }
}

export async function withHooks(body: (hooked: HookedProject) => Promise<void>): Promise<void> {
  await withSeed((project) => body(new HookedProject(project)));
}
