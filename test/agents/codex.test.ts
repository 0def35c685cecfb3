/** Codex, the real one. */
import { agentSuite } from "./support/agent-suite.ts";
import { codex } from "./support/drivers/codex.ts";

agentSuite({
  driver: codex,
  toolNames: { edit: "apply_patch", shell: "Bash" },
  hasCallIds: true,
  limits: { hidesMessages: true },
  settings: { file: ".codex/hooks.json", content: '{"hooks":{"Stop":[]}}' },
  async registerAgain(project) {
    await project.ok("hooks", "install", "codex", "--scope", "user", "--via", "file");
  },
});
