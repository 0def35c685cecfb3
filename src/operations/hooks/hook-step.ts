/** A step of an agent as a hook writes it down. */
import type { AgentEvent } from "../../domain/agents/agent-event.ts";
import type { AgentStep } from "../../domain/agents/agent-step.ts";
import { hookTrigger, isStepMoment } from "../../domain/agents/hook-moment.ts";
import type { Config } from "../../domain/config.ts";
import { redact } from "../../domain/secrets/redact.ts";
import type { CreateResult } from "../create-checkpoint.ts";
import { sessionKey } from "./agent-session.ts";

export interface HeardStep {
  readonly event: AgentEvent;
  /** What a tool that writes names, from the project's root. */
  readonly paths: readonly string[];
  /** Prompts so far; 0: not known. */
  readonly turn: number;
  readonly now: Date;
  readonly config: Config;
}

/** Undefined: it is no moment at which steps begin or end. Without a checkpoint: none could be taken, and it goes on all the same. */
export function hookStep(
  { event, paths, turn, now, config }: HeardStep,
  taken: CreateResult | null,
): AgentStep | undefined {
  const { moment } = event;
  if (!isStepMoment(moment) || hookTrigger(moment, config) === undefined) return undefined;
  return {
    at: now.toISOString(),
    checkpoint_id: taken?.checkpoint.id ?? null,
    is_own: taken?.kind === "created",
    agent: event.agent,
    agent_session_id: sessionKey(event),
    moment,
    turn: turn === 0 ? null : turn,
    ...toolOf(event, paths),
  };
}

const MOST_ID = 200;

export function toolOf({ tool }: AgentEvent, paths: readonly string[]) {
  const kind = tool === undefined || tool.kind === "read" ? null : tool.kind;
  return {
    tool: tool?.name.slice(0, MOST_ID) ?? null,
    tool_kind: kind,
    tool_use_id: tool?.callId?.slice(0, MOST_ID) ?? null,
    // Half a list would say that nothing else was changed.
    paths: kind === "write" && !paths.some((path) => redact(path) !== path) ? paths : null,
  };
}
