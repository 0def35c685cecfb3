/**
 * What is said back to an agent, in the words that it understands. Nothing here ever approves a tool call: an agent that is told nothing asks its user as
 * always. What an agent has no word for goes to stderr, where its log has it.
 */
import type { AgentEvent, HookReply } from "./agent-event.ts";
import type { AgentName } from "./agents.ts";

type Asked = Pick<AgentEvent, "agent" | "eventName" | "moment" | "isUnheard">;
type Part = keyof HookReply;
type Document = Readonly<Record<string, unknown>>;
/** Undefined: it cannot be said. */
type Word = (text: string, event: Asked) => Document | undefined;

const PARTS = ["deny", "message", "context"] as const satisfies readonly Part[];

/** Claude Code cuts texts at 10,000 characters. */
const MOST_CHARACTERS = 9000;

const CLAUDE: Readonly<Record<Part, Word>> = {
  deny: (permissionDecisionReason, { eventName: hookEventName }) => ({
    hookSpecificOutput: { hookEventName, permissionDecision: "deny", permissionDecisionReason },
  }),
  message: (systemMessage) => ({ systemMessage }),
  context: (additionalContext, { eventName: hookEventName }) => ({
    hookSpecificOutput: { hookEventName, additionalContext },
  }),
};

const WORDS: Readonly<Record<AgentName, Readonly<Record<Part, Word>>>> = {
  claude: CLAUDE,
  codex: CLAUDE,
  qwen: CLAUDE,
  gemini: { ...CLAUDE, deny: (reason) => ({ decision: "deny", reason }) },
  copilot: {
    deny: (permissionDecisionReason, event) => ({
      permissionDecision: "deny",
      permissionDecisionReason,
      ...(isClaudeForm(event) ? CLAUDE.deny(permissionDecisionReason, event) : {}),
    }),
    message: cannot,
    context: (additionalContext, event) => ({
      additionalContext,
      ...(isClaudeForm(event) ? CLAUDE.context(additionalContext, event) : {}),
    }),
  },
  cursor: {
    deny: (reason, event) => ({
      permission: "deny",
      user_message: reason,
      agent_message: reason,
      ...(isClaudeForm(event) ? CLAUDE.deny(reason, event) : {}),
    }),
    message: cannot,
    context: (additional_context) => ({ additional_context }),
  },
  cline: {
    deny: (errorMessage) => ({ cancel: true, errorMessage }),
    message: cannot,
    context: (contextModification) => ({ contextModification }),
  },
  // Read by our own plugin file.
  opencode: {
    deny: (deny) => ({ deny }),
    message: (message) => ({ message }),
    context: (context) => ({ context }),
  },
};

export function replyText(event: Asked, reply: HookReply): { stdout: string; stderr: string } {
  let document: Document = {};
  const unsaid: string[] = [];
  for (const part of PARTS) {
    const text = reply[part];
    if (text === undefined || text === "") continue;
    const said = fits(part, event) ? WORDS[event.agent][part](shortened(text), event) : undefined;
    if (said === undefined) unsaid.push(text);
    else document = { ...document, ...said };
  }
  return {
    stdout: Object.keys(document).length === 0 ? "" : `${JSON.stringify(document)}\n`,
    stderr: unsaid.map((text) => `${text}\n`).join(""),
  };
}

/**
 * Whether what is said for the model reaches it with this event, after the conversation that it is about: what Copilot and Qwen are told at the start of a
 * resumed session comes before all of it. Cline does not wait for what hooks say with a prompt; Cursor documents only the start of a session.
 */
export function takesContext({ agent, moment, isUnheard }: Asked): boolean {
  if (isUnheard === true) return false;
  if (agent === "cline") return moment === "pre_tool";
  return moment === "prompt" || (agent === "cursor" && moment === "session_start");
}

function fits(part: Part, event: Asked): boolean {
  if (part === "context") return takesContext(event);
  if (part === "deny") return event.moment === "pre_tool";
  // Nobody shows what is said at the end, and some have no form for it.
  return event.moment !== "session_end" && event.moment !== "other";
}

function cannot(): undefined {
  return undefined;
}

/** Copilot and Cursor spell their own events in camelCase, and those of Claude's hooks as Claude does. */
function isClaudeForm({ eventName }: Asked): boolean {
  return /^[A-Z]/u.test(eventName);
}

function shortened(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}…`;
}
