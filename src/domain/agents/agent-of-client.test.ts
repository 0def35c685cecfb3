import { describe, expect, it } from "vitest";
import { agentOfClient } from "./agent-of-client.ts";

describe("the agent behind an MCP client", () => {
  it.each([
    ["claude-code", "claude"],
    ["codex-mcp-client", "codex"],
    ["gemini-cli-mcp-client", "gemini"],
    ["github-copilot-developer", "copilot"],
    ["copilot-cli", "copilot"],
    ["cursor-vscode", "cursor"],
    ["opencode", "opencode"],
    ["Cline", "cline"],
    ["qwen-code", "qwen"],
    ["inspector-client", "inspector-client"],
    ["declined", "declined"],
    ["my\u001b[31m agent\n", "my__31m agent"],
    ["", undefined],
    [undefined, undefined],
  ])("%j is %j", (name, agent) => {
    expect(agentOfClient(name)).toBe(agent);
  });

  it("is short, and no secret", () => {
    expect(agentOfClient("x".repeat(500))).toHaveLength(60);
    const token = ["ghp", "aB3dE5gH7jK9mN1pQ2sT4vW6xY8zA0cD5fG7"].join("_");
    expect(agentOfClient(`c ${token}`)).not.toContain(token.toLowerCase());
  });
});
