/** Qwen Code, the real one. */
import { agentSuite } from "./support/agent-suite.ts";
import { qwen } from "./support/drivers/qwen.ts";

agentSuite({
  driver: qwen,
  toolNames: { edit: "edit", shell: "run_shell_command" },
  hasCallIds: true,
  settings: {
    file: ".qwen/settings.json",
    content: '{\n  // mine\n  "hooks": { "Stop": [ ] }, "ui": {"hideTips": true},\n}\n',
  },
  limits: { hidesMessages: true },
  async registerAgain(project) {
    await project.ok("hooks", "install", "qwen", "--scope", "user", "--via", "file");
  },
});
