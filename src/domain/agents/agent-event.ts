/** What an agent says through a hook, in one form for all agents, and what it can be answered. */
import type { AgentName } from "./agents.ts";

/** `write`: changes files that it names; `shell`: runs a command; `other`: might change something, nobody knows. */
export type ToolKind = "read" | "write" | "shell" | "other";

export interface ToolCall {
  /** As the agent calls it. */
  readonly name: string;
  readonly kind: ToolKind;
  /** Files that it names; absolute or relative to `folder`. */
  readonly paths: readonly string[];
  /** The agent's id of this call; not every agent has one. */
  readonly callId?: string;
  /** What it was called with, as canonical JSON: tells two calls without ids apart. */
  readonly input: string;
}

export type AgentMoment =
  | "session_start"
  | "prompt"
  | "pre_tool"
  | "post_tool"
  /** The agent has answered a prompt. */
  | "turn_end"
  | "session_end"
  /** Known, and nothing to us. */
  | "other";

export interface AgentEvent {
  /** Who really asks: some agents run the hooks that were written for another. */
  readonly agent: AgentName;
  readonly moment: AgentMoment;
  /** The agent's own word for the moment, such as PreToolUse. */
  readonly eventName: string;
  /** The agent's session, not ours. Empty where the payload names none. */
  readonly sessionId: string;
  readonly turnId?: string;
  /**
   * The instant that the agent says it speaks of, as ISO text: the same in every delivery of one event, whatever form it has. Two calls of one batch may
   * have the same one too, and differ in their input.
   */
  readonly sentAt?: string;
  /** Where the agent works, if the payload says so. */
  readonly folder?: string;
  /** With pre_tool and post_tool. */
  readonly tool?: ToolCall;
  /** With prompt: what the user typed. */
  readonly prompt?: string;
  /** Another answer to this event is in the way of notes for the model. */
  readonly isUnheard?: boolean;
}

/** What is said back; nothing at all is the usual answer, and never "allowed". */
export interface HookReply {
  /** The tool must not run; the reason is for the model. Only where the policy is fail_closed. */
  readonly deny?: string;
  /** For the user. */
  readonly message?: string;
  /** For the model; `takesContext` says with which events it reaches it. */
  readonly context?: string;
}
