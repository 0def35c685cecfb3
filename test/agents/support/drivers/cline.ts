/**
 * Cline CLI. Every run has a data folder of its own: with one in common it would leave a daemon behind, which serves the runs after it. The price is that no run goes on with another's session; without a terminal Cline cannot do that in any case.
 */
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { agentCommand } from "../../../../scripts/agent-packages.mjs";
import type { AgentDriver } from "../agent-driver.ts";
import { openaiChat } from "../protocols/openai-chat.ts";

export const cline: AgentDriver = {
  name: "cline",
  protocol: openaiChat,
  tools: {
    write: (project, file, content) => ({
      name: "editor",
      input: { path: join(project.repo.root, file), new_text: content },
    }),
    edit: (project, file, from, to) => ({
      name: "editor",
      input: { path: join(project.repo.root, file), old_text: from, new_text: to },
    }),
    shell: (command) => ({ name: "run_commands", input: { commands: [command] } }),
    read: (project, file) => ({
      name: "read_files",
      input: { files: [{ path: join(project.repo.root, file) }] },
    }),
  },
  configure: () => Promise.resolve(),
  async command(project, { prompt, modelUrl }) {
    const [program, ...words] = agentCommand("cline");
    const data = await mkdtemp(join(project.repo.base, "cline-"));
    await mkdir(join(data, "settings"));
    await writeFile(join(data, "settings/providers.json"), JSON.stringify(providers(modelUrl)));
    return {
      program,
      args: [...words, "--json", "--data-dir", data, "-t", "120", prompt],
      env: { CLINE_TELEMETRY_DISABLED: "1" },
    };
  },
};

function providers(modelUrl: string): unknown {
  const provider = "openai-compatible";
  const entry = {
    settings: { provider, apiKey: "not-a-key", model: "scripted", baseUrl: `${modelUrl}/v1` },
    updatedAt: "2026-01-01T00:00:00.000Z",
    tokenSource: "manual",
  };
  return { version: 1, lastUsedProvider: provider, modes: {}, providers: { [provider]: entry } };
}
