/** Claude Code. As root it does not bypass permissions, so edits are accepted and tools allowed by name. */
import { join } from "node:path";
import { agentCommand } from "../../../../scripts/agent-packages.mjs";
import type { AgentDriver } from "../agent-driver.ts";
import { anthropic } from "../protocols/anthropic.ts";

export const claude: AgentDriver = {
  name: "claude",
  protocol: anthropic,
  tools: {
    write: (project, file, content) => ({
      name: "Write",
      input: { file_path: join(project.repo.root, file), content },
    }),
    edit: (project, file, from, to) => ({
      name: "Edit",
      input: { file_path: join(project.repo.root, file), old_string: from, new_string: to },
    }),
    shell: (command) => ({ name: "Bash", input: { command, description: "work" } }),
    read: (project, file) => ({
      name: "Read",
      input: { file_path: join(project.repo.root, file) },
    }),
  },
  configure: () => Promise.resolve(),
  command(_project, { prompt, modelUrl, continues }) {
    const [program, ...words] = agentCommand("claude");
    const permissions = ["--permission-mode", "acceptEdits"];
    const tools = ["--allowedTools", "Bash Write Edit Read"];
    const output = ["--output-format", "stream-json", "--verbose"];
    return {
      program,
      args: [
        ...words,
        "-p",
        prompt,
        ...(continues ? ["--continue"] : []),
        ...permissions,
        ...tools,
        ...output,
      ],
      env: {
        ANTHROPIC_BASE_URL: modelUrl,
        ANTHROPIC_API_KEY: "not-a-key",
        DISABLE_AUTOUPDATER: "1",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      },
    };
  },
};
