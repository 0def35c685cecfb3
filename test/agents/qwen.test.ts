/** Qwen Code, the real one. */
import { agentSuite } from "./support/agent-suite.ts";
import { qwen } from "./support/drivers/qwen.ts";

agentSuite({
  driver: qwen,
  toolNames: { edit: "edit", shell: "run_shell_command" },
  hasCallIds: true,
  settings: {
    file: ".qwen/settings.json",
    // With the version that it writes itself: a file without one is written anew by Qwen as soon as it starts.
    content: '{\n  // mine\n  "ui": {\n    "hideTips": true\n  },\n  "$version": 4\n}\n',
  },
  limits: { hidesMessages: true },
  async registerAgain(project) {
    await project.ok("hooks", "install", "qwen", "--scope", "user", "--via", "file");
  },
});
