/** Cline CLI, the real one. */
import { agentSuite } from "./support/agent-suite.ts";
import { cline } from "./support/drivers/cline.ts";

agentSuite({
  driver: cline,
  toolNames: { edit: "editor", shell: "run_commands" },
  hasCallIds: true,
  settings: { file: ".clinerules/hooks/PreToolUse", content: "#!/bin/sh\ncat > .git/seen\n" },
  limits: { denialEndsRun: true, modelPassesMessagesOn: true, forgetsSessions: true },
  async registerAgain(project) {
    await project.ok("hooks", "install", "cline", "--scope", "user", "--via", "file");
  },
});
