/** The official tools for MCP servers, and two real clients, on the built server. `node scripts/mcp-tools.mjs` gets the tools; what is missing is skipped. */
import { existsSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { hasMcpTools, MCP_TOOLS } from "../../scripts/mcp-tools.mjs";
import { withRawServer } from "../mcp/raw-server.ts";
import { withDirty, type RuleProject } from "../spec/project.ts";
import { bin } from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";
import { runCommand, type CommandResult } from "../support/run-command.ts";

const isMissing = !hasMcpTools();
if (isMissing)
  process.stderr.write(
    "tests of the MCP server with official tools ARE SKIPPED: node scripts/mcp-tools.mjs gets them\n",
  );

const TIME = 120_000;

function inspect(project: RuleProject, ...args: readonly string[]): Promise<CommandResult> {
  const { repo } = project;
  const server = [process.execPath, bin, "-C", repo.root, "mcp", "--allow-commands"];
  return runCommand(MCP_TOOLS.node, [MCP_TOOLS.inspector, "--cli", ...server, ...args], {
    cwd: repo.home,
    env: repo.env,
    timeoutMs: TIME,
  });
}

describe.skipIf(isMissing).each(["legacy", "modern"])("the inspector, %s era", (era) => {
  const how = ["--protocol-era", era, "--format", "json"];

  it("finds nothing wrong with the tools", { timeout: TIME }, async () => {
    await withDirty(async (project) => {
      const listed = await inspect(project, ...how, "--method", "tools/list", "--strict");
      expect(listed.code).toBe(0);
      expect(listed.stderr).not.toMatch(/warning|error/i);
    });
  });

  it("lists resources and prompts, and takes a checkpoint", { timeout: TIME }, async () => {
    await withDirty(async (project) => {
      for (const what of ["resources", "prompts"]) {
        const { code, stdout } = await inspect(project, ...how, "--method", `${what}/list`);
        expect(code).toBe(0);
        expect(items(JSON.parse(stdout.toString()), "result", what).length).toBeGreaterThan(1);
      }
      const given = ["--tool-name", "create_checkpoint", "--tool-args-json", '{"reason":"why"}'];
      const called = await inspect(project, ...how, "--method", "tools/call", ...given);
      expect(called.code).toBe(0);
      const document = field(JSON.parse(called.stdout.toString()), "result", "structuredContent");
      expect(text(document, "checkpoint", "reason")).toBe("why");
    });
  });
});

const BOTH = [
  "server-initialize",
  "ping",
  "tools-list",
  "resources-list",
  "prompts-list",
  "server-sse-multiple-streams",
  "dns-rebinding-protection",
];

/** Those that need no tools made for them. */
const SCENARIOS: readonly (readonly [string, string, readonly string[]])[] = [
  ["2025", MCP_TOOLS.conformance2025, BOTH],
  [
    "2026",
    MCP_TOOLS.conformance2026,
    [
      ...BOTH,
      "sep-2164-resource-not-found",
      "caching",
      "http-header-validation",
      "input-required-result-unsupported-methods",
      "input-required-result-ignore-extra-params",
    ],
  ],
];

const TOKEN = "a-token-for-the-conformance-suite";

describe.skipIf(isMissing).each(SCENARIOS)("the conformance suite of %s", (_, suite, scenarios) => {
  it("passes in what is about every server", { timeout: 5 * TIME }, async () => {
    await withDirty(async ({ repo }) => {
      const serve = async (url: string): Promise<void> => {
        for (const scenario of scenarios) {
          const run = await runCommand(
            MCP_TOOLS.node,
            [suite, "server", "--url", url, "--scenario", scenario],
            { cwd: repo.home, env: repo.env, timeoutMs: TIME },
          );
          expect([scenario, run.code, run.code === 0 ? "" : run.stdout.toString()]).toEqual([
            scenario,
            0,
            "",
          ]);
        }
      };
      await withRawServer(
        repo,
        ["--http"],
        async (server) => {
          const [, url = ""] = await server.until(
            () => /listening on (\S+)\n/.exec(server.stderr) ?? undefined,
          );
          await withToken(new URL(url), serve);
        },
        { WAYMARK_MCP_TOKEN: TOKEN },
      );
    });
  });
});

/** The suite knows no tokens: this stands between and adds ours. Every other header stays, for the checks of `Host` and `Origin`. */
async function withToken(target: URL, body: (url: string) => Promise<void>): Promise<void> {
  const proxy: Server = createServer((from, to) => {
    const headers = { ...from.headers, authorization: `Bearer ${TOKEN}` };
    const options = { method: from.method, path: from.url, headers, port: target.port };
    const passed = request({ ...options, host: target.hostname }, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(to);
    });
    passed.on("error", () => to.destroy());
    from.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  try {
    await body(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`);
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
}

const agents = new URL("../../node_modules/.cache/waymark-agents/", import.meta.url).pathname;
const platform = `${process.platform}-${process.arch}`;
const CLIENTS = [
  {
    name: "claude",
    command: [`${agents}claude/node_modules/@anthropic-ai/claude-code-${platform}/claude`],
    add: ["mcp", "add", "--scope", "user", "waymark", "--"],
    says: /waymark: .*Connected/,
  },
  {
    name: "gemini",
    command: [MCP_TOOLS.node, `${agents}gemini/node_modules/@google/gemini-cli/bundle/gemini.js`],
    add: ["mcp", "add", "--scope", "user", "waymark"],
    says: /waymark: .*Connected/,
  },
];

for (const { name, command, add, says } of CLIENTS) {
  const [program = "", ...first] = command;
  describe.skipIf(command.some((file) => !existsSync(file)))(`${name} mcp list`, () => {
    it("says that it is connected", { timeout: TIME }, async () => {
      await withDirty(async ({ repo }) => {
        const trusted = JSON.stringify({ [repo.root]: "TRUST_FOLDER" });
        await repo.write("../home/.gemini/trustedFolders.json", trusted);
        const env = { ...repo.env, DISABLE_AUTOUPDATER: "1", GEMINI_API_KEY: "dummy" };
        const run = (...args: readonly string[]): Promise<CommandResult> =>
          runCommand(program, [...first, ...args], { cwd: repo.root, env, timeoutMs: TIME });
        await run(...add, process.execPath, bin, "mcp");
        const { stdout, stderr } = await run("mcp", "list");
        expect(`${stdout.toString()}${stderr}`).toMatch(says);
      });
    });
  });
}
