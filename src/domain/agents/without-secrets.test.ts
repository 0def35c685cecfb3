import { describe, expect, it } from "vitest";
import type { AgentEvent } from "./agent-event.ts";
import { withoutSecrets } from "./without-secrets.ts";

const TOKEN = ["ghp", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("_");

function event(id: string, name: string): AgentEvent {
  const tool = { name, kind: "other", paths: [], callId: id, input: "{}" } as const;
  return {
    agent: "claude",
    moment: "pre_tool",
    eventName: "PreToolUse",
    sessionId: id,
    turnId: id,
    tool,
  };
}

describe("names and ids of an agent", () => {
  it("lose what looks like a token", () => {
    const clean = withoutSecrets(event(TOKEN, `mcp__${TOKEN}__get`));
    expect(JSON.stringify(clean)).not.toContain(TOKEN);
    expect(clean.tool?.name).toBe("mcp__[redacted: github-token]__get");
  });

  it("stay as they are otherwise", () => {
    const usual = event("d7755116-7a2b-4e5d-9c1a-0b2f6f2f5f10", "mcp__files__write_file");
    expect(withoutSecrets(usual)).toEqual(usual);
  });
});
