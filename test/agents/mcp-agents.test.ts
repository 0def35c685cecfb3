/** The MCP server as real agents use it: they find it, say that it is connected, and their models call its tools. */
import { describe, expect, test } from "vitest";
import { field, text } from "../support/json.ts";
import { type AgentDriver, expectDone, readable, runAgent } from "./support/agent-driver.ts";
import { runAgentProgram } from "./support/agent-program.ts";
import { type AgentProject, withAgentProject } from "./support/agent-project.ts";
import { copilot } from "./support/drivers/copilot.ts";
import { gemini } from "./support/drivers/gemini.ts";
import { opencode } from "./support/drivers/opencode.ts";
import { qwen } from "./support/drivers/qwen.ts";
import { realAgent } from "./support/real-agent.ts";
import type { ToolUse } from "./support/scripted-model.ts";

const SERVER = ["waymark", "mcp"];
const OPENCODE_SETTINGS = JSON.stringify({
  mcp: { waymark: { type: "local", command: SERVER, enabled: true } },
});

const codex = realAgent("codex", "the MCP server");
describe.skipIf(codex.isMissing)(codex.title, () => {
  test("codex mcp add and list know it", async () => {
    await withAgentProject(async (project) => {
      await runAgentProgram("codex", project, ["mcp", "add", "waymark", "--", ...SERVER]);
      const { stdout } = await runAgentProgram("codex", project, ["mcp", "list", "--json"]);
      const [server] = JSON.parse(stdout) as readonly unknown[];
      expect(text(server, "name")).toBe("waymark");
      expect(field(server, "enabled")).toBe(true);
      expect(text(server, "transport", "command")).toBe("waymark");
      expect(field(server, "transport", "args")).toEqual(["mcp"]);
    });
  });
});

interface McpClient {
  readonly driver: AgentDriver;
  /** Tells the agent of the server, as a user would. */
  register(project: AgentProject): Promise<void>;
  /** What `mcp list` says of it. */
  readonly listed: RegExp;
  /** It says that it can ask its user, and says no to every question where there is no terminal. */
  readonly declines?: true;
  /** The calls that lead to one of the server's tools; some agents want to look for it first. */
  calls(tool: string, input: Readonly<Record<string, unknown>>): readonly ToolUse[];
}

const CLIENTS: readonly McpClient[] = [
  {
    driver: copilot,
    async register(project) {
      await runAgentProgram("copilot", project, ["mcp", "add", "waymark", "--", ...SERVER]);
    },
    // It starts no server to make a list.
    listed: /waymark \(local\)/,
    declines: true,
    calls: (tool, input) => [{ name: `waymark-${tool}`, input }],
  },
  {
    driver: gemini,
    async register(project) {
      await runAgentProgram("gemini", project, ["mcp", "add", "waymark", ...SERVER]);
    },
    listed: /waymark: waymark mcp\s+\(stdio\) - Connected/,
    calls: (tool, input) => [{ name: `mcp_waymark_${tool}`, input }],
  },
  {
    driver: qwen,
    async register(project) {
      await runAgentProgram("qwen", project, ["mcp", "add", "waymark", ...SERVER]);
    },
    listed: /waymark: waymark mcp \(stdio\) - Connected/,
    calls: (tool, input) => [
      { name: "tool_search", input: { query: tool } },
      { name: "tool_call", input: { name: `mcp__waymark__${tool}`, arguments: input } },
    ],
  },
  {
    driver: opencode,
    async register(project) {
      await project.writeHome(".config/opencode/opencode.json", OPENCODE_SETTINGS);
    },
    listed: /waymark\b.*connected/,
    calls: (tool, input) => [{ name: `waymark_${tool}`, input }],
  },
];

