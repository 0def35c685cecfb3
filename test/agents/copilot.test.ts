/** Copilot CLI, the real one. It reads hooks that were written for Claude Code as well. */
import { agentSuite } from "./support/agent-suite.ts";
import { copilot } from "./support/drivers/copilot.ts";

agentSuite({
  driver: copilot,
  toolNames: { edit: "edit", shell: "bash" },
  hasCallIds: false,
  settings: { file: ".github/hooks/waymark.json", content: undefined },
  limits: { modelPassesMessagesOn: true },
  async registerAgain(project) {
    await project.ok("hooks", "install", "claude", "--via", "file");
  },
});
