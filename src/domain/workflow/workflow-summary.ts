/** How far a workflow has come, in a few words that can be compared by eye. */
import { progressOf } from "./held-workflow.ts";

export function workflowSummary(held: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { current_phase, current_step, iteration_count, state_label, ...rest } = progressOf(held);
  const { phases, execution_graph, message_state, knowledge_context } = rest;
  const nodes = Object.entries(execution_graph?.nodes ?? {});
  return {
    phase: current_phase,
    step: current_step,
    iteration: iteration_count,
    state_label,
    phases: Object.fromEntries(phases.map(({ name, status }) => [name, status])),
    nodes: Object.fromEntries(nodes.map(([id, { status }]) => [id, status])),
    messages: message_state,
    knowledge: knowledge_context,
  };
}
