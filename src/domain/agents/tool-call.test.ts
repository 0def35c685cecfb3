import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AGENTS, type AgentName } from "./agents.ts";
import { toolCall } from "./tool-call.ts";
import { TOOL_LISTS } from "./tool-lists.ts";

function kindOf(agent: AgentName, name: string, mcpServer?: string): string {
  return toolCall(agent, { name, input: { file_path: "a.txt" }, mcpServer }).kind;
}

/** Names of every list, as they are and altered a little. */
const listed = AGENTS.flatMap((agent) =>
  Object.values(TOOL_LISTS[agent]).flatMap((set) => [...set]),
);
const anyName = fc.oneof(
  fc.string(),
  fc.constantFrom(...listed),
  fc.tuple(fc.constantFrom(...listed), fc.string()).map(([name, more]) => name + more),
  fc.constantFrom(...listed).map((name) => name.toLowerCase()),
);

describe("what a tool may do", () => {
  it("[R98] is nothing but reading only for tools of the agent's own list and for ours", () => {
    fc.assert(
      fc.property(fc.constantFrom(...AGENTS), anyName, (agent, name) => {
        const isListed = TOOL_LISTS[agent].read.has(name) || /waymark/u.test(name);
        if (!isListed) expect(kindOf(agent, name)).not.toBe("read");
      }),
      { numRuns: 2000 },
    );
  });

  it("[R98] is anything for a tool of a foreign MCP server, whatever it is called", () => {
    for (const agent of AGENTS)
      for (const name of TOOL_LISTS[agent].read) {
        expect(kindOf(agent, name, "")).toBe("other");
        expect(kindOf(agent, name, "files")).toBe("other");
        expect(kindOf(agent, `mcp__files__${name}`)).toBe("other");
      }
  });

  it("has every name on one list of an agent only", () => {
    for (const agent of AGENTS) {
      const { read, write, shell } = TOOL_LISTS[agent];
      const names = [...read, ...write, ...shell];
      expect(names).toEqual([...new Set(names)]);
      expect(names.every((name) => /^\w+$/u.test(name))).toBe(true);
    }
  });

  it.each<[AgentName, string]>([
    ["claude", "mcp__waymark__roll_back"],
    ["claude", "mcp__plugin_waymark_waymark__create_checkpoint"],
    ["gemini", "mcp_waymark_undo"],
    ["opencode", "waymark_list_checkpoints"],
    ["copilot", "waymark-roll_back"],
  ])("is looked after by our own MCP server: %s calls it %s", (agent, name) => {
    expect(kindOf(agent, name)).toBe("read");
  });

  it("is not looked after by servers that are only called like ours", () => {
    for (const name of ["mcp__waymark2__x", "mcp__my_waymark__x", "waymark", "xwaymark_y"])
      expect(kindOf("claude", name)).toBe("other");
  });

  it.each(["Agent", "Task", "Skill", "KillShell", "Monitor", "bash", "read"])(
    "might be anything: %s of Claude",
    (name) => {
      expect(kindOf("claude", name)).toBe("other");
    },
  );

  it("might be anything where a tool that writes does not say what", () => {
    const { kind, paths } = toolCall("claude", { name: "Write", input: { where: "a.txt" } });
    expect({ kind, paths }).toEqual({ kind: "other", paths: [] });
  });
});
