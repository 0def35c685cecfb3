/** Qwen Code. */
import { join } from "node:path";
import { agentCommand } from "../../../../scripts/agent-packages.mjs";
import type { AgentDriver } from "../agent-driver.ts";
import { openaiChat } from "../protocols/openai-chat.ts";

export const qwen: AgentDriver = {
  name: "qwen",
  protocol: openaiChat,
  tools: {
    write: (project, file, content) => ({
      name: "write_file",
      input: { file_path: join(project.repo.root, file), content },
    }),
    edit: (project, file, from, to) => ({
      name: "edit",
      input: { file_path: join(project.repo.root, file), old_string: from, new_string: to },
    }),
    shell: (command) => ({ name: "run_shell_command", input: { command, is_background: false } }),
    read: (project, file) => ({
      name: "read_file",
      input: { file_path: join(project.repo.root, file) },
    }),
  },
  async configure(project) {
    const settings = {
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
    };
    await project.writeHome(".qwen/settings.json", JSON.stringify(settings));
  },
  command(_project, { prompt, modelUrl, continues }) {
    const [program, ...words] = agentCommand("qwen");
    return {
      program,
      args: [
        ...words,
        "--auth-type",
        "openai",
        "--openai-base-url",
        `${modelUrl}/v1`,
        "--approval-mode",
        "yolo",
        ...(continues ? ["--continue"] : []),
        "-p",
        prompt,
      ],
      env: { OPENAI_API_KEY: "not-a-key", OPENAI_MODEL: "scripted" },
    };
  },
};
