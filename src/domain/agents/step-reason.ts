/**
 * Why a hook took a checkpoint, in one line. It goes into git objects, the audit log and exports, so of commands and prompts, in which people write
 * passwords, it holds no more than is wanted.
 */
import { isRecord } from "../is-record.ts";
import type { AgentEvent, ToolCall } from "./agent-event.ts";
import { commandName } from "./command-name.ts";
import type { StepMoment } from "./hook-moment.ts";
import { shortLine } from "./short-line.ts";

/** Of a prompt or a command. */
const MOST_TEXT = 60;
const MOST_NAME = 60;
const MOST_PATH = 120;

/** `paths`: what the tool names, from the project's root. `withTexts`: the beginnings of prompts and commands are wanted. */
export function stepReason(
  moment: StepMoment,
  { tool, prompt }: Pick<AgentEvent, "tool" | "prompt">,
  paths: readonly string[],
  turn: number,
  withTexts: boolean,
): string {
  switch (moment) {
    case "pre_tool":
      return tool === undefined ? "before a tool" : `before ${toolText(tool, paths, withTexts)}`;
    case "prompt": {
      const line = shortLine(withTexts ? (prompt ?? "") : "", MOST_TEXT);
      return line === "" ? `turn ${turn}` : `turn ${turn}: ${line}`;
    }
    case "turn_end":
      return turn === 0 ? "after a turn" : `after turn ${turn}`;
    case "session_end":
      return "end of the agent's session";
  }
}

function toolText(tool: ToolCall, paths: readonly string[], withTexts: boolean): string {
  const name = shortLine(tool.name, MOST_NAME);
  const commands = tool.kind === "shell" ? commandsOf(tool.input) : [];
  const texts = withTexts
    ? commands.map(wholeText)
    : commands.flatMap((each) => commandName(each) ?? []);
  if (texts.length > 0) return `${name}: ${shortLine(texts.join("; "), MOST_TEXT)}`;
  const [first] = paths;
  if (first === undefined) return name;
  const more = paths.length > 1 ? ` and ${paths.length - 1} more` : "";
  return `${name} ${shortLine(first, MOST_PATH)}${more}`;
}

/** A text, or its words. */
type Command = string | readonly string[];

function wholeText(command: Command): string {
  return typeof command === "string" ? command : command.join(" ");
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
