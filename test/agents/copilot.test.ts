/** Copilot CLI, the real one. It reads hooks that were written for Claude Code as well. */
import { describe, expect, test } from "vitest";
import { field } from "../support/json.ts";
import { expectDone, runAgent } from "./support/agent-driver.ts";
import { withAgentProject } from "./support/agent-project.ts";
import { agentSuite } from "./support/agent-suite.ts";
import { copilot } from "./support/drivers/copilot.ts";
import { realAgent } from "./support/real-agent.ts";

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

const agent = realAgent("copilot", "what is different");
describe.skipIf(agent.isMissing)(agent.title, () => {
  test("hooks that were installed for Claude Code alone protect it, too, and say who it was", async () => {
    await withAgentProject(async (project) => {
      await copilot.configure(project);
      await project.ok("hooks", "install", "claude", "--via", "file");
      const run = await runAgent(copilot, project, {
        script: [
          { calls: [copilot.tools.write(project, "b.txt", "new\n")] },
          { calls: [copilot.tools.shell("rm b.txt")] },
          { text: "Done." },
        ],
      });
      expectDone(run);
      expect(await project.repo.exists("b.txt")).toBe(false);
      const taken = await project.checkpoints();
      const held = await Promise.all(taken.map((checkpoint) => checkpoint.file("b.txt")));
      const beforeShell = taken[held.indexOf("new\n")];
      expect(beforeShell?.trigger).toBe("tool_use");
      expect(field(beforeShell?.document, "created_by", "agent")).toBe("copilot");
    });
  });

  test("the file of its own is not written where Claude Code's covers it", async () => {
    await withAgentProject(async (project) => {
      await project.ok("hooks", "install", "claude", "--via", "file");
      await project.ok("hooks", "install", "copilot", "--via", "file");
      expect(await project.repo.exists(".github/hooks/waymark.json")).toBe(false);
    });
  });
});
