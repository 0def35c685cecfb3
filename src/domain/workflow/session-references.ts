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
  /** A text that may mean something else: it counts when the checkpoint has such a file. */
  readonly isGuess?: boolean;
}

/**
 * Outputs that are files: those that a run collected, `{file: PATH}`, texts that look like paths, and where agents say that theirs
 * are.
 */
export function namedOutputs({ outputs, agent_outputs }: WorkflowProgress): NamedOutput[] {
  const collected = Object.entries(outputs).map(([name, value]) => ({
    of: `output ${name}`,
    ...(typeof value === "string" ? pathIn(value) : { path: fileOf(value) }),
  }));
  const ofAgents = Object.entries(agent_outputs).flatMap(([agent, tasks]) =>
    Object.entries(tasks).map(([task, { output_location }]) => ({
      path: output_location,
      of: `agent ${agent}, task ${task}`,
    })),
  );
  return [...collected, ...ofAgents].flatMap(({ path, ...rest }) =>
    isFileName(path) ? [{ path, ...rest }] : [],
  );
}

const PATH = /^(?![/~-])[^\s\p{Cc}\\:*?"'`<>|(){}=,;]+$/u;
const EXTENSION = /[^/]\.[a-z][a-z\d]{0,9}$/i;
/** `example.org/docs/a.html` and the like. */
const HOST = /^[^/]+\.[^/]*\//;

/** What people and agents write for a file: `docs/spec.md` surely, `spec.md` and `docs/spec` perhaps. */
function pathIn(text: string): { readonly path?: string; readonly isGuess?: boolean } {
  const names = text.split("/").filter((name) => name !== "" && name !== ".");
  const isFile = EXTENSION.test(text);
  const isPath = PATH.test(text) && !names.includes("..") && (isFile || text.includes("/"));
  if (!isPath || names.length === 0) return {};
  const path = names.join("/");
  return isFile && names.length > 1 && !HOST.test(path) ? { path } : { path, isGuess: true };
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
