/** The plugin folder and the extension, as agents read them: what `npm run test:agents` tries with the real ones, without them. */
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { AgentName } from "../../src/domain/agents/agents.ts";
import { hookCommand } from "../../src/domain/agents/hook-command.ts";
import { HOOK_LAYOUTS } from "../../src/domain/agents/hook-table.ts";
import { runCommand } from "../support/run-command.ts";

const ROOT = new URL("../../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), "utf8");
const json = (path: string): Record<string, unknown> =>
  JSON.parse(read(path)) as Record<string, unknown>;
const list = (path: string): string[] => readdirSync(new URL(path, ROOT)).toSorted();

const manifest = json("package.json");
const SKILLS = list("plugin/skills");
const COMMANDS = list("plugin/commands").map((file) => file.replace(/\.md$/, ""));

function frontmatter(path: string): Record<string, unknown> {
  const [, head = ""] = /^---\n([\s\S]*?)^---\n/m.exec(read(path)) ?? [];
  return parse(head) as Record<string, unknown>;
}

describe("the manifests", () => {
  it.each([
    "plugin/.claude-plugin/plugin.json",
    "plugin/.codex-plugin/plugin.json",
    "gemini-extension/gemini-extension.json",
  ])("%s has the name and the version of the package", (path) => {
    const { name, version, description } = json(path);
    expect({ name, version }).toEqual({ name: manifest["name"], version: manifest["version"] });
    expect(description).toMatch(/\w/);
  });

  it("tell Codex the same as Claude Code, except for where its hooks are", () => {
    const { hooks, ...same } = json("plugin/.codex-plugin/plugin.json");
    expect(same).toEqual(json("plugin/.claude-plugin/plugin.json"));
    expect(hooks).toBe("./hooks/codex.json");
    expect(same).toMatchObject({ license: manifest["license"], keywords: manifest["keywords"] });
  });

  it("are in a marketplace of the same name, one level up", () => {
    expect(json(".claude-plugin/marketplace.json")).toMatchObject({
      name: "waymark",
      owner: { name: expect.stringMatching(/\w/) as unknown },
      plugins: [{ name: "waymark", source: "./plugin" }],
    });
  });

  it("start the MCP server in the same way everywhere", () => {
    const servers = { waymark: { command: "waymark", args: ["mcp"] } };
    expect(json("plugin/.mcp.json")).toEqual({ mcpServers: servers });
    expect(json("gemini-extension/gemini-extension.json")["mcpServers"]).toEqual(servers);
  });

  it("are in the npm package, with everything beside them", () => {
    expect(manifest["files"]).toEqual(
      expect.arrayContaining([".claude-plugin", "plugin", "gemini-extension"]),
    );
  });
});

describe("the hooks", () => {
  const FILES: readonly (readonly [string, AgentName])[] = [
    ["plugin/hooks/hooks.json", "claude"],
    ["plugin/hooks/codex.json", "codex"],
    ["gemini-extension/hooks/hooks.json", "gemini"],
  ];

  it.each(FILES)("of %s are those that `hooks install` writes for %s", (path, agent) => {
    const layout = HOOK_LAYOUTS[agent];
    if (layout.kind !== "settings") throw new Error(`${agent} has no settings file`);
    const events = layout.events.map(({ name, matcher, timeout }) => {
      const hook = {
        type: "command",
        command: hookCommand(agent),
        timeout: timeout ?? layout.timeout,
      };
      return [name, [{ ...(matcher === undefined ? {} : { matcher }), hooks: [hook] }]];
    });
    expect(json(path)).toEqual({ hooks: Object.fromEntries(events) as unknown });
  });

  it.each(FILES)("of %s end well without Waymark, and when it fails", async (path) => {
    const commands = [...read(path).matchAll(/"command": (".*")/g)].map(
      ([, command = ""]) => JSON.parse(command) as string,
    );
    expect(commands.length).toBeGreaterThan(4);
    for (const command of new Set(commands)) {
      for (const first of ["", "waymark() { return 3; }; "]) {
        const result = await runCommand("/bin/sh", ["-c", `${first}${command}`], {
          env: { PATH: "/nowhere" },
          input: "{}",
        });
        expect(result).toMatchObject({ code: 0, stderr: "" });
        expect(result.stdout.toString()).toBe("");
      }
    }
  });

  it.each(["plugin/hooks/hooks.json", "gemini-extension/hooks/hooks.json"])(
    "of %s match tools that may change something, also where the whole name has to match",
    (path) => {
      const [, matcher = ""] = /"matcher": "(.*)"/.exec(read(path)) ?? [];
      for (const pattern of [new RegExp(matcher), new RegExp(`^(?:${matcher})$`)]) {
        for (const name of ["Bash", "Write", "run_shell_command", "mcp__any__thing", "Reader"]) {
          expect(pattern.test(name)).toBe(true);
        }
        expect(pattern.test(path.startsWith("plugin") ? "Read" : "read_file")).toBe(false);
      }
    },
  );

  it("for Codex have no matcher that its regular expressions do not know", () => {
    expect(read("plugin/hooks/codex.json")).not.toContain("(?");
  });
});

describe("skills and commands", () => {
  it("are these", () => {
    expect(SKILLS).toEqual(["checkpoint", "guard", "resume", "rollback"]);
    expect(COMMANDS).toEqual(["changes", "checkpoints", "protection", "undo-rollback"]);
  });

  const portable = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

  it.each(SKILLS)("the skill %s says what it is in words that every agent knows", (name) => {
    const head = frontmatter(`plugin/skills/${name}/SKILL.md`);
    expect(Object.keys(head).filter((key) => !portable.includes(key))).toEqual([]);
    expect(head["name"]).toBe(name);
    // The limits of agentskills.io.
    const { description, compatibility } = head as { description: string; compatibility: string };
    expect(description.length).toBeLessThanOrEqual(1024);
    expect(description).toContain("Use ");
    expect(compatibility.length).toBeLessThanOrEqual(500);
  });

  it.each(SKILLS)("the skill %s has every section", (name) => {
    const headings = [...read(`plugin/skills/${name}/SKILL.md`).matchAll(/^## (.*)$/gm)].map(
      ([, title = ""]) => title.split(":", 1)[0],
    );
    expect(headings).toEqual(
      expect.arrayContaining(["When", "Inputs", "Procedure", "Output contract", "Safety rules"]),
    );
  });

  it.each(SKILLS)("the skill %s allows nothing by itself that changes the project", (name) => {
    const allowed = JSON.stringify(
      frontmatter(`plugin/skills/${name}/SKILL.md`)["allowed-tools"] ?? "",
    );
    expect(allowed).not.toMatch(
      /waymark (?:\*|:|rollback|undo|redo|resume|guard|delete|run|phase)/,
    );
  });

  it.each(COMMANDS)(
    "the command %s describes itself, and runs nothing before the agent reads it",
    (name) => {
      const path = `plugin/commands/${name}.md`;
      expect(frontmatter(path)["description"]).toMatch(/\w/);
      // Claude Code runs !`…`, Gemini CLI !{…} and reads @{…}.
      expect(read(path)).not.toMatch(/!`|[!@]\{/);
    },
  );
});

describe("what directories of plugins ask for", () => {
  it("is a README of some words", () => {
    expect(read("plugin/README.md").split(/\s+/).length).toBeGreaterThan(40);
  });

  it("is a square icon of 512 pixels or more", () => {
    const icon = readFileSync(new URL("plugin/.claude-plugin/icon.png", ROOT));
    expect(icon.subarray(1, 4).toString()).toBe("PNG");
    const [width, height] = [icon.readUInt32BE(16), icon.readUInt32BE(20)];
    expect(width).toBe(height);
    expect(width).toBeGreaterThanOrEqual(512);
  });
});

describe("the Gemini extension", () => {
  it("has what `npm run docs` makes of the plugin", async () => {
    const script = fileURLToPath(new URL("scripts/gemini-extension.mjs", ROOT));
    const { code, stderr } = await runCommand(process.execPath, [script, "--check"], {
      env: process.env,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  it("has a command for each skill and command of the plugin", () => {
    const names = [...SKILLS, ...COMMANDS].map((name) => `${name}.toml`).toSorted();
    expect(list("gemini-extension/commands/waymark")).toEqual(names);
    for (const name of names) {
      expect(read(`gemini-extension/commands/waymark/${name}`)).toMatch(
        /^description = ".+"\nprompt = """\n[\s\S]+\n"""\n$/,
      );
    }
  });

  it("has milliseconds where the others have seconds", () => {
    const times = [...read("gemini-extension/hooks/hooks.json").matchAll(/"timeout": (\d+)/g)];
    expect(times.map(([, time]) => Number(time))).toEqual(Array(5).fill(30_000));
  });
});
