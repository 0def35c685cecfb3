import { describe, expect, it } from "vitest";
import { AGENTS } from "./agents.ts";
import { HOOK_LAYOUTS } from "./hook-table.ts";
import { TOOL_LISTS } from "./tool-lists.ts";

describe.each(AGENTS)("what is installed for %s", (agent) => {
  const layout = HOOK_LAYOUTS[agent];
  const matchers =
    layout.kind === "settings" ? layout.events.flatMap(({ matcher }) => matcher ?? []) : [];
  const tools = TOOL_LISTS[agent];

  it("leaves out no tool that may change something", () => {
    for (const matcher of matchers) {
      const pattern = new RegExp(`^(?:${matcher})$`);
      const skipped = /\(\?:([^)]*)\)/.exec(matcher)?.[1]?.split("|") ?? [];
      expect(skipped.filter((name) => !tools.read.has(name))).toEqual([]);
      expect(skipped.filter((name) => pattern.test(name))).toEqual([]);
      const others = [...tools.write, ...tools.shell, "mcp__x__read_file", "ReadMe", "new_tool"];
      expect(others.filter((name) => !pattern.test(name))).toEqual([]);
    }
  });

  it("gives hooks more time than they take for themselves", () => {
    if (layout.kind !== "settings" || layout.timeoutField === null) return;
    const unitsPerSecond = agent === "gemini" || agent === "qwen" ? 1000 : 1;
    expect(layout.timeout / unitsPerSecond).toBe(30);
  });
});
