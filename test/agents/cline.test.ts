/** Cline CLI, the real one. */
import { describe, expect, test } from "vitest";
import { expectDone, runAgent } from "./support/agent-driver.ts";
import { withAgentProject } from "./support/agent-project.ts";
import { agentSuite } from "./support/agent-suite.ts";
import { cline } from "./support/drivers/cline.ts";
import { realAgent } from "./support/real-agent.ts";

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

const agent = realAgent("cline", "what is different");
describe.skipIf(agent.isMissing)(agent.title, () => {
  test("the user's own script of the same name is run with the same payload, and its answer counts", async () => {
    await withAgentProject(async (project) => {
      const denies = `#!/bin/sh\ncat > .git/seen\necho '{"cancel":true,"errorMessage":"not today"}'\n`;
      await project.repo.write(".clinerules/hooks/PreToolUse", denies, 0o755);
      await project.ok("hooks", "install", "cline", "--via", "file");
      const write = cline.tools.write(project, "b.txt", "new\n");
      const run = await runAgent(cline, project, { script: [{ calls: [write] }] });
      expect(run.output).toMatch(/abort/);
      expect(await project.repo.exists("b.txt")).toBe(false);
      expect(String(await project.repo.read(".git/seen"))).toContain('"toolName":"editor"');
    });
  });

  test("a rollback while it works is told to the model with the next tool, as it listens to no prompt", async () => {
    await withAgentProject(async (project) => {
      await project.ok("hooks", "install", "cline", "--via", "file");
      const run = await runAgent(cline, project, {
        script: [
          { calls: [cline.tools.write(project, "b.txt", "new\n")] },
          async () => {
            const [first] = await project.checkpoints();
            await project.ok("rollback", first?.id ?? "", "--yes");
            return { calls: [cline.tools.shell("echo c > c.txt")] };
          },
          { text: "Done." },
        ],
      });
      expectDone(run);
      expect(run.lastRequest).toMatch(/rolled back to checkpoint/);
      expect(run.lastRequest).toContain("b.txt");
      expect(await project.repo.exists("b.txt")).toBe(false);
      expect(String(await project.repo.read("c.txt"))).toBe("c\n");
    });
  });
});
