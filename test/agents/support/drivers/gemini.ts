/** Gemini CLI. Reads a project's hooks only in folders that are trusted. */
import { join } from "node:path";
import { agentCommand } from "../../../../scripts/agent-packages.mjs";
import type { AgentDriver } from "../agent-driver.ts";
import { google } from "../protocols/google.ts";

export const gemini: AgentDriver = {
  name: "gemini",
  protocol: google,
  tools: {
    write: (project, file, content) => ({
      name: "write_file",
      input: { file_path: join(project.repo.root, file), content },
    }),
    edit: (project, file, from, to) => ({
      name: "replace",
      input: {
        file_path: join(project.repo.root, file),
        instruction: "replace a line",
        old_string: from,
        new_string: to,
      },
    }),
    shell: (command) => ({ name: "run_shell_command", input: { command, description: "work" } }),
    read: (project, file) => ({
      name: "read_file",
      input: { file_path: join(project.repo.root, file) },
    }),
  },
  async configure(project) {
    const settings = {
      security: { auth: { selectedType: "gemini-api-key" } },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      privacy: { usageStatisticsEnabled: false },
    };
    await project.writeHome(".gemini/settings.json", JSON.stringify(settings));
    const trusted = { [project.repo.root]: "TRUST_FOLDER" };
    await project.writeHome(".gemini/trustedFolders.json", JSON.stringify(trusted));
  },
  command(_project, { prompt, modelUrl, continues }) {
    const [program, ...words] = agentCommand("gemini");
    return {
      program,
      args: [
        ...words,
        ...(continues ? ["--resume", "latest"] : []),
        // A model that is named needs no question to another one, which would pick it.
        "-m",
        "gemini-2.5-pro",
        "--approval-mode",
        "yolo",
        "-p",
        prompt,
      ],
      env: { GOOGLE_GEMINI_BASE_URL: modelUrl, GEMINI_API_KEY: "not-a-key" },
    };
  },
};
