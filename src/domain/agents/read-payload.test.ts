import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AgentEvent } from "./agent-event.ts";
import { AGENTS } from "./agents.ts";
import { readPayload } from "./read-payload.ts";

/** Field names that readers look for, so that any value ends up in them. */
const FIELDS =
  `hook_event_name session_id cwd tool_name tool_input tool_use_id prompt toolName toolArgs sessionId workspace_roots workspaceRoots preToolUse tool_call
  tool args call_id taskId command mcp_context turn_id transcript_path userPromptSubmit __proto__ constructor toString prompt_id timestamp hookName
  sessionContext url`.split(/\s+/u);
const EVENT_NAMES = ["PreToolUse", "preToolUse", "BeforeTool", "tool.execute.before", "", "x"];
const anyPayload = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.dictionary(
    fc.constantFrom(...FIELDS),
    fc.oneof(
      fc.jsonValue(),
      fc.string(),
      fc.dictionary(fc.constantFrom(...FIELDS), fc.jsonValue()),
    ),
  ),
);

describe("what agents say", () => {
  it("[R99] never throws, and what comes out has its types", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...AGENTS),
        fc.option(fc.constantFrom(...EVENT_NAMES), { nil: undefined }),
        anyPayload,
        (agent, name, payload) => {
          const event = readPayload(agent, name, JSON.parse(JSON.stringify(payload)), {});
          if (event !== undefined) expectTypes(event);
        },
      ),
      { numRuns: 3000 },
    );
  });

  it.each(AGENTS)("[R99] reads a payload of %s that is nested too deep to be walked", (agent) => {
    const deep: unknown = JSON.parse(`${'{"a":['.repeat(20_000)}1${"]}".repeat(20_000)}`);
    const other: unknown = JSON.parse(`${'{"a":['.repeat(20_000)}2${"]}".repeat(20_000)}`);
    const read = (input: unknown) => {
      const names = ["tool_input", "toolArgs", "args"].map((name) => [name, input]);
      const payload = { ...Object.fromEntries(names), preToolUse: { parameters: input } };
      return readPayload(agent, "PreToolUse", payload, {})?.tool?.input;
    };
    expect(read(deep)).toBeTypeOf("string");
    expect(read(deep)).not.toBe(read(other));
  });

  it.each([null, [], "text", 1, true, undefined])("makes nothing of %j", (payload) => {
    for (const agent of AGENTS)
      expect(readPayload(agent, "PreToolUse", payload, {})).toBeUndefined();
  });

  it("makes nothing of an object that says nothing, unless the command names the event", () => {
    for (const agent of AGENTS) expect(readPayload(agent, undefined, {}, {})).toBeUndefined();
    const named = readPayload("claude", "PreToolUse", {}, {});
    expect(named).toMatchObject({ moment: "pre_tool", sessionId: "" });
    expect(named?.tool).toMatchObject({ name: "unknown", kind: "other" });
  });

  it("knows events by other spellings too, and says them as the agent does", () => {
    const named = (name: string) => readPayload("claude", name, {}, {})?.eventName;
    for (const name of ["pre-tool-use", "pretooluse", "PRE_TOOL_USE"])
      expect(named(name)).toBe("PreToolUse");
  });

  it("believes the payload where the command names an event that the agent does not have", () => {
    const event = readPayload("gemini", "PreToolUse", { hook_event_name: "BeforeTool" }, {});
    expect(event).toMatchObject({ moment: "pre_tool", eventName: "BeforeTool" });
  });

  it("knows an event that the agent has taken over from another", () => {
    const event = readPayload("gemini", undefined, { hook_event_name: "PreToolUse" }, {});
    expect(event).toMatchObject({ moment: "pre_tool", eventName: "PreToolUse" });
  });

  it("calls an event that it does not know other", () => {
    const event = readPayload("claude", undefined, { hook_event_name: "Someday" }, {});
    expect(event).toMatchObject({ moment: "other", eventName: "Someday" });
  });

  it("guesses the event of Copilot's payloads, which do not name it", () => {
    const guess = (payload: unknown) => readPayload("copilot", undefined, payload, {})?.eventName;
    expect(guess({ toolName: "bash", toolArgs: {} })).toBe("preToolUse");
    expect(guess({ toolName: "bash", toolResult: {} })).toBe("postToolUse");
    expect(guess({ prompt: "" })).toBe("userPromptSubmitted");
    expect(guess({ sessionId: "s" })).toBeUndefined();
  });

  it("reads what a tool is called with also from a text of JSON", () => {
    const event = readPayload(
      ...(["copilot", "preToolUse"] as const),
      { toolName: "create", toolArgs: '{"path":"b.txt"}' },
      {},
    );
    expect(event?.tool).toMatchObject({ kind: "write", paths: ["b.txt"] });
  });

  it("takes the folder where the session began only if the payload names none", () => {
    const env = { CLAUDE_PROJECT_DIR: "/began" };
    const folder = (payload: unknown) => readPayload("claude", "Stop", payload, env)?.folder;
    expect(folder({ cwd: "/works/here" })).toBe("/works/here");
    expect(folder({ cwd: "" })).toBe("/began");
    expect(readPayload("codex", "Stop", {}, env)?.folder).toBeUndefined();
  });

  it("takes the open folder that a tool writes into", () => {
    const folder = (file_path: string) =>
      readPayload(
        ...(["cursor", "preToolUse"] as const),
        { workspace_roots: ["/a", "/ab/"], tool_name: "Write", tool_input: { file_path } },
        {},
      )?.folder;
    expect(folder("/ab/x")).toBe("/ab/");
    expect(folder("/a/x")).toBe("/a");
    expect(folder("/elsewhere/x")).toBe("/a");
  });

  it("does not take two prompts of one task in Cline's editor for one", () => {
    const payload = {
      hookName: "UserPromptSubmit",
      taskId: "t",
      userPromptSubmit: { prompt: "go" },
    };
    const event = readPayload("cline", "UserPromptSubmit", payload, {});
    expect(event).toMatchObject({ moment: "prompt", sessionId: "t", prompt: "go" });
    expect(event?.turnId).toBeUndefined();
  });

  it("does not take a tool of a server for Cursor's own that is called the same", () => {
    const kind = (name: string | undefined, more: object) =>
      readPayload("cursor", name, { tool_name: "Read", tool_input: "{}", ...more }, {})?.tool?.kind;
    expect(kind("preToolUse", {})).toBe("read");
    expect(kind("beforeMCPExecution", {})).toBe("other");
    expect(kind("preToolUse", { hook_event_name: "beforeMCPExecution" })).toBe("other");
    expect(kind(undefined, { url: "http://127.0.0.1/mcp" })).toBe("other");
    expect(kind(undefined, { command: "npx files" })).toBe("other");
  });

  it("cuts ids that have no end", () => {
    const event = readPayload("claude", "Stop", { session_id: "s".repeat(1_000_000) }, {});
    expect(event?.sessionId).toHaveLength(256);
  });
});

function expectTypes(event: AgentEvent): void {
  expect(AGENTS).toContain(event.agent);
  expect(event.eventName).toBeTypeOf("string");
  expect(event.sessionId).toBeTypeOf("string");
  for (const text of [event.turnId, event.folder, event.prompt, event.tool?.callId])
    expect(["string", "undefined"]).toContain(typeof text);
  if (event.sentAt !== undefined) expect(Date.parse(event.sentAt)).not.toBeNaN();
  const isOfTool = event.moment === "pre_tool" || event.moment === "post_tool";
  expect(event.tool !== undefined).toBe(isOfTool);
  if (event.tool === undefined) return;
  expect(["read", "write", "shell", "other"]).toContain(event.tool.kind);
  expect(event.tool.name).toBeTypeOf("string");
  expect(event.tool.input).toBeTypeOf("string");
  expect(event.tool.paths).toSatisfy((paths: unknown[]) =>
    paths.every((path) => typeof path === "string" && path !== ""),
  );
  expect(event.tool.paths.length > 0).toBe(event.tool.kind === "write");
}
