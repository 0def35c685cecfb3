/** Codex. Hooks run only when they are trusted; here a flag does that, as in CI. */
import { agentCommand } from "../../../../scripts/agent-packages.mjs";
import type { AgentCommand, AgentDriver } from "../agent-driver.ts";
import { openaiResponses } from "../protocols/openai-responses.ts";

/** Codex offers the tool that applies patches only with models that it knows. */
export const CODEX_MODEL = "gpt-5.5";

const patch = (...lines: readonly string[]): string =>
  ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n");

export const codex: AgentDriver = {
  name: "codex",
  protocol: openaiResponses,
  tools: {
    write: (_project, file, content) => {
      const lines = content.replace(/\n$/, "").split("\n");
      const added = lines.map((line) => `+${line}`);
      return { name: "apply_patch", input: patch(`*** Add File: ${file}`, ...added) };
    },
    edit: (_project, file, from, to) => ({
      name: "apply_patch",
      input: patch(`*** Update File: ${file}`, "@@", `-${from}`, `+${to}`),
    }),
    shell: (command) => ({ name: "exec_command", input: { cmd: command } }),
  },
  async configure(project) {
    const trusted = `[projects.${JSON.stringify(project.repo.root)}]\ntrust_level = "trusted"\n`;
    await project.writeHome(".codex/config.toml", trusted);
  },
  command(_project, { prompt, modelUrl, continues }) {
    const { args, ...rest } = codexCommand(modelUrl, continues);
    return { ...rest, args: [...args, "--dangerously-bypass-hook-trust", prompt] };
  },
};

/** Without the flag that trusts every hook, and without a prompt. */
export function codexCommand(modelUrl: string, continues: boolean): AgentCommand {
  const [program, ...words] = agentCommand("codex");
  const how = ["--json", "-m", CODEX_MODEL, "-s", "danger-full-access"];
  return {
    program,
    args: [
      ...words,
      "exec",
      ...codexSettings(modelUrl).flatMap((setting) => ["-c", setting]),
      ...how,
      ...(continues ? ["resume", "--last"] : []),
    ],
    env: { SCRIPTED_KEY: "not-a-key" },
  };
}

/** What leads Codex to the model of the test. */
export function codexSettings(modelUrl: string): readonly string[] {
  return [
    `model_provider="scripted"`,
    `model_providers.scripted.name="scripted"`,
    `model_providers.scripted.base_url="${modelUrl}/v1"`,
    `model_providers.scripted.wire_api="responses"`,
    `model_providers.scripted.env_key="SCRIPTED_KEY"`,
  ];
}
