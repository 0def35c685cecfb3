/**
 * Why a hook took a checkpoint, in one line. It goes into git objects, the audit log and exports, so it has the first line of the prompt without what looks
 * like a secret, and of commands, in which people write passwords, the programs only.
 */
import { isRecord } from "../is-record.ts";
import { redactCommand } from "../secrets/redact.ts";
import type { AgentEvent, ToolCall } from "./agent-event.ts";
import { commandName } from "./command-name.ts";
import type { StepMoment } from "./hook-moment.ts";
import { shortLine } from "./short-line.ts";

/** Of a prompt in a reason, and of commands. */
const MOST_TEXT = 60;
const MOST_PROMPT = 120;
const MOST_NAME = 60;
const MOST_PATH = 120;
/** Of a prompt is looked at: more than this is no first line. */
const MOST_READ = 4000;

/** The first line of a prompt that says something; null: there is none. */
export function promptLine(prompt: string | undefined): string | null {
  // Before it is cut into lines: keys have several.
  const lines = redactCommand((prompt ?? "").slice(0, MOST_READ)).split(/[\r\n\u2028\u2029]+/u);
  const first = lines.map((line) => shortLine(line, MOST_PROMPT)).find((line) => line !== "");
  // `opencode run` puts a prompt with spaces in it into quotes.
  return first?.replace(/^"([^"]+)"$/u, "$1") ?? null;
}

export interface Asked {
  /** Prompts so far; 0: not known. */
  readonly turn: number;
  /** The line of the last one; null: it is not known, or not wanted. */
  readonly prompt: string | null;
}

/** `paths`: what the tool names, from the project's root. */
export function stepReason(
  moment: StepMoment,
  tool: AgentEvent["tool"],
  paths: readonly string[],
  { turn, prompt }: Asked,
): string {
  const asked = prompt === null ? undefined : shortLine(prompt, MOST_TEXT);
  switch (moment) {
    case "pre_tool": {
      const before = tool === undefined ? "before a tool" : `before ${toolText(tool, paths)}`;
      return asked === undefined ? before : `${before} (${asked})`;
    }
    case "prompt":
      return asked === undefined ? `before turn ${turn}` : `before: ${asked}`;
    case "turn_end":
      if (asked !== undefined) return `after: ${asked}`;
      return turn === 0 ? "after a turn" : `after turn ${turn}`;
    case "session_end":
      return "end of the agent's session";
  }
}

function toolText(tool: ToolCall, paths: readonly string[]): string {
  const name = shortLine(tool.name, MOST_NAME);
  const programs = tool.kind === "shell" ? commandsOf(tool.input).flatMap(programOf) : [];
  if (programs.length > 0) return `${name}: ${shortLine(programs.join("; "), MOST_TEXT)}`;
  const [first] = paths;
  if (first === undefined) return name;
  const more = paths.length > 1 ? ` and ${paths.length - 1} more` : "";
  return `${name} ${shortLine(first, MOST_PATH)}${more}`;
}

/** A text, or its words. */
type Command = string | readonly string[];

function programOf(command: Command): string[] {
  return [commandName(command) ?? []].flat();
}

/** Agents name it differently; it is a text, or a list of words or of commands. */
function commandsOf(input: string): Command[] {
  let value: unknown;
  try {
    value = JSON.parse(input);
  } catch {
    return [];
  }
  if (!isRecord(value)) return [];
  for (const name of ["command", "cmd", "commands", "script"]) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    if (typeof given === "string" && given.trim() !== "") return [given];
    if (Array.isArray(given)) {
      const words = given.filter((word) => typeof word === "string");
      if (words.length > 0) return name === "commands" ? words : [words];
    }
  }
  return [];
}
