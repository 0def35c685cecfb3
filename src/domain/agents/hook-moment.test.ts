import { describe, expect, it } from "vitest";
import { DEFAULT_CONFIG } from "../config.ts";
import type { AgentMoment, ToolKind } from "./agent-event.ts";
import { deadlineFor, hookTrigger, isOfNoConcern, policyFor } from "./hook-moment.ts";

const of = (moment: AgentMoment, kind: ToolKind = "other") => ({
  moment,
  tool: { name: "x", kind, paths: [], input: "" },
});

describe("what a moment leads to", () => {
  it("is of no concern only where a tool is known to read, or is over", () => {
    expect(isOfNoConcern(of("pre_tool", "read"))).toBe(true);
    for (const kind of ["write", "shell", "other"] as const)
      expect(isOfNoConcern(of("pre_tool", kind))).toBe(false);
    expect(isOfNoConcern({ moment: "pre_tool" })).toBe(false);
    expect(isOfNoConcern({ moment: "prompt" })).toBe(false);
    expect(isOfNoConcern(of("post_tool"))).toBe(true);
  });

  it("follows the settings", () => {
    const off = { ...DEFAULT_CONFIG, triggers: { ...DEFAULT_CONFIG.triggers, toolUse: false } };
    const manual = { ...DEFAULT_CONFIG, strategy: "manual" } as const;
    expect(hookTrigger("pre_tool", DEFAULT_CONFIG)).toBe("tool_use");
    expect(hookTrigger("pre_tool", off)).toBeUndefined();
    expect(hookTrigger("prompt", off)).toBe("auto");
    expect(hookTrigger("session_end", off)).toBe("session_end");
    expect(hookTrigger("prompt", manual)).toBeUndefined();
  });

  it("an agent's own policy counts before that of all", () => {
    const agents = {
      policy: "fail_closed",
      policies: { claude: "fail_open" },
      deadline: 5000,
      prompts: false,
    } as const;
    expect(policyFor("claude", { agents })).toBe("fail_open");
    expect(policyFor("codex", { agents })).toBe("fail_closed");
  });

  it("hurries at the end of a session where the agent does", () => {
    expect(deadlineFor({ agent: "claude", moment: "session_end" }, DEFAULT_CONFIG)).toBe(1400);
    expect(deadlineFor({ agent: "gemini", moment: "session_end" }, DEFAULT_CONFIG)).toBe(10_000);
    expect(deadlineFor({ agent: "claude", moment: "pre_tool" }, DEFAULT_CONFIG)).toBe(10_000);
  });
});
