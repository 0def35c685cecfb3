/**
 * A workflow as its file says it, checked and with every default filled in. `check-workflow.ts` makes it; docs/workflow-file.md
 * describes the file.
 */

export const ON_FAIL = ["stop", "rollback", "continue"] as const;
export type OnFail = (typeof ON_FAIL)[number];

export const RERUNS = ["always", "if-idempotent", "ask"] as const;
export type Rerun = (typeof RERUNS)[number];

/** Where an output is collected from. Paths are from the root of the project. */
export type OutputSource =
  | { readonly kind: "file"; readonly path: string; readonly json: boolean }
  | { readonly kind: "stdout"; readonly format: "json" | "text" };

/** By name. */
export type Outputs = Readonly<Record<string, OutputSource>>;

export type Variables = Readonly<Record<string, string>>;

export interface Workflow {
  readonly name: string;
  readonly type: string;
  /** Null: the name of the project's folder. */
  readonly project: string | null;
  readonly description: string | null;
  readonly topic: string | null;
  readonly task: string | null;
  readonly issue: number | null;
  readonly env: Variables;
  /** From the root of the project, as every `cwd`; the innermost one that is said counts. */
  readonly cwd: string;
  /** How many nodes may run side by side. */
  readonly concurrency: number;
  /** In the order of their steps; at least one. */
  readonly phases: readonly WorkflowPhase[];
}

export interface WorkflowPhase {
  readonly name: string;
  /** 1, 2, 3 … */
  readonly step: number;
  /** Null: not said, the setting `phases.modify` decides. */
  readonly modifies: boolean | null;
  /** The observer is asked after it. */
  readonly breakpoint: boolean;
  readonly onFail: OnFail;
  /** At least one. A phase with `run` has one node of its own name, which has its outputs too. */
  readonly nodes: readonly WorkflowNode[];
  /** A shell line that resolves the conflicts of a merge. */
  readonly resolver: string | null;
  /** Shell lines that all have to end well after the last node. */
  readonly verify: readonly string[];
  /** How often the phase is tried again when its checks fail. */
  readonly retries: number;
  readonly retryDelayMs: number;
  /** For one attempt of the whole phase. */
  readonly timeoutMs: number | null;
  /** Files only: no command of a graph is the one whose stdout it would be. */
  readonly outputs: Outputs;
  /** A shell line that prints JSON. */
  readonly metrics: string | null;
  readonly env: Variables;
  readonly cwd: string | null;
}

export interface WorkflowNode {
  readonly name: string;
  /** A shell line. */
  readonly run: string;
  /** Names of nodes of the same phase. */
  readonly needs: readonly string[];
  readonly isolate: "worktree" | null;
  /** Null: not said. What failed is tried again, and what nobody knows the end of is asked about. */
  readonly rerun: Rerun | null;
  readonly idempotent: boolean;
  readonly env: Variables;
  readonly cwd: string | null;
  /** For one attempt. */
  readonly timeoutMs: number | null;
  /** How often it is tried again when it fails; not said: as the phase. */
  readonly retries: number;
  readonly outputs: Outputs;
  /** The agent that does the work, for agent outputs. */
  readonly agent: string | null;
  /** `json`: what it prints on stdout is its result. */
  readonly result: "json" | null;
}

/** The innermost word on a node's working folder, from the root of the project. */
export function folderOf(workflow: Workflow, phase: WorkflowPhase, node?: WorkflowNode): string {
  return node?.cwd ?? phase.cwd ?? workflow.cwd;
}

/** What the file adds to the environment; the innermost word counts. */
export function variablesOf(
  workflow: Workflow,
  phase: WorkflowPhase,
  node?: WorkflowNode,
): Variables {
  return { ...workflow.env, ...phase.env, ...node?.env };
}
