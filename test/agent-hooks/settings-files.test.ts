/** Installing into random settings files, and taking it back. */
import {
  mkdtempSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
  chmodSync,
  existsSync,
  readdirSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { JsoncSettingsText } from "../../src/adapters/agents/jsonc-settings-text.ts";
import {
  anySettings,
  styleWith,
  commentsOf,
  writeSettings,
} from "../../src/adapters/agents/settings-text.fixture.ts";
import { openRepository } from "../../src/adapters/git/repository.ts";
import { agentSetup } from "../../src/assemble-agents.ts";
import { AGENTS, type AgentName } from "../../src/domain/agents/agents.ts";
import { HOOK_LAYOUTS } from "../../src/domain/agents/hook-table.ts";
import { hookPlace } from "../../src/domain/agents/hook-places.ts";
import { withEdits, type JsonEdit } from "../../src/domain/agents/json-edit.ts";
import type { AgentSetup } from "../../src/operations/agent-hooks/agent-setup.ts";
import { hooksStatus } from "../../src/operations/agent-hooks/hooks-status.ts";
import { installHooks } from "../../src/operations/agent-hooks/install-hooks.ts";
import { uninstallHooks } from "../../src/operations/agent-hooks/uninstall-hooks.ts";
import { runCommand } from "../support/run-command.ts";
import { runs } from "../support/sample.ts";

const AGENTS_WITH_SETTINGS = AGENTS.flatMap((agent) => {
  const layout = HOOK_LAYOUTS[agent];
  return layout.kind === "settings" ? [{ agent, layout }] : [];
});
const settings = new JsoncSettingsText();

let folder: string;
let setup: AgentSetup;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "waymark-settings-")));
  await runCommand("git", ["init", "-q", folder], { cwd: tmpdir(), env: process.env });
  setup = agentSetup(await openRepository(folder), folder, { PATH: "" });
});
afterAll(() => rmSync(folder, { recursive: true }));

const install = (agent: AgentName) =>
  installHooks(setup, {
    agents: [agent],
    scope: "project",
    via: "file",
    absolute: false,
    force: true,
    dryRun: false,
  });
const uninstall = (agent: AgentName) =>
  uninstallHooks(setup, { agents: [agent], scopes: ["project"], force: false, dryRun: false });

function placeOf(agent: AgentName): string {
  const path = hookPlace(agent, "project", setup.around);
  if (path === undefined) throw new Error(agent);
  mkdirSync(dirname(path), { recursive: true });
  return path;
}

function valueOf(text: string): unknown {
  const parsed = settings.parse(text);
  if (parsed.kind === "malformed") throw new Error(parsed.message);
  return parsed.value;
}

const someRuns = { numRuns: runs(10) };

