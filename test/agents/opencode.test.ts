/** opencode, the real one. */
import { agentSuite } from "./support/agent-suite.ts";
import { opencode } from "./support/drivers/opencode.ts";

agentSuite({
  driver: opencode,
  toolNames: { edit: "edit", shell: "bash" },
  hasCallIds: true,
  settings: { file: ".opencode/plugins/waymark.js", content: undefined },
  limits: { hidesMessages: true },
  async registerAgain(project) {
    await project.ok("hooks", "install", "opencode", "--scope", "user", "--via", "file");
  },
});
