/** The plugin and the extension in real agents: valid, installed as the README says, found whole, gone without a trace. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { agentCommand, type RealAgent } from "../../scripts/agent-packages.mjs";
import { field, items, text } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";
import { type AgentDriver, type AgentRun, expectDone, runAgent } from "./support/agent-driver.ts";
import { type AgentProject, withAgentProject } from "./support/agent-project.ts";
import { CodexAppServer } from "./support/codex-app-server.ts";
import { claude as claudeDriver } from "./support/drivers/claude.ts";
import { codex as codexDriver } from "./support/drivers/codex.ts";
import { copilot as copilotDriver } from "./support/drivers/copilot.ts";
import { gemini as geminiDriver } from "./support/drivers/gemini.ts";
import { realAgent } from "./support/real-agent.ts";

const PACKAGE = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "");
const SKILLS = ["checkpoint", "guard", "resume", "rollback"];
const COMMANDS = ["changes", "checkpoints", "protection", "undo-rollback"];
const NAMES = [...SKILLS, ...COMMANDS];
const EVENTS = ["SessionStart", "UserPromptSubmit", "PreToolUse", "Stop", "SessionEnd"];

const byName = (left: string, right: string): number => left.localeCompare(right);

/** Nobody asks it. */
const NO_MODEL = "http://127.0.0.1:9";

const QUIET = {
  DISABLE_AUTOUPDATER: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  COPILOT_OFFLINE: "true",
  COPILOT_AUTO_UPDATE: "false",
};

async function ask(
  project: AgentProject,
  agent: RealAgent,
  args: readonly string[],
  input = "",
): Promise<{ readonly code: number | null; readonly output: string; readonly stdout: string }> {
  const [program, ...words] = agentCommand(agent);
  const { code, stdout, stderr } = await runCommand(program, [...words, ...args], {
    cwd: project.repo.root,
    env: { ...project.env, ...QUIET },
    input,
    timeoutMs: 120_000,
  });
  return { code, stdout: stdout.toString("utf8"), output: `${stdout.toString("utf8")}${stderr}` };
}

async function done(project: AgentProject, agent: RealAgent, ...args: string[]): Promise<string> {
  const { code, output, stdout } = await ask(project, agent, args);
  if (code !== 0) throw new Error(`${agent} ${args.join(" ")}: exit ${code}\n${output}`);
  return stdout;
}

/** What the README of the plugin tells to type. */
async function installed(project: AgentProject, agent: RealAgent): Promise<void> {
  const readme = await readFile(`${PACKAGE}/plugin/README.md`, "utf8");
  const lines = readme.split("\n").filter((line) => line.startsWith(`${agent} plugin `));
  expect(lines).toHaveLength(2);
  for (const line of lines) {
    const words = line.replace('"$(npm root -g)/waymark"', PACKAGE).split(" ");
    await done(project, agent, ...words.slice(1));
  }
}

const claude = realAgent("claude", "the plugin");
describe.skipIf(claude.isMissing)(claude.title, () => {
  test("is valid to the last warning, also for the directory of plugins", async () => {
    await withAgentProject(async (project) => {
      const folder = `${PACKAGE}/plugin`;
      await done(
        project,
        "claude",
        "plugin",
        "validate",
        "--strict",
        "--profile",
        "directory",
        folder,
      );
      await done(project, "claude", "plugin", "validate", "--strict", PACKAGE);
    });
  });

  test("is installed with all its parts, and uninstalled", async () => {
    await withAgentProject(async (project) => {
      await installed(project, "claude");
      const [plugin] = items(
        { all: JSON.parse(await done(project, "claude", "plugin", "list", "--json")) as unknown },
        "all",
      );
      expect(plugin).toMatchObject({ id: "waymark@waymark", enabled: true, scope: "user" });
      expect(field(plugin, "mcpServers", "waymark")).toMatchObject({ command: "waymark" });
      const details = await done(project, "claude", "plugin", "details", "waymark@waymark");
      expect(/Skills \(\d+\) +(.*)/.exec(details)?.[1]?.split(", ")).toEqual(NAMES.toSorted());
      expect(/Hooks \(5\) +([\w, ]+?) {2}/.exec(details)?.[1]?.split(", ")).toEqual(EVENTS);
      await done(project, "claude", "plugin", "uninstall", "waymark@waymark");
      await done(project, "claude", "plugin", "marketplace", "remove", "waymark");
      expect(await project.readHome(".claude/settings.json")).not.toContain("waymark");
    });
  });
});

