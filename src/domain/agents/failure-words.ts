/** What is said when a hook cannot do its work. */
import type { AgentEvent, HookReply } from "./agent-event.ts";
import { agentTitle } from "./agents.ts";
import { shortLine } from "./short-line.ts";
import { replyText } from "./reply-text.ts";

export interface HookProblem {
  readonly message: string;
  /** What to do about it. */
  readonly hint: string;
}

const MOST = 400;

/** To the user, once. */
export function unprotectedText({ message, hint }: HookProblem, at: Date): string {
  return (
    `Waymark could not create a checkpoint: ${sentence(message)} Since ${at.toISOString()} the changes of this agent are not protected. ` +
    `${sentence(hint)} \`waymark doctor\` looks for the cause. You will be notified again if checkpoints recover and then fail again.`
  );
}

/** To the user, once: there is a checkpoint, and nobody knows whose step it belongs to. */
export function unrememberedText({ message, hint }: HookProblem): string {
  return (
    `Waymark created the checkpoint but could not record which step it belongs to: ${sentence(message)} What this agent changes is protected; undoing the work of ` +
    `this session alone may miss some of it. ${sentence(hint)} \`waymark doctor\` looks for the cause.`
  );
}

/** To the model, each time. */
export function denyText({ message, hint }: HookProblem, agent: AgentEvent["agent"]): string {
  return (
    `Waymark could not create a checkpoint before this tool call, and the settings of this project (agents.policy or agents.${agent}: fail_closed) forbid changes ` +
    `without one: ${sentence(message)} ${sentence(hint)} Tell the user; \`waymark doctor\` looks for the cause. ` +
    `With agents.${agent}: fail_open in waymark.yml, ${agentTitle(agent)} continues without checkpoints.`
  );
}

export interface Telling {
  readonly reply: HookReply;
  /** False: this agent shows it nowhere, and another moment is needed. */
  readonly isHeard: boolean;
}

/** An agent that cannot show a message to its user is asked to pass it on, where it listens. */
export function tellUser(event: AgentEvent, text: string): Telling {
  if (replyText(event, { message: text }).stdout !== "") {
    return { reply: { message: text }, isHeard: true };
  }
  const context = `Tell the user, in your own words: ${text}`;
  const isHeard = replyText(event, { context }).stdout !== "";
  return { reply: isHeard ? { context } : { message: text }, isHeard };
}

function sentence(text: string): string {
  const line = shortLine(text, MOST);
  return /[.!?\u2026]$/.test(line) || line === "" ? line : `${line}.`;
}
