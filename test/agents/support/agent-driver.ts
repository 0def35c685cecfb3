/** Runs one real agent with one prompt, against a model that answers from a script. */
import type { RealAgent } from "../../../scripts/agent-packages.mjs";
import { runCommand } from "../../support/run-command.ts";
import type { AgentProject } from "./agent-project.ts";
import {
  type ModelProtocol,
  type ModelRequest,
  ScriptedModel,
  type ScriptedStep,
  type ToolUse,
} from "./scripted-model.ts";

export interface AgentCall {
  readonly prompt: string;
  readonly modelUrl: string;
  /** Goes on with the agent's last session in this project. */
  readonly continues: boolean;
}

export interface AgentCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

export interface AgentDriver {
  readonly name: RealAgent;
  readonly protocol: ModelProtocol;
  /** The agent's own tools, for files of the project. */
  readonly tools: {
    write(project: AgentProject, file: string, content: string): ToolUse;
    /** Replaces one line. */
    edit(project: AgentProject, file: string, from: string, to: string): ToolUse;
    shell(command: string): ToolUse;
    /** Some agents change only files that they have read. */
    read?(project: AgentProject, file: string): ToolUse;
  };
  /** What a user has set up before any hook: an account, a trusted folder. Called once per project. */
  configure(project: AgentProject): Promise<void>;
  command(project: AgentProject, call: AgentCall): AgentCommand | Promise<AgentCommand>;
}

export interface AgentRun {
  readonly code: number | null;
  /** All that the user saw. */
  readonly output: string;
  readonly requests: readonly ModelRequest[];
  /** All that reached the model, as one text; JSON inside of JSON is not escaped twice. */
  readonly reachedModel: string;
  /** What the model was asked at last: the whole conversation, each part of it once. */
  readonly lastRequest: string;
}

export interface AgentRequest {
  readonly prompt?: string;
  readonly script: readonly ScriptedStep[];
  readonly continues?: boolean;
}

/** Longer than any agent here takes, even the first time. */
const TIME_LIMIT_MS = 180_000;

export async function runAgent(
  driver: AgentDriver,
  project: AgentProject,
  { prompt = "Please do the work.", script, continues = false }: AgentRequest,
): Promise<AgentRun> {
  const model = await new ScriptedModel(driver.protocol, script).listen();
  try {
    const call = { prompt, continues, modelUrl: model.url };
    const { program, args, env } = await driver.command(project, call);
    const result = await runCommand(program, args, {
      cwd: project.repo.root,
      env: { ...project.env, ...env },
      timeoutMs: TIME_LIMIT_MS,
    });
    const output = `${result.stdout.toString("utf8")}${result.stderr}`;
    if (result.timedOut) throw new Error(`${driver.name} did not end in time:\n${output}`);
    if (model.failure !== undefined) throw model.failure;
    const { requests, conversation } = model;
    if (conversation.length === 0) {
      throw new Error(`${driver.name} never asked the model:\n${output}`);
    }
    return {
      code: result.code,
      output,
      requests,
      reachedModel: readable(requests),
      lastRequest: readable(conversation.at(-1)),
    };
  } finally {
    await model.close();
  }
}

/** Throws with all that the user saw unless the agent came to a good end. */
export function expectDone(run: AgentRun): void {
  if (run.code !== 0) throw new Error(`the agent ended with ${run.code}:\n${run.output}`);
}

/** Every string in a value, as a person would read it. */
export function readable(value: unknown): string {
  return textsOf(value).join("\n");
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}
