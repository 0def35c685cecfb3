/** Codex, the real one. */
import { describe, expect, test } from "vitest";
import { field } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";
import { type AgentProject, withAgentProject } from "./support/agent-project.ts";
import { agentSuite } from "./support/agent-suite.ts";
import {
  contents,
  DONE,
  EACH_STATE,
  ORIGINAL,
  states,
  withHooks,
  work,
} from "./support/agent-work.ts";
import { CodexAppServer, trust } from "./support/codex-app-server.ts";
import { codex, codexCommand } from "./support/drivers/codex.ts";
import { pluginSuite } from "./support/plugin-suite.ts";
import { realAgent } from "./support/real-agent.ts";
import { type ModelStep, ScriptedModel } from "./support/scripted-model.ts";

agentSuite({
  driver: codex,
  toolNames: { edit: "apply_patch", shell: "Bash" },
  hasCallIds: true,
  settings: { file: ".codex/hooks.json", content: '{"hooks":{"Stop":[]}}' },
  limits: { hidesMessages: true, hooksOfMainTree: true },
  async registerAgain(project) {
    await project.ok("hooks", "install", "codex", "--scope", "user", "--via", "file");
  },
});

pluginSuite(codex, ".codex/config.toml");

const agent = realAgent("codex", "what is special");

describe.skipIf(agent.isMissing)(agent.title, () => {
  test("hooks that nobody trusted do not run, and are named; trusted ones run, also after they are installed again", async () => {
    await withHooks(codex, async (project) => {
      await withoutBypass(project, work(codex, project));
      expect(await contents(project)).toEqual(DONE);
      expect(await project.checkpoints()).toHaveLength(0);
      expect(field(await project.hookStatus("codex"), "trust")).toBe("not_trusted");
      const { json } = await project.run("doctor");
      expect(JSON.stringify(json)).toContain("they are not trusted yet");

      await trustHooks(project, "sessionStart");
      expect(field(await project.hookStatus("codex"), "trust")).toBe("not_trusted");
      await trustHooks(project);
      expect(field(await project.hookStatus("codex"), "trust")).toBe("trusted");
      await project.ok("hooks", "install", "codex", "--via", "file");
      await project.repo.write("a.txt", ORIGINAL);
      await withoutBypass(project, work(codex, project));
      expect(await states(project)).toEqual(EACH_STATE);
    });
  });

  test("what cannot be protected is told to the user of an editor or a terminal, once", async () => {
    await withHooks(codex, async (project) => {
      await trustHooks(project);
      await project.breakCheckpoints();
      const script = [
        { calls: [codex.tools.write(project, "b.txt", "new\n")] },
        { calls: [codex.tools.shell("echo c > c.txt")] },
      ];
      const told = await withModel(script, async (url) => {
        const server = await CodexAppServer.start(project, url);
        await server.turn("Please do the work.");
        await server.stop();
        return server.hookMessages;
      });
      expect(String(await project.repo.read("b.txt"))).toBe("new\n");
      expect(String(await project.repo.read("c.txt"))).toBe("c\n");
      expect(told.filter((message) => message.includes("waymark doctor"))).toHaveLength(1);
    });
  });

  test("a project that is not trusted: its hooks do not run, and that is said", async () => {
    await withAgentProject(async (project) => {
      await project.writeHome(".codex/config.toml", "");
      await project.ok("hooks", "install", "codex", "--via", "file");
      await withoutBypass(project, work(codex, project));
      expect(await project.checkpoints()).toHaveLength(0);
      expect(field(await project.hookStatus("codex"), "trust")).toBe("not_trusted");
    });
  });
});

/** What the user says in Codex's own list of hooks. */
async function trustHooks(project: AgentProject, only?: string): Promise<void> {
  await withModel([], async (url) => {
    const server = await CodexAppServer.start(project, url);
    const hooks = (await server.hooks()).filter(
      ({ eventName, trustStatus }) =>
        trustStatus !== "trusted" && (only === undefined || eventName === only),
    );
    await server.stop();
    expect(hooks.length).toBeGreaterThan(0);
    const settings = await project.readHome(".codex/config.toml");
    await project.writeHome(".codex/config.toml", settings + trust(hooks));
  });
}

/** As people start it: only what they trusted runs. */
async function withoutBypass(project: AgentProject, script: readonly ModelStep[]): Promise<void> {
  await withModel(script, async (url) => {
    const { program, args, env } = codexCommand(url, false);
    const options = { cwd: project.repo.root, env: { ...project.env, ...env } };
    const { code, stderr } = await runCommand(program, [...args, "Please do the work."], options);
    if (code !== 0) throw new Error(`codex ended with ${code}: ${stderr}`);
  });
}

async function withModel<T>(
  script: readonly ModelStep[],
  body: (url: string) => Promise<T>,
): Promise<T> {
  const model = await new ScriptedModel(codex.protocol, script).listen();
  try {
    return await body(model.url);
  } finally {
    await model.close();
  }
}
