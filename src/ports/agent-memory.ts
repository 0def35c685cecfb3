/**
 * What is remembered between two calls of a hook, per work tree. Each call is a process of its own, and several run at once. Nothing in it is needed to
 * restore anything: where it is gone or damaged it begins anew.
 */
import type { AgentStep } from "../domain/agents/agent-step.ts";
import type { HookFailure } from "../domain/agents/hook-failure.ts";
import type { DoneDelivery } from "../domain/agents/same-call.ts";

export interface AgentSessionMemory {
  /** When its first hook came. */
  readonly since: string;
  /** Prompts so far. */
  readonly turn: number;
  /** The line of the last prompt that rows have; null: it is not known, or not wanted. */
  readonly prompt: string | null;
  /** It was told that checkpoints fail. */
  readonly warned: boolean;
  /** The last rollback that it was told of. */
  readonly toldOf: string | null;
  /** The interrupted rollback that it was told of. */
  readonly toldUnfinished: string | null;
  /** What it was told about settings of the project. */
  readonly toldSettings: string | null;
  /** Files that it was told are not protected. */
  readonly toldLeftOut: readonly string[];
}

export interface HookTurn {
  release(): void;
}

export interface AgentMemory {
  /**
   * Hooks of one work tree do their work one after the other. Undefined: the others take longer than that. A turn ends with its process at the latest.
   */
  takeTurn(waitMs: number): Promise<HookTurn | undefined>;
  /** What was remembered under this key last. Old ones are forgotten when there are many newer ones. */
  done(key: string): DoneDelivery | undefined;
  /** Whoever has no turn may lose it, or make another lose theirs. */
  recordDone(keys: readonly string[], delivery: DoneDelivery): void;
  session(agentSessionId: string): AgentSessionMemory | undefined;
  /** Two processes that change the same session do it one after the other. Answers with what `change` made of it. */
  update(
    agentSessionId: string,
    change: (before: AgentSessionMemory | undefined) => AgentSessionMemory,
  ): AgentSessionMemory;
  recordStep(step: AgentStep): void;
  /** In the order in which they were recorded. Old ones are forgotten at some time. */
  steps(): Promise<readonly AgentStep[]>;
  /** How long a call took, for `doctor`. */
  recordDuration(milliseconds: number): void;
  durations(): readonly number[];
  recordFailure(failure: HookFailure): void;
  /** The last ones, oldest first. */
  failures(): readonly HookFailure[];
}
