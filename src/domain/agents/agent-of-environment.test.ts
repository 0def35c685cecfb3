import { describe, expect, it } from "vitest";
import { agentOfEnvironment } from "./agent-of-environment.ts";

describe("which agent runs a command", () => {
  it.each([
    [{ CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: "a" }, "claude", "a"],
    [{ CLAUDECODE: "1" }, "claude", null],
    [{ GEMINI_CLI: "1" }, "gemini", null],
    [{ GEMINI_SESSION_ID: "g" }, "gemini", "g"],
    [{ QWEN_CODE_SESSION_ID: "q", GEMINI_PROJECT_DIR: "/x" }, "qwen", "q"],
    [{ CODEX_THREAD_ID: "c" }, "codex", "c"],
    [{ COPILOT_CLI: "1", CLAUDE_PROJECT_DIR: "/x" }, "copilot", null],
    [{ OPENCODE: "1" }, "opencode", null],
  ])("%j: %s", (env, agent, session) => {
    expect(agentOfEnvironment(env)).toEqual({ agent, agent_session_id: session });
  });

  it("is nobody where nothing is set, or only what users set themselves", () => {
    expect(agentOfEnvironment({})).toBeUndefined();
    expect(agentOfEnvironment({ CLAUDECODE: "", GEMINI_API_KEY: "k" })).toBeUndefined();
  });
});
