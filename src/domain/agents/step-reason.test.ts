import { describe, expect, it } from "vitest";
import type { ToolCall } from "./agent-event.ts";
import { promptLine, stepReason } from "./step-reason.ts";

const NONE = { turn: 3, prompt: null };
const ASKED = { turn: 3, prompt: "fix the login test" };

const tool = (name: string, kind: ToolCall["kind"], input: unknown): ToolCall => ({
  name,
  kind,
  paths: [],
  input: JSON.stringify(input),
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
    ["before a tool", undefined, []],
  ])("%s", (reason, call, paths) => {
    expect(stepReason("pre_tool", call, paths, NONE)).toBe(reason);
    expect(stepReason("pre_tool", call, paths, ASKED)).toBe(`${reason} (fix the login test)`);
  });

  it("holds of commands no arguments", () => {
    const step = tool("Bash", "shell", { command: "sshpass -p hunter2 ssh host" });
    expect(stepReason("pre_tool", step, [], NONE)).toBe("before Bash: sshpass");
  });

  it("says what was asked, or which turn it is", () => {
    expect(stepReason("prompt", undefined, [], ASKED)).toBe("before: fix the login test");
    expect(stepReason("turn_end", undefined, [], ASKED)).toBe("after: fix the login test");
    expect(stepReason("prompt", undefined, [], NONE)).toBe("before turn 3");
    expect(stepReason("turn_end", undefined, [], NONE)).toBe("after turn 3");
    expect(stepReason("turn_end", undefined, [], { turn: 0, prompt: null })).toBe("after a turn");
  });

  it("is cut by characters and not by halves of them", () => {
    const prompt = promptLine("🙂".repeat(200));
    expect(prompt).toBe(`${"🙂".repeat(119)}…`);
    expect(stepReason("prompt", undefined, [], { turn: 2, prompt })).toBe(
      `before: ${"🙂".repeat(59)}…`,
    );
  });
});

describe("the line of a prompt", () => {
  it.each([
    ["fix the login test\nIt fails on CI:\n…", "fix the login test"],
    ["\n \t\r\n  fix   it\u001b[31m \n", "fix it [31m"],
    ["the password is hunter2xx, use it", "the password is [redacted: told-secret] use it"],
    ["log in with PASSWORD=hunter2xx", "log in with PASSWORD=[redacted: assigned-secret]"],
    ['"change files"', "change files"],
    ["fix the password reset of 2024", "fix the password reset of 2024"],
  ])("of %j", (prompt, line) => {
    expect(promptLine(prompt)).toBe(line);
  });

  it("is none where the prompt says nothing", () => {
    for (const prompt of [undefined, "", " \n\u0000 "]) expect(promptLine(prompt)).toBeNull();
  });
});
