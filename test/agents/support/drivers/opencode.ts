/** opencode. Its settings come through the environment, so that the project has no file for them. */
import { join } from "node:path";
import { agentCommand } from "../../../../scripts/agent-packages.mjs";
import type { AgentDriver } from "../agent-driver.ts";
import { openaiChat } from "../protocols/openai-chat.ts";

export const opencode: AgentDriver = {
  name: "opencode",
  protocol: openaiChat,
  tools: {
    write: (project, file, content) => ({
      name: "write",
      input: { filePath: join(project.repo.root, file), content },
    }),
    edit: (project, file, from, to) => ({
      name: "edit",
      input: { filePath: join(project.repo.root, file), oldString: from, newString: to },
    }),
    shell: (command) => ({ name: "bash", input: { command } }),
    read: (project, file) => ({
      name: "read",
      input: { filePath: join(project.repo.root, file) },
    }),
  },
  configure: () => Promise.resolve(),
  command(_project, { prompt, modelUrl, continues }) {
    const [program, ...words] = agentCommand("opencode");
    return {
      program,
      args: [...words, "run", ...(continues ? ["--continue"] : []), prompt],
      env: {
        OPENCODE_CONFIG_CONTENT: JSON.stringify(settings(modelUrl)),
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        // It gets a package for plugins that ours does not need, and tries that for a minute where there is no network.
        NPM_CONFIG_OFFLINE: "true",
      },
    };
  },
};

function settings(modelUrl: string): unknown {
  const model = { tool_call: true, limit: { context: 100_000, output: 10_000 } };
  const provider = {
    npm: "@ai-sdk/openai-compatible",
    options: { baseURL: `${modelUrl}/v1`, apiKey: "not-a-key" },
    models: { scripted: model },
  };
  const name = "local/scripted";
  return { provider: { local: provider }, model: name, small_model: name, share: "disabled" };
}
