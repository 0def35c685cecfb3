/**
 * Who really asks. Copilot and Cursor run the hooks of Claude's settings, Codex and Copilot those of a plugin in Claude's form, and Gemini imports them, all
 * with the command that says `claude`. Agents also start one another, and what is in the environment is inherited: the payload is believed first.
 */
import { isAgentName, type AgentName } from "./agents.ts";
import { fieldOf, textOf, type Fields } from "./payload-fields.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export function actualAgent(named: AgentName, payload: Fields, env: Environment): AgentName {
  if (named !== "claude") return named;
  return byPayload(payload) ?? bySession(payload, env) ?? byEnvironment(env) ?? named;
}

const GEMINI_EVENTS = new Set(["BeforeAgent", "AfterAgent", "BeforeTool", "AfterTool"]);

/** Folders in which agents keep what was said. */
const TRANSCRIPT = /(?<=[/\\]\.)(?:claude|codex|copilot|cursor|gemini|qwen)(?=[/\\])/gu;

function byPayload(payload: Fields): AgentName | undefined {
  if (textOf(payload, "cursor_version", "conversation_id") !== undefined) return "cursor";
  if (fieldOf(payload, "toolName") !== undefined || fieldOf(payload, "sessionId") !== undefined)
    return "copilot";
  if (GEMINI_EVENTS.has(textOf(payload, "hook_event_name") ?? "")) return "gemini";
  const transcript = textOf(payload, "transcript_path") ?? "";
  // Only Codex calls them so, and it may keep them anywhere.
  if (/[/\\]rollout-[^/\\]*$/u.test(transcript)) return "codex";
  const folder = transcript.match(TRANSCRIPT)?.at(-1);
  return folder !== undefined && isAgentName(folder) ? folder : undefined;
}

const SESSION_VARIABLES: readonly (readonly [string, AgentName])[] = [
  ["CLAUDE_CODE_SESSION_ID", "claude"],
  ["QWEN_CODE_SESSION_ID", "qwen"],
  ["GEMINI_SESSION_ID", "gemini"],
];

/** The session that the payload names is the one of the environment. */
function bySession(payload: Fields, env: Environment): AgentName | undefined {
  const session = textOf(payload, "session_id");
  if (session === undefined) return undefined;
  const same = SESSION_VARIABLES.find(([name]) => env[name] === session)?.[1];
  if (same !== undefined) return same;
  // Claude has prompts with ids; only Codex calls them turns.
  return textOf(payload, "turn_id") === undefined ? undefined : "codex";
}

const MARKS: readonly (readonly [string, AgentName])[] = [
  ["COPILOT_CLI", "copilot"],
  ["CURSOR_VERSION", "cursor"],
  ["QWEN_PROJECT_DIR", "qwen"],
  ["GEMINI_PROJECT_DIR", "gemini"],
];

function byEnvironment(env: Environment): AgentName | undefined {
  return MARKS.find(([name]) => (env[name] ?? "") !== "")?.[1];
}
