/** What a session refers to outside of itself: checkpoints and files. */
import type { SessionDocument, StateRecord } from "../session.ts";
import { isolatedOf } from "./isolated-result.ts";
import type { WorkflowProgress } from "./progress.ts";
import { conflictLinks } from "./unmerged.ts";

/** Ids, each once. */
export function referredCheckpoints({ state, workflow }: SessionDocument): ReadonlySet<string> {
  const places = [...(workflow?.phases ?? []), ...(workflow?.execution_graph?.batches ?? [])];
  const ids = places.flatMap(({ checkpoint_before, checkpoint_after }) => [
    checkpoint_before,
    checkpoint_after,
  ]);
  return new Set([
    ...ids.filter((id): id is string => typeof id === "string"),
    ...resultLinks(workflow),
    ...stateLinks(state),
  ]);
}

/** What isolated nodes left, where they began, and a conflict that waits for somebody. */
function resultLinks(workflow: WorkflowProgress | undefined): string[] {
  if (workflow === undefined) return [];
  const results = Object.values(workflow.execution_graph?.nodes ?? {}).flatMap((node) => {
    const isolated = isolatedOf(node);
    return isolated === undefined ? [] : [isolated.checkpoint_id, isolated.base_id];
  });
  return [...results, ...conflictLinks(workflow)];
}

/** The checkpoints that hold the saved state together. */
export function stateLinks(state: StateRecord | undefined): string[] {
  return state === undefined ? [] : [state.checkpoint_id, ...stateLinks(state.over)];
}

export interface NamedOutput {
  /** From the root of the project, or absolute. */
  readonly path: string;
  /** Whose it is: `output spec`, `agent reviewer, task api`. */
  readonly of: string;
}

/** Outputs that are files: those that a run collected, `{file: PATH}`, and where agents say that theirs are. */
export function namedOutputs({ outputs, agent_outputs }: WorkflowProgress): NamedOutput[] {
  const collected = Object.entries(outputs).map(([name, value]) => ({
    path: fileOf(value),
    of: `output ${name}`,
  }));
  const ofAgents = Object.entries(agent_outputs).flatMap(([agent, tasks]) =>
    Object.entries(tasks).map(([task, { output_location }]) => ({
      path: output_location,
      of: `agent ${agent}, task ${task}`,
    })),
  );
  return [...collected, ...ofAgents].flatMap(({ path, of }) =>
    isFileName(path) ? [{ path, of }] : [],
  );
}

/** A run writes the digest of a file beside its path; anything else with a path may be about something else. */
function fileOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  if ("file" in value) return value.file;
  return "path" in value && "sha256" in value ? value.path : undefined;
}

/** What an agent answered with may be an address. */
function isFileName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && !/^[a-z][a-z\d+.-]*:\/\//i.test(value);
}
