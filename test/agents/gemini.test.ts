/** Gemini CLI, the real one. */
import { describe, expect, test } from "vitest";
import { field } from "../support/json.ts";
import { type AgentDriver, runAgent } from "./support/agent-driver.ts";
import { agentSuite } from "./support/agent-suite.ts";
import { withHooks, work } from "./support/agent-work.ts";
import { gemini } from "./support/drivers/gemini.ts";
import { pluginSuite } from "./support/plugin-suite.ts";
import { realAgent } from "./support/real-agent.ts";

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

pluginSuite(gemini, ".gemini/extensions/extension-enablement.json");

/** Without a terminal it works in such a folder only when it is told to. */
const untrusting: AgentDriver = {
  ...gemini,
  async command(project, call) {
    const { args, ...rest } = await gemini.command(project, call);
    return { ...rest, args: [...args, "--skip-trust"] };
  },
};

const agent = realAgent("gemini", "what is special");

describe.skipIf(agent.isMissing)(agent.title, () => {
  test("a folder that is not trusted: its hooks do not run, and that is said", async () => {
    await withHooks(gemini, async (project) => {
      const elsewhere = { [project.repo.home]: "TRUST_FOLDER" };
      await project.writeHome(".gemini/trustedFolders.json", JSON.stringify(elsewhere));
      await runAgent(untrusting, project, { script: work(gemini, project) });
      expect(await project.checkpoints()).toHaveLength(0);
      expect(field(await project.hookStatus("gemini"), "trust")).toBe("not_trusted");
    });
  });
});
