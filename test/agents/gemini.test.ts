/** Gemini CLI, the real one. */
import { agentSuite } from "./support/agent-suite.ts";
import { gemini } from "./support/drivers/gemini.ts";

agentSuite({
  driver: gemini,
  toolNames: { edit: "replace", shell: "run_shell_command" },
  hasCallIds: false,
  settings: {
    file: ".gemini/settings.json",
    content: '{\n  // mine\n  "ui": {"hideTips": true}\n}\n',
  },
  async registerAgain(project) {
    await project.ok("hooks", "install", "gemini", "--scope", "user", "--via", "file");
  },
});
