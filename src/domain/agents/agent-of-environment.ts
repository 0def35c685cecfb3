/** Which agent a command was started by, as far as the environment tells. Agents start each other: then it may be the outer one. */
import type { AgentName } from "./agents.ts";

interface Mark {
  readonly agent: AgentName;
  /** Set in every command that the agent runs. */
  readonly is: readonly string[];
  readonly session: readonly string[];
}

const MARKS: readonly Mark[] = [
  { agent: "claude", is: ["CLAUDECODE"], session: ["CLAUDE_CODE_SESSION_ID"] },
  { agent: "copilot", is: ["COPILOT_CLI"], session: [] },
  { agent: "qwen", is: ["QWEN_CODE", "QWEN_CODE_SESSION_ID"], session: ["QWEN_CODE_SESSION_ID"] },
  { agent: "gemini", is: ["GEMINI_CLI", "GEMINI_SESSION_ID"], session: ["GEMINI_SESSION_ID"] },
  {
    agent: "codex",
    is: ["CODEX_THREAD_ID", "CODEX_CI", "CODEX_SANDBOX"],
    session: ["CODEX_THREAD_ID"],
  },
  { agent: "cursor", is: ["CURSOR_AGENT", "CURSOR_VERSION"], session: [] },
  { agent: "opencode", is: ["OPENCODE"], session: [] },
  { agent: "cline", is: ["CLINE_ACTIVE"], session: [] },
];

const MOST = 200;

export function agentOfEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): { readonly agent: AgentName; readonly agent_session_id: string | null } | undefined {
  const isSet = (name: string): boolean => (env[name] ?? "") !== "";
  const mark = MARKS.find(({ is }) => is.some(isSet));
  if (mark === undefined) return undefined;
  const session = mark.session.find(isSet);
  const id = session === undefined ? undefined : env[session]?.slice(0, MOST);
  return { agent: mark.agent, agent_session_id: id ?? null };
}