describe.each(AGENTS_WITH_SETTINGS)("settings of $agent", ({ agent, layout }) => {
  it("[R106] have the exact bytes back after install and uninstall", async () => {
    const path = placeOf(agent);
    const anyMode = fc.constantFrom(0o600, 0o644, 0o664);
    await fc.assert(
      fc.asyncProperty(
        anySettings,
        styleWith(layout.reads),
        anyMode,
        async (value, style, mode) => {
          const text = writeSettings(value, style);
          writeFileSync(path, text);
          chmodSync(path, mode);
          const [installed] = await install(agent);
          expect(installed?.state).toBe("installed");
          expect(readFileSync(path, "utf8")).not.toBe(text);
          expect((await install(agent))[0]?.state).toBe("unchanged");
          await uninstall(agent);
          expect(readFileSync(path, "utf8")).toBe(text);
          expect(statSync(path).mode & 0o777).toBe(mode);
        },
      ),
      someRuns,
    );
    expect(setup.records("project").all()).toEqual([]);
  });

  it("[R106] that were not there are gone again, with their folders", async () => {
    const path = placeOf(agent);
    rmSync(path, { force: true });
    for (let at = dirname(path); at !== folder && readdirSync(at).length === 0; at = dirname(at))
      rmSync(at, { recursive: true });
    const before = readdirSync(folder, { recursive: true }).filter(
      (name) => !String(name).startsWith(".git/"),
    );
    await install(agent);
    expect(existsSync(path)).toBe(true);
    await uninstall(agent);
    expect(
      readdirSync(folder, { recursive: true }).filter((name) => !String(name).startsWith(".git/")),
    ).toEqual(before);
  });

  const extras = [
    ["comments", (text: string) => `// theirs\n${text}`],
    ["trailing commas", (text: string) => text.replace(/\}\s*$/, ",\n}\n")],
    ["a byte order mark", (text: string) => `\uFEFF${text}`],
  ] as const;

  it.each(extras)("with %s are refused unless the agent reads them", async (what, write) => {
    const path = placeOf(agent);
    const text = write('{\n  "x": 1\n}\n');
    writeFileSync(path, text);
    if (layout.reads.has(what)) {
      expect((await install(agent))[0]?.state).toBe("installed");
      await uninstall(agent);
    } else {
      await expect(install(agent)).rejects.toThrow(new RegExp(`:\\d+:1: .* with ${what}$`));
    }
    expect(readFileSync(path, "utf8")).toBe(text);
    // It got in later: the agent runs no hooks of that file any more, and ours can still be removed.
    writeFileSync(path, "{}");
    await install(agent);
    const later = write(readFileSync(path, "utf8"));
    writeFileSync(path, later);
    const [status] = hooksStatus(setup, [agent], undefined).agents;
    const isRead = layout.reads.has(what);
    expect(status?.ways.map(({ state }) => state)).toEqual([isRead ? "current" : "unreadable"]);
    expect(status?.ways[0]?.problem ?? "").toMatch(isRead ? /^$/ : new RegExp(`with ${what}$`));
    await uninstall(agent);
    expect(existsSync(path) ? readFileSync(path, "utf8") : "").not.toContain("waymark hook");
    rmSync(path, { force: true });
  });

  it("[R107] that others changed meanwhile keep their changes and lose only ours", async () => {
    const path = placeOf(agent);
    const event = layout.events[2]?.name ?? "";
    const theirs: JsonEdit[] = [
      { kind: "set", path: ["added"], value: { by: "them" } },
      { kind: "append", path: ["hooks", event], value: { hooks: [{ command: "theirs" }] } },
    ];
    await fc.assert(
      fc.asyncProperty(anySettings, styleWith(layout.reads), async (value, style) => {
        const text = writeSettings(value, style);
        writeFileSync(path, text);
        await install(agent);
        const edited = settings.edit(readFileSync(path, "utf8"), theirs);
        writeFileSync(path, edited);
        await uninstall(agent);
        const rest = readFileSync(path, "utf8");
        const start = withListOf(valueOf(text), event);
        expect(valueOf(rest)).toEqual(withEdits(start, theirs));
        expect(commentsOf(rest)).toEqual(commentsOf(text));
        expect(rest).not.toContain("waymark hook");
      }),
      someRuns,
    );
  });
});

describe("settings whose installation is not known any more", () => {
  it.each([
    '{"hooks": {"Stop": [ {"hooks":[]} ]}, "a": [ "old" ] }',
    '{ "model":"old" }',
    '{ "hooks": { "Other":[ ] }, "a": [ "old" ] }',
    '{ "model": "x",\n"a": ["old"\n] }\n',
  ])("[R107] lose only our hooks, and keep every space: %j", async (text) => {
    const path = placeOf("claude");
    writeFileSync(path, text);
    await install("claude");
    writeFileSync(path, readFileSync(path, "utf8").replace("old", "new"));
    await uninstall("claude");
    expect(readFileSync(path, "utf8")).toBe(text.replace("old", "new"));
    await install("claude");
    for (const record of setup.records("project").all()) setup.records("project").forget(record);
    await uninstall("claude");
    expect(readFileSync(path, "utf8")).toBe(text.replace("old", "new"));
    rmSync(path);
  });
});

/** With the list that their change adds to. */
function withListOf(value: unknown, event: string): unknown {
  const root = structuredClone(value) as { hooks?: Record<string, unknown> };
  root.hooks ??= {};
  root.hooks[event] ??= [];
  return root;
}
