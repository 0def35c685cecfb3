/** Copilot CLI, which can be told officially to ask another model and no other machine. */
import { join } from "node:path";
import { agentCommand } from "../../../../scripts/agent-packages.mjs";
import type { AgentDriver } from "../agent-driver.ts";
import { openaiChat } from "../protocols/openai-chat.ts";

export const copilot: AgentDriver = {
  name: "copilot",
  protocol: openaiChat,
  tools: {
    write: (project, file, content) => ({
      name: "create",
      input: { path: join(project.repo.root, file), file_text: content },
    }),
    edit: (project, file, from, to) => ({
      name: "edit",
      input: { path: join(project.repo.root, file), old_str: from, new_str: to },
    }),
    shell: (command) => ({ name: "bash", input: { command, description: "work" } }),
    read: (project, file) => ({ name: "view", input: { path: join(project.repo.root, file) } }),
  },
  configure: () => Promise.resolve(),
  command(_project, { prompt, modelUrl, continues }) {
    const [program, ...words] = agentCommand("copilot");
    return {
      program,
      args: [
        ...words,
        ...["-p", prompt],
        ...["--allow-all-tools", "--allow-all-paths"],
        // A session that goes on has its folder's trust from before.
        continues ? "--continue" : "--trust-folder",
      ],
      env: {
        COPILOT_OFFLINE: "true",
        COPILOT_AUTO_UPDATE: "false",
        COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
        COPILOT_MODEL: "gpt-4.1",
      },
    };
  },
};