/** As a user has it who has allowed nothing beforehand. */
const careful: AgentDriver = {
  ...claudeDriver,
  async command(project, call) {
    const { args, ...rest } = await claudeDriver.command(project, call);
    const words = args.toSpliced(args.indexOf("--allowedTools"), 2);
    return { ...rest, args: words.map((word) => (word === "acceptEdits" ? "default" : word)) };
  },
};

describe.skipIf(claude.isMissing)("claude: a skill that is called by name", () => {
  test.each([
    { prompt: "/waymark:checkpoint now", command: "waymark create --json -m now", isAllowed: true },
    { prompt: "/waymark:checkpoints 3", command: "waymark list --json", isAllowed: true },
    {
      prompt: "/waymark:rollback",
      command: "waymark rollback latest --yes --json",
      isAllowed: false,
    },
    { prompt: "hello", command: "waymark create --json -m now", isAllowed: false },
  ])("$prompt: $command without asking? $isAllowed", async ({ prompt, command, isAllowed }) => {
    await withAgentProject(async (project) => {
      await installed(project, "claude");
      const run = await runAgent(careful, project, {
        prompt,
        script: [{ calls: [claudeDriver.tools.shell(command)] }, { text: "Done." }],
      });
      const answer = /"kind": "(?:checkpoint_created|checkpoint_list|rollback)"/;
      expect(answer.test(run.reachedModel)).toBe(isAllowed);
      if (!isAllowed) expect(run.reachedModel).toContain("requires approval");
    });
  });
});

const codex = realAgent("codex", "the plugin");
describe.skipIf(codex.isMissing)(codex.title, () => {
  test("is installed with all its parts, without a warning, and uninstalled", async () => {
    await withAgentProject(async (project) => {
      await installed(project, "codex");
      const list = JSON.parse(await done(project, "codex", "plugin", "list", "--json")) as unknown;
      expect(items(list, "installed")).toMatchObject([
        { pluginId: "waymark@waymark", enabled: true },
      ]);
      const servers = JSON.parse(await done(project, "codex", "mcp", "list", "--json")) as unknown;
      expect(servers).toMatchObject([
        { name: "waymark", transport: { command: "waymark", args: ["mcp"] } },
      ]);

      const server = await CodexAppServer.start(project, NO_MODEL);
      const hooks = await server.found("hooks/list");
      const skills = await server.found("skills/list");
      await server.stop();
      expect(field(hooks, "warnings")).toEqual([]);
      expect(field(hooks, "errors")).toEqual([]);
      expect(
        items(hooks, "hooks")
          .map((hook) => text(hook, "eventName"))
          .toSorted(byName),
      ).toEqual(
        EVENTS.map((name) => name.replace(/^./, (first) => first.toLowerCase())).toSorted(),
      );
      const found = items(skills, "skills").map((skill) => field(skill, "name"));
      // It makes skills of commands, under names of its own.
      const wanted = [
        ...SKILLS.map((name) => `waymark:${name}`),
        ...COMMANDS.map((name) => `waymark:source-command-${name}`),
      ];
      expect(found).toEqual(expect.arrayContaining(wanted));

      await done(project, "codex", "plugin", "remove", "waymark@waymark");
      await done(project, "codex", "plugin", "marketplace", "remove", "waymark");
      expect(await project.readHome(".codex/config.toml")).not.toContain("waymark");
    });
  });
});

