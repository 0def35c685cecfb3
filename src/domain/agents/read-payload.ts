/**
 * What an agent says through a hook, whatever it says: never throws. Undefined where nothing can be made of it; an event that we do not know is `other`.
 */
import { isRecord } from "../is-record.ts";
import { actualAgent, type Environment } from "./actual-agent.ts";
import type { AgentEvent } from "./agent-event.ts";
import { momentNamed } from "./agent-moments.ts";
import type { AgentName } from "./agents.ts";
import { fieldOf, type Fields } from "./payload-fields.ts";
import type { PayloadParts } from "./payload-parts.ts";
import { readClaudeForm } from "./read-claude-form.ts";
import { readCline } from "./read-cline.ts";
import { readCopilot } from "./read-copilot.ts";
import { readCursor } from "./read-cursor.ts";
import { readOpencode } from "./read-opencode.ts";
import { readQwen } from "./read-qwen.ts";
import { toolCall } from "./tool-call.ts";

const READERS: Readonly<
  Record<AgentName, (payload: Fields, eventName: string | undefined) => PayloadParts>
> = {
  claude: readClaudeForm,
  codex: readClaudeForm,
  qwen: readQwen,
  gemini: readClaudeForm,
  copilot: readCopilot,
  cursor: readCursor,
  opencode: readOpencode,
  cline: readCline,
};

const FOLDER_VARIABLES: Readonly<Partial<Record<AgentName, string>>> = {
  claude: "CLAUDE_PROJECT_DIR",
  gemini: "GEMINI_PROJECT_DIR",
  copilot: "COPILOT_PROJECT_DIR",
  cursor: "CURSOR_PROJECT_DIR",
  qwen: "QWEN_PROJECT_DIR",
};

/** `eventArgument`: the event as the installed command names it; not every command does. */
export function readPayload(
  named: AgentName,
  eventArgument: string | undefined,
  payload: unknown,
  env: Environment,
): AgentEvent | undefined {
  if (!isRecord(payload)) return undefined;
  const agent = actualAgent(named, payload, env);
  const parts = READERS[agent](payload, eventArgument);
  const event = momentNamed(agent, [eventArgument, parts.eventName]);
  if (event === undefined) return undefined;
  const moment = parts.moment ?? event.moment;
  const tool =
    moment === "pre_tool" || moment === "post_tool" ? toolCall(agent, parts.tool) : undefined;
  const folder = folderOf(parts.folders, tool?.paths ?? []) ?? begunIn(agent, env);
  return {
    agent,
    moment,
    eventName: event.eventName,
    sessionId: parts.sessionId ?? "",
    ...(parts.turnId === undefined ? {} : { turnId: parts.turnId }),
    ...sentAt(payload),
    ...(folder === undefined ? {} : { folder }),
    ...(tool === undefined ? {} : { tool }),
    ...(moment !== "prompt" || parts.prompt === undefined ? {} : { prompt: parts.prompt }),
  };
}

/** Milliseconds, or ISO text. */
function sentAt(payload: Fields): Pick<AgentEvent, "sentAt"> {
  const given = fieldOf(payload, "timestamp");
  const at = new Date(typeof given === "number" || typeof given === "string" ? given : NaN);
  return Number.isNaN(at.getTime()) ? {} : { sentAt: at.toISOString() };
}

/** An editor may have several folders open: the one that a tool writes into, else the first. */
function folderOf(
  folders: readonly (string | undefined)[],
  paths: readonly string[],
): string | undefined {
  const given = folders.filter((folder) => folder !== undefined);
  return given.find((folder) => paths.some((path) => isInside(path, folder))) ?? given[0];
}

/** Where the agent's session began: it may work elsewhere by now, so this counts only where the payload names no folder. */
function begunIn(agent: AgentName, env: Environment): string | undefined {
  const variable = FOLDER_VARIABLES[agent];
  const folder = variable === undefined ? undefined : env[variable];
  return folder === "" ? undefined : folder;
}

function isInside(path: string, folder: string): boolean {
  return (
    path.startsWith(folder) && /^[/\\]/u.test(path.slice(folder.replace(/[/\\]$/u, "").length))
  );
}