for (const client of CLIENTS) {
  const { driver } = client;
  const agent = realAgent(driver.name, "the MCP server");
  describe.skipIf(agent.isMissing)(agent.title, () => {
    test("mcp list knows it", async () => {
      await withAgentProject(async (project) => {
        await driver.configure(project);
        await client.register(project);
        const { stdout, stderr } = await runAgentProgram(driver.name, project, ["mcp", "list"]);
        expect(`${stdout}${stderr}`).toMatch(client.listed);
      });
    });

    test("a model takes a checkpoint with its tool, and reads which one it is", async () => {
      await withAgentProject(async (project) => {
        await driver.configure(project);
        await client.register(project);
        const uses = client.calls("create_checkpoint", { reason: "before the migration" });
        const run = await runAgent(driver, project, {
          script: [...uses.map((use) => ({ calls: [use] })), { text: "Done." }],
        });
        expectDone(run);
        const [checkpoint, ...others] = await project.checkpoints();
        expect(others).toHaveLength(0);
        expect(text(checkpoint?.document, "reason")).toBe("before the migration");
        expect(field(checkpoint?.document, "created_by", "agent")).toBe(driver.name);
        expect(await checkpoint?.file("keep.txt")).toBe("kept, and changed by the user\n");
        expect(run.lastRequest).toContain(checkpoint?.id);
      });
    });

    test("a model rolls back only with the token of the plan that it was shown", async () => {
      await withAgentProject(async (project) => {
        await driver.configure(project);
        await client.register(project);
        const { json } = await project.ok("create", "--reason", "good");
        const checkpoint = text(json, "checkpoint", "id");
        await project.repo.write("a.txt", "broken\n");
        const rollBack = (more: Readonly<Record<string, unknown>>): readonly ToolUse[] =>
          client.calls("roll_back", { checkpoint, ...more });
        // A client that says no by itself is not asked.
        const first = client.declines ? "preview_rollback" : "roll_back";
        const [last = { name: "", input: {} }, ...before] = client
          .calls(first, { checkpoint })
          .toReversed();
        const run = await runAgent(driver, project, {
          script: [
            ...before.map((use) => ({ calls: [use] })),
            { calls: [last] },
            async (request) => {
              expect(String(await project.repo.read("a.txt"))).toBe("broken\n");
              const token = /confirm_token"?: ?"?([\w-]{16,})/.exec(readable(request.body))?.[1];
              return { calls: rollBack({ confirm_token: token }).slice(-1) };
            },
            { text: "Done." },
          ],
        });
        expectDone(run);
        expect(String(await project.repo.read("a.txt"))).toBe("first line\nsecond line\n");
        expect(run.lastRequest).toMatch(/rolled back|rollback done|"kind":"rollback"/i);
        await project.ok("undo", "--yes");
        expect(String(await project.repo.read("a.txt"))).toBe("broken\n");
      });
    });

    test("a model reads why a call was refused, and the plan as it is now", async () => {
      await withAgentProject(async (project) => {
        await driver.configure(project);
        await client.register(project);
        const { json } = await project.ok("create", "--reason", "good");
        const checkpoint = text(json, "checkpoint", "id");
        await project.repo.write("a.txt", "broken\n");
        const uses = [
          ...client.calls("show_checkpoint", { checkpoint: "nope" }),
          ...client.calls("roll_back", { checkpoint, confirm_token: "made-up" }),
        ];
        const run = await runAgent(driver, project, {
          script: [...uses.map((use) => ({ calls: [use] })), { text: "Done." }],
        });
        expectDone(run);
        expect(run.lastRequest).toMatch(/checkpoint_not_found: no checkpoint/);
        expect(run.lastRequest).toContain("this server did not issue that confirm_token");
        expect(run.lastRequest).toContain("Review the new plan");
        expect(run.lastRequest).toMatch(/~ a\.txt/);
        expect(run.lastRequest).toMatch(/confirm_token: [\w-]{16,}/);
        expect(run.lastRequest).not.toContain("-32602");
        expect(String(await project.repo.read("a.txt"))).toBe("broken\n");
      });
    });

    test.runIf(client.declines)("a rollback that nobody says yes to is none", async () => {
      await withAgentProject(async (project) => {
        await driver.configure(project);
        await client.register(project);
        const { json } = await project.ok("create", "--reason", "good");
        await project.repo.write("a.txt", "broken\n");
        const uses = client.calls("roll_back", { checkpoint: text(json, "checkpoint", "id") });
        const run = await runAgent(driver, project, { script: [{ calls: uses }] });
        expect(run.lastRequest).toContain("needs_confirmation");
        expect(String(await project.repo.read("a.txt"))).toBe("broken\n");
      });
    });
  });
}