const copilot = realAgent("copilot", "the plugin");
describe.skipIf(copilot.isMissing)(copilot.title, () => {
  test("is installed with all its parts, and uninstalled", async () => {
    await withAgentProject(async (project) => {
      await installed(project, "copilot");
      expect(await done(project, "copilot", "plugin", "list")).toContain("waymark@waymark");
      const skills = await done(project, "copilot", "skill", "list");
      expect(NAMES.filter((name) => !skills.includes(`\n  ${name} - `))).toEqual([]);
      expect(await done(project, "copilot", "mcp", "list")).toContain("waymark");
      await done(project, "copilot", "plugin", "uninstall", "waymark@waymark");
      await done(project, "copilot", "plugin", "marketplace", "remove", "waymark");
      // It remembers that there was one.
      expect(await project.readHome(".copilot/settings.json")).not.toMatch(/true|plugin"/);
    });
  });
});

const gemini = realAgent("gemini", "the extension");
describe.skipIf(gemini.isMissing)(gemini.title, () => {
  test("is valid, linked with all its parts, and uninstalled", async () => {
    await withAgentProject(async (project) => {
      const folder = `${PACKAGE}/gemini-extension`;
      await done(project, "gemini", "extensions", "validate", folder);
      await done(project, "gemini", "extensions", "link", folder, "--consent");
      const [extension] = await extensions(project);
      expect(extension).toMatchObject({ name: "waymark", isActive: true });
      expect(
        items(extension, "skills")
          .map((skill) => text(skill, "name"))
          .toSorted(byName),
      ).toEqual(SKILLS);
      const events = ["SessionStart", "BeforeAgent", "BeforeTool", "AfterAgent", "SessionEnd"];
      expect(Object.keys(field(extension, "hooks") as object)).toEqual(events);
      expect(field(extension, "mcpServers", "waymark")).toMatchObject({ command: "waymark" });
      expect(items(extension, "contextFiles")).toEqual([`${folder}/GEMINI.md`]);
      await done(project, "gemini", "extensions", "uninstall", "waymark");
      expect(await extensions(project)).toEqual([]);
    });
  });

  test("is installed as a copy by somebody who trusts its folder", async () => {
    await withAgentProject(async (project) => {
      const args = ["extensions", "install", `${PACKAGE}/gemini-extension`, "--consent"];
      const { code, output } = await ask(project, "gemini", args, "y\n");
      expect({ code, output }).toMatchObject({ code: 0 });
      expect(await extensions(project)).toMatchObject([{ name: "waymark" }]);
    });
  });
});

const DRIVERS: readonly AgentDriver[] = [claudeDriver, codexDriver, copilotDriver, geminiDriver];

describe.each(DRIVERS)("$name with nothing but the plugin", (driver) => {
  const agent = realAgent(driver.name, "at work with the plugin");

  test.skipIf(agent.isMissing)(agent.title, async () => {
    await withAgentProject(async (project) => {
      await configured(project, driver);
      const before = String(await project.repo.read("a.txt"));
      const run = await atWork(project, driver);
      // One before the shell command, with the file that the first tool made.
      const held = await Promise.all(
        (await project.checkpoints()).map(async (each) => ({
          a: await each.file("a.txt"),
          b: await each.file("b.txt"),
          agent: field(each.document, "created_by", "agent"),
        })),
      );
      expect(held).toContainEqual({ a: before, b: "new\n", agent: driver.name });
      // The model knows when to use the skills.
      expect(run.reachedModel).toContain("Restore the project to a Waymark checkpoint");
    });
  });

  test.skipIf(agent.isMissing)("works on when waymark is gone, hooks and server", async () => {
    await withAgentProject(async (project) => {
      await configured(project, driver);
      await project.removeWaymark();
      await atWork(project, driver);
      expect(await project.checkpoints()).toEqual([]);
    });
  });

  test.skipIf(agent.isMissing)(
    "or with the MCP server alone, added as docs/agents.md says",
    async () => {
      const page = await readFile(`${PACKAGE}/docs/agents.md`, "utf8");
      const added = new RegExp(`\\| \`${driver.name} (mcp add [^\`]+)\` \\|`).exec(page)?.[1];
      await withAgentProject(async (project) => {
        await done(project, driver.name, ...(added ?? "").split(" "));
        expect((await ask(project, driver.name, ["mcp", "list"])).output).toContain("waymark");
      });
    },
  );
});

async function configured(project: AgentProject, driver: AgentDriver): Promise<void> {
  await driver.configure(project);
  if (driver.name !== "gemini") return await installed(project, driver.name);
  const folder = `${PACKAGE}/gemini-extension`;
  await done(project, "gemini", "extensions", "link", folder, "--consent");
}

async function atWork(project: AgentProject, driver: AgentDriver): Promise<AgentRun> {
  const run = await runAgent(driver, project, {
    script: [
      { calls: [driver.tools.write(project, "b.txt", "new\n")] },
      { calls: [driver.tools.shell("echo by shell > a.txt; rm b.txt")] },
      { text: "Done." },
    ],
  });
  expectDone(run);
  expect(String(await project.repo.read("a.txt"))).toBe("by shell\n");
  expect(await project.repo.exists("b.txt")).toBe(false);
  return run;
}

async function extensions(project: AgentProject): Promise<readonly unknown[]> {
  const { output } = await ask(project, "gemini", ["extensions", "list", "-o", "json"]);
  return items({ all: JSON.parse(output.slice(output.indexOf("["))) as unknown }, "all");
}
