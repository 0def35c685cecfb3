/**
 * Copilot CLI, which can be told officially to ask another model and no other machine. It runs a project's hooks only in folders that are trusted; the flag
 * for that is good for one new session, so the user's own settings say it.
 */
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
  async configure(project) {
    const trusted = { trustedFolders: [project.repo.root] };
    await project.writeHome(".copilot/config.json", JSON.stringify(trusted));
  },
  command(_project, { prompt, modelUrl, continues }) {
    const [program, ...words] = agentCommand("copilot");
    return {
      program,
      args: [
        ...words,
        "-p",
        prompt,
        "--allow-all-tools",
        "--allow-all-paths",
        ...(continues ? ["--continue"] : []),
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
