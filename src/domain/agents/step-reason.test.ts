import { describe, expect, it } from "vitest";
import type { ToolCall } from "./agent-event.ts";
import { stepReason } from "./step-reason.ts";

const tool = (name: string, kind: ToolCall["kind"], input: unknown): { tool: ToolCall } => ({
  tool: { name, kind, paths: [], input: JSON.stringify(input) },
});

describe("why a hook took a checkpoint", () => {
  it.each([
    ["before Write src/a.ts", tool("Write", "write", {}), ["src/a.ts"]],
    ["before apply_patch a and 2 more", tool("apply_patch", "write", {}), ["a", "b", "c"]],
    ["before Write", tool("Write", "write", {}), []],
    ["before Bash: npm test", tool("Bash", "shell", { command: " npm  test\n" }), []],
    ["before Bash: curl", tool("Bash", "shell", { command: "curl -u bob:hunter2 x" }), []],
    ["before shell: git status", tool("shell", "shell", { command: ["git", "status"] }), []],
    ["before run_commands: a; b", tool("run_commands", "shell", { commands: ["a", "b"] }), []],
    ["before Bash", tool("Bash", "shell", { command: 3 }), []],
    ["before Bash", tool("Bash", "shell", "text"), []],
    ["before mcp__x__y", tool("mcp__x__y", "other", { command: "x" }), []],
    ["before a tool", {}, []],
  ])("%s", (reason, event, paths) => {
    expect(stepReason("pre_tool", event, paths, 3, false)).toBe(reason);
  });

  it("holds nothing of a prompt, and of commands no arguments", () => {
    expect(stepReason("prompt", { prompt: "my password is hunter2" }, [], 3, false)).toBe("turn 3");
    const command = "sshpass -p hunter2 ssh host";
    const step = tool("Bash", "shell", { command });
    expect(stepReason("pre_tool", step, [], 3, false)).toBe("before Bash: sshpass");
    expect(stepReason("pre_tool", step, [], 3, true)).toBe(
      "before Bash: sshpass -p [redacted: sshpass-password] ssh host",
    );
  });

  it("is cut by characters and not by halves of them", () => {
    const said = stepReason("prompt", { prompt: "🙂".repeat(100) }, [], 2, true);
    expect(said).toBe(`turn 2: ${"🙂".repeat(59)}…`);
  });

  it("says which turn ended, where it is known", () => {
    expect(stepReason("turn_end", {}, [], 0, false)).toBe("after a turn");
    expect(stepReason("turn_end", {}, [], 2, false)).toBe("after turn 2");
    expect(stepReason("prompt", {}, [], 2, false)).toBe("turn 2");
  });
});
