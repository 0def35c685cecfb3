/** The plugin that comes in the package, in agents that have plugins: installed by the agent itself, as `waymark hooks install --scope user` asks it to. */
import { describe, expect, test } from "vitest";
import { text } from "../../support/json.ts";
import { type AgentDriver, expectDone, runAgent } from "./agent-driver.ts";
import { type AgentProject, withAgentProject } from "./agent-project.ts";
import { contents, DONE, EACH_STATE, ORIGINAL, states, work } from "./agent-work.ts";
import { realAgent } from "./real-agent.ts";

/** `settings`: the file in the user's home in which the agent notes its plugins. */
export function pluginSuite(driver: AgentDriver, settings: string): void {
  const agent = realAgent(driver.name, "with the plugin");

  describe.skipIf(agent.isMissing)(agent.title, () => {
    test("hooks of the plugin take a checkpoint of each state, also beside hooks of the project", async () => {
      await withPlugin(driver, async (project) => {
        expectDone(await runAgent(driver, project, { script: work(driver, project) }));
        expect(await contents(project)).toEqual(DONE);
        expect(await states(project)).toEqual(EACH_STATE);
      });
      await withPlugin(driver, async (project) => {
        await project.ok("hooks", "install", driver.name, "--via", "file");
        expectDone(await runAgent(driver, project, { script: work(driver, project) }));
        expect(await states(project)).toEqual(EACH_STATE);
        expect(text(await project.hookStatus(driver.name), "doubled")).not.toBe("");
      });
    });

    test("uninstalled: the agent's settings are what they were, and no hook runs", async () => {
      await withAgentProject(async (project) => {
        await project.addCommand(driver.name);
        await driver.configure(project);
        const before = await settingsOf(project, settings);
        await project.ok("hooks", "install", driver.name, "--scope", "user", "--via", "plugin");
        expect(await settingsOf(project, settings)).not.toBe(before);
        expectDone(await runAgent(driver, project, { script: work(driver, project) }));
        const { length } = await project.checkpoints();
        expect(length).toBe(EACH_STATE.length);
        await project.ok("hooks", "uninstall", driver.name, "--scope", "user");
        expect(await settingsOf(project, settings)).toBe(before);
        await project.repo.write("a.txt", ORIGINAL);
        expectDone(await runAgent(driver, project, { script: work(driver, project) }));
        expect(await project.checkpoints()).toHaveLength(length);
      });
    });
  });
}

async function withPlugin(
  driver: AgentDriver,
  body: (project: AgentProject) => Promise<void>,
): Promise<void> {
  await withAgentProject(async (project) => {
    await project.addCommand(driver.name);
    await driver.configure(project);
    await project.ok("hooks", "install", driver.name, "--scope", "user", "--via", "plugin");
    await body(project);
  });
}

async function settingsOf(project: AgentProject, file: string): Promise<string | undefined> {
  return await project.readHome(file).catch(() => undefined);
}
