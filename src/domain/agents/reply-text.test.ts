import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isRecord } from "../is-record.ts";
import type { AgentMoment } from "./agent-event.ts";
import { AGENTS, type AgentName } from "./agents.ts";
import { replyText, takesContext } from "./reply-text.ts";

const MOMENTS = [
  ...(["session_start", "prompt", "pre_tool", "post_tool"] as const),
  ...(["turn_end", "session_end", "other"] as const),
];
const EVENT: Readonly<Record<AgentName, string>> = {
  claude: "PreToolUse",
  codex: "PreToolUse",
  qwen: "PreToolUse",
  gemini: "BeforeTool",
  copilot: "preToolUse",
  cursor: "preToolUse",
  opencode: "tool.execute.before",
  cline: "PreToolUse",
};

/** All that a document may say beside the texts of the reply. */
const SAYS = new Set(
  ["permissionDecision", "decision", "permission"]
    .map((name) => JSON.stringify([name, "deny"]))
    .concat(JSON.stringify(["cancel", true])),
);

describe("what agents are told", () => {
  it("[R99] never approves anything, and denies only a tool that has not run", () => {
    const text = fc.option(fc.string(), { nil: undefined });
    fc.assert(
      fc.property(
        fc.constantFrom(...AGENTS),
        fc.constantFrom<AgentMoment>(...MOMENTS),
        fc.constantFrom("PreToolUse", "preToolUse", "x"),
        fc.record({ deny: text, message: text, context: text }),
        (agent, moment, eventName, reply) => {
          const { stdout } = replyText({ agent, moment, eventName }, given(reply));
          if (stdout === "") return;
          const texts = new Set<unknown>([...Object.values(reply), eventName]);
          const rest = leaves(JSON.parse(stdout)).filter(([, value]) => !texts.has(value));
          expect(rest.filter((leaf) => !SAYS.has(JSON.stringify(leaf)))).toEqual([]);
          if (moment !== "pre_tool" || !reply.deny) expect(rest).toEqual([]);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it.each(AGENTS)("is nothing at all where there is nothing to say to %s", (agent) => {
    for (const moment of MOMENTS) {
      const event = { agent, moment, eventName: EVENT[agent] };
      expect(replyText(event, {})).toEqual({ stdout: "", stderr: "" });
      expect(replyText(event, { deny: "", message: "" })).toEqual({ stdout: "", stderr: "" });
    }
  });

  it("is a denial in the agent's own form", () => {
    const said = Object.fromEntries(
      AGENTS.map((agent) => [agent, told(agent, EVENT[agent], "pre_tool", { deny: "no" })]),
    );
    const claude = {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: "no",
      },
    };
    expect(said).toEqual({
      claude,
      codex: claude,
      qwen: claude,
      gemini: { decision: "deny", reason: "no" },
      copilot: { permissionDecision: "deny", permissionDecisionReason: "no" },
      cursor: { permission: "deny", user_message: "no", agent_message: "no" },
      opencode: { deny: "no" },
      cline: { cancel: true, errorMessage: "no" },
    });
  });

  it("is a denial in both forms where another agent runs Claude's hooks", () => {
    const form = { hookSpecificOutput: { permissionDecision: "deny" } };
    expect(told("copilot", "PreToolUse", "pre_tool", { deny: "no" })).toMatchObject({
      ...form,
      permissionDecision: "deny",
    });
    expect(told("cursor", "PreToolUse", "pre_tool", { deny: "no" })).toMatchObject({
      ...form,
      permission: "deny",
    });
  });

  it("is something for the model where it reaches it", () => {
    const inClaude = (hookEventName: string) => ({
      hookSpecificOutput: { hookEventName, additionalContext: "note" },
    });
    const context = { context: "note" };
    for (const agent of ["claude", "codex", "qwen"] as const) {
      expect(told(agent, "UserPromptSubmit", "prompt", context)).toEqual(
        inClaude("UserPromptSubmit"),
      );
    }
    // Before the conversation that it is about.
    for (const agent of AGENTS) {
      const moment = "session_start";
      expect(takesContext({ agent, eventName: "SessionStart", moment })).toBe(agent === "cursor");
    }
    expect(told("gemini", "BeforeAgent", "prompt", context)).toEqual(inClaude("BeforeAgent"));
    expect(told("copilot", "userPromptSubmitted", "prompt", context)).toEqual({
      additionalContext: "note",
    });
    expect(told("copilot", "UserPromptSubmit", "prompt", context)).toEqual({
      ...inClaude("UserPromptSubmit"),
      additionalContext: "note",
    });
    expect(told("cursor", "sessionStart", "session_start", context)).toEqual({
      additional_context: "note",
    });
    expect(told("cline", "PreToolUse", "pre_tool", context)).toEqual({
      contextModification: "note",
    });
    expect(told("opencode", "chat.message", "prompt", context)).toEqual({ context: "note" });
  });

  it("goes to stderr where the agent has no word for it", () => {
    const silent = (agent: AgentName, moment: AgentMoment, reply: object) => {
      const { stdout, stderr } = replyText({ agent, moment, eventName: EVENT[agent] }, reply);
      expect({ agent, stdout, stderr }).toEqual({ agent, stdout: "", stderr: "said\n" });
    };
    for (const agent of AGENTS)
      for (const moment of MOMENTS) {
        if (moment !== "pre_tool") silent(agent, moment, { deny: "said" });
        if (!takesContext({ agent, moment, eventName: "" }))
          silent(agent, moment, { context: "said" });
      }
    for (const agent of ["copilot", "cursor", "cline"] as const)
      silent(agent, "prompt", { message: "said" });
    for (const agent of AGENTS) silent(agent, "session_end", { message: "said" });
  });

  it("says several things at once", () => {
    expect(told("claude", "PreToolUse", "pre_tool", { deny: "no", message: "see" })).toMatchObject({
      hookSpecificOutput: { permissionDecision: "deny" },
      systemMessage: "see",
    });
  });

  it("is cut where an agent would cut it", () => {
    const { stdout } = replyText(
      { agent: "claude", moment: "prompt", eventName: "UserPromptSubmit" },
      { context: "x".repeat(1_000_000) },
    );
    expect(stdout.length).toBeLessThan(10_000);
  });
});

function told(agent: AgentName, eventName: string, moment: AgentMoment, reply: object): unknown {
  const { stdout, stderr } = replyText({ agent, eventName, moment }, reply);
  expect(stderr).toBe("");
  expect(stdout).toMatch(/^\{.*\}\n$/u);
  return JSON.parse(stdout);
}

/** Without what is undefined. */
function given(reply: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(reply).flatMap(([part, text]) => (text === undefined ? [] : [[part, text]])),
  );
}

function leaves(value: unknown): [string, unknown][] {
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    isRecord(member) ? leaves(member) : [[name, member] as [string, unknown]],
  );
}
