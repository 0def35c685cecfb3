/** Claude Code 2, the real one. */
import { agentSuite } from "./support/agent-suite.ts";
import { claude } from "./support/drivers/claude.ts";

agentSuite({
  driver: claude,
  toolNames: { edit: "Edit", shell: "Bash" },
  hasCallIds: true,
  settings: {
    file: ".claude/settings.json",
    content: '{\r\n\t"env": { "MINE": "1" },\r\n\t"hooks": {}\r\n}',
  },
  async registerAgain(project) {
    await project.ok("hooks", "install", "claude", "--scope", "local", "--via", "file");
  },
});
