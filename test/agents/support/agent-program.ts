/** Runs one of the agent's own commands, such as `mcp list`: no model is asked. */
import { agentCommand, type RealAgent } from "../../../scripts/agent-packages.mjs";
import { runCommand } from "../../support/run-command.ts";
import type { AgentProject } from "./agent-project.ts";

/** What it printed, stdout and stderr; throws unless it ends well. */
export async function runAgentProgram(
  name: RealAgent,
  project: AgentProject,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const [program, ...words] = agentCommand(name);
  const { code, stdout, stderr } = await runCommand(program, [...words, ...args], {
    cwd: project.repo.root,
    env: { ...project.env, ...env },
    timeoutMs: 120_000,
  });
  if (code !== 0) {
    throw new Error(`${name} ${args.join(" ")} ended with ${code}:\n${stdout.toString()}${stderr}`);
  }
  return { stdout: stdout.toString("utf8"), stderr };
}
