/** The plugin and the extension in real agents: valid, installed as the README says, found whole, gone without a trace. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { agentCommand, type RealAgent } from "../../scripts/agent-packages.mjs";
import { field, items } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";
import { type AgentDriver, expectDone, runAgent } from "./support/agent-driver.ts";
import { type AgentProject, withAgentProject } from "./support/agent-project.ts";
import { claude as claudeDriver } from "./support/drivers/claude.ts";
import { codex as codexDriver } from "./support/drivers/codex.ts";
import { copilot as copilotDriver } from "./support/drivers/copilot.ts";
import { gemini as geminiDriver } from "./support/drivers/gemini.ts";
import { realAgent } from "./support/real-agent.ts";

const PACKAGE = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "");
const NAMES = [
  ...["checkpoint", "guard", "resume", "rollback"],
  ...["changes", "checkpoints", "protection", "undo-rollback"],
];
const EVENTS = ["SessionStart", "UserPromptSubmit", "PreToolUse", "Stop", "SessionEnd"];

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

      const answers = await appServer(project, ["hooks/list", "skills/list"]);
      const [hooks, skills] = answers.map((answer) => items(answer, "result", "data")[0]);
      expect(field(hooks, "warnings")).toEqual([]);
      expect(field(hooks, "errors")).toEqual([]);
      expect(
        items(hooks, "hooks")
          .map((hook) => field(hook, "eventName"))
          .toSorted(),
      ).toEqual(
        EVENTS.map((name) => name.replace(/^./, (first) => first.toLowerCase())).toSorted(),
      );
      const found = items(skills, "skills").map((skill) => field(skill, "name"));
      // It makes skills of commands, under names of its own.
      const wanted = NAMES.map((name, at) =>
        at < 4 ? `waymark:${name}` : `waymark:source-command-${name}`,
      );
      expect(found).toEqual(expect.arrayContaining(wanted));

      await done(project, "codex", "plugin", "remove", "waymark@waymark");
      await done(project, "codex", "plugin", "marketplace", "remove", "waymark");
      expect(await project.readHome(".codex/config.toml")).not.toContain("waymark");
    });
  });
});

/** The answers of Codex's server for editors, which lists what it found. It ends when nobody writes any more, and answers nothing then. */
async function appServer(project: AgentProject, methods: readonly string[]): Promise<unknown[]> {
  const params = { cwds: [project.repo.root] };
  const requests = [
    { id: 0, method: "initialize", params: { clientInfo: { name: "tests", version: "1" } } },
    { method: "initialized" },
    ...methods.map((method, at) => ({ id: at + 1, method, params })),
  ];
  const lines = requests.map((request) => JSON.stringify(request)).join("\n");
  const words = agentCommand("codex").map((word) => `'${word}'`);
  const script = `{ cat; sleep 15; } | timeout 20 ${words.join(" ")} app-server 2>/dev/null || true`;
  const { stdout } = await runCommand("sh", ["-c", script], {
    cwd: project.repo.root,
    env: project.env,
    input: `${lines}\n`,
  });
  const answers = stdout
    .toString("utf8")
    .split("\n")
    .filter((line) => line.startsWith('{"id"'))
    .map((line) => JSON.parse(line) as unknown);
  return methods.map((_, at) => answers.find((answer) => field(answer, "id") === at + 1));
}

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
          .map((skill) => field(skill, "name"))
          .toSorted(),
      ).toEqual(NAMES.slice(0, 4));
      expect(Object.keys(field(extension, "hooks") as object)).toEqual([
        ...["SessionStart", "BeforeAgent", "BeforeTool", "AfterAgent", "SessionEnd"],
      ]);
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
      await driver.configure(project);
      if (driver.name === "gemini") {
        const folder = `${PACKAGE}/gemini-extension`;
        await done(project, "gemini", "extensions", "link", folder, "--consent");
      } else {
        await installed(project, driver.name);
      }
      const before = String(await project.repo.read("a.txt"));
      const run = await runAgent(driver, project, {
        script: [
          { calls: [driver.tools.write(project, "b.txt", "new\n")] },
          { calls: [driver.tools.shell("echo by shell > a.txt; rm b.txt")] },
          { text: "Done." },
        ],
      });
      expectDone(run);
      expect(String(await project.repo.read("a.txt"))).toBe("by shell\n");
      // One before the shell command, with the file that the first tool made.
      const taken = await project.checkpoints();
      const held = await Promise.all(
        taken.map(async (each) => ({
          a: await each.file("a.txt"),
          b: await each.file("b.txt"),
          agent: field(each.document, "created_by", "agent"),
        })),
      );
      expect(held).toContainEqual({ a: before, b: "new\n", agent: driver.name });
      // The model knows when to use the skills.
      expect(run.reachedModel).toContain("Bring the project back to a Waymark checkpoint");
    });
  });
});

async function extensions(project: AgentProject): Promise<readonly unknown[]> {
  const { output } = await ask(project, "gemini", ["extensions", "list", "-o", "json"]);
  return items({ all: JSON.parse(output.slice(output.indexOf("["))) as unknown }, "all");
}
