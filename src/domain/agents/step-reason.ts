/** Why a hook took a checkpoint, in one line. */
import { isRecord } from "../is-record.ts";
import type { AgentEvent, ToolCall } from "./agent-event.ts";
import type { StepMoment } from "./hook-moment.ts";
import { shortLine } from "./short-line.ts";

const MOST_COMMAND = 80;
const MOST_PROMPT = 60;
const MOST_NAME = 60;
const MOST_PATH = 120;

/** `paths`: what the tool names, from the project's root. */
export function stepReason(
  moment: StepMoment,
  { tool, prompt }: Pick<AgentEvent, "tool" | "prompt">,
  paths: readonly string[],
  turn: number,
): string {
  switch (moment) {
    case "pre_tool":
      return tool === undefined ? "before a tool" : `before ${toolText(tool, paths)}`;
    case "prompt": {
      const line = shortLine(prompt ?? "", MOST_PROMPT);
      return line === "" ? `turn ${turn}` : `turn ${turn}: ${line}`;
    }
    case "turn_end":
      return turn === 0 ? "after a turn" : `after turn ${turn}`;
    case "session_end":
      return "end of the agent's session";
  }
}

function toolText(tool: ToolCall, paths: readonly string[]): string {
  const name = shortLine(tool.name, MOST_NAME);
  const command = tool.kind === "shell" ? commandOf(tool.input) : undefined;
  if (command !== undefined) return `${name}: ${shortLine(command, MOST_COMMAND)}`;
  const [first] = paths;
  if (first === undefined) return name;
  const more = paths.length > 1 ? ` and ${paths.length - 1} more` : "";
  return `${name} ${shortLine(first, MOST_PATH)}${more}`;
}

/** Agents name it differently; it is a text, or a list of words or of commands. */
function commandOf(input: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(input);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  for (const name of ["command", "cmd", "commands", "script"]) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    if (typeof given === "string" && given.trim() !== "") return given;
    if (Array.isArray(given)) {
      const words = given.filter((word) => typeof word === "string");
      if (words.length > 0) return words.join(name === "commands" ? "; " : " ");
    }
  }
  return undefined;
}
