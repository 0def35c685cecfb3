import { describe, expect, it } from "vitest";
import { actualAgent, type Environment } from "./actual-agent.ts";
import type { AgentName } from "./agents.ts";

const IN_CLAUDE = { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: "outer" };

describe("who really asks where the command says claude", () => {
  it.each<[AgentName, string, object, Environment]>([
    ["claude", "nothing says otherwise", {}, {}],
    ["claude", "its own session", { session_id: "outer" }, { ...IN_CLAUDE, COPILOT_CLI: "1" }],
    ["claude", "its transcript", { transcript_path: "/x/.claude/a.jsonl" }, { COPILOT_CLI: "1" }],
    ["copilot", "its mark", { session_id: "s" }, { COPILOT_CLI: "1" }],
    [
      "copilot",
      "its mark, started by Claude",
      { session_id: "s" },
      { ...IN_CLAUDE, COPILOT_CLI: "1" },
    ],
    ["copilot", "its own form", { sessionId: "s" }, {}],
    ["cursor", "its version", { cursor_version: "2.4" }, {}],
    ["cursor", "its variable", {}, { CURSOR_VERSION: "2.4" }],
    ["codex", "its turns", { session_id: "s", turn_id: "t" }, {}],
    ["codex", "its transcript", { transcript_path: "/x/.codex/sessions/a.jsonl" }, {}],
    ["codex", "its transcript elsewhere", { transcript_path: "/x/rollout-2026-a.jsonl" }, {}],
    [
      "codex",
      "its transcript in a home below Claude's",
      { transcript_path: "/.claude/t/.codex/a" },
      {},
    ],
    ["gemini", "its events", { hook_event_name: "BeforeTool" }, {}],
    ["gemini", "its session", { session_id: "s" }, { GEMINI_SESSION_ID: "s" }],
    ["qwen", "its variables", {}, { QWEN_PROJECT_DIR: "/p", GEMINI_PROJECT_DIR: "/p" }],
  ])("is %s by %s", (agent, _by, payload, env) => {
    expect(actualAgent("claude", { ...payload }, env)).toBe(agent);
  });

  it("is whom the command names in all other cases", () => {
    expect(actualAgent("codex", { cursor_version: "2.4" }, { COPILOT_CLI: "1" })).toBe("codex");
  });
});
