/**
 * What a checkpoint says itself about the step of an agent that it was taken for. The record of steps is a small file that can be lost, and a
 * hook can be killed before it has written to it.
 */
import type { CheckpointDocument, CreatedBy } from "../checkpoint.ts";
import type { AgentStep } from "./agent-step.ts";

export type StepMark = Pick<
  CreatedBy,
  "moment" | "tool_kind" | "tool_paths" | "tool_paths_left_out"
>;

/** Documents are listed all at once: one of them must not weigh more than all others. */
const MOST_PATHS = 50;
const MOST_CHARACTERS = 4000;

export function stepMark({
  moment,
  tool_kind,
  paths,
}: Pick<AgentStep, "moment" | "tool_kind" | "paths">): StepMark {
  const kept = paths === null ? [] : fitting(paths);
  const leftOut = (paths?.length ?? 0) - kept.length;
  return {
    moment,
    ...(tool_kind === null ? {} : { tool_kind }),
    ...(paths === null ? {} : { tool_paths: kept }),
    ...(leftOut === 0 ? {} : { tool_paths_left_out: leftOut }),
  };
}

/** Undefined: no hook took it. */
export function markedStep({
  id,
  created_at,
  created_by,
}: Pick<CheckpointDocument, "id" | "created_at" | "created_by">): AgentStep | undefined {
  const { agent, agent_session_id, moment } = created_by;
  if (agent === null || agent_session_id === null || moment === undefined) return undefined;
  return {
    at: created_at,
    checkpoint_id: id,
    agent,
    agent_session_id,
    moment,
    turn: created_by.turn ?? null,
    tool: created_by.tool ?? null,
    tool_kind: created_by.tool_kind ?? null,
    tool_use_id: created_by.tool_use_id,
    paths: (created_by.tool_paths_left_out ?? 0) > 0 ? null : (created_by.tool_paths ?? null),
  };
}

function fitting(paths: readonly string[]): string[] {
  let characters = 0;
  return paths.slice(0, MOST_PATHS).filter((path) => {
    characters += path.length;
    return characters <= MOST_CHARACTERS;
  });
}
