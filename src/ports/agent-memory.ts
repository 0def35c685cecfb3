/**
 * What is remembered between two calls of a hook, per work tree. Each call is a process of its own, and several run at once. Nothing in it is needed to
 * restore anything: where it is gone or damaged it begins anew.
 */
import type { AgentStep } from "../domain/agents/agent-step.ts";

export interface AgentSessionMemory {
  /** When its first hook came. */
  readonly since: string;
  /** Prompts so far. */
  readonly turn: number;
  /** It was told that checkpoints fail. */
  readonly warned: boolean;
  /** The last rollback that it was told of. */
  readonly toldOf: string | null;
}

export interface AgentMemory {
  /** True for the first who asks with this key; false for all others within the time after it. */
  claim(key: string, withinMs: number): boolean;
  session(agentSessionId: string): AgentSessionMemory | undefined;
  remember(agentSessionId: string, memory: AgentSessionMemory): void;
  recordStep(step: AgentStep): void;
  /** In the order in which they were recorded. Old ones are forgotten at some time. */
  steps(): Promise<readonly AgentStep[]>;
  /** How long a call took, for `doctor`. */
  recordDuration(milliseconds: number): void;
  durations(): readonly number[];
}
