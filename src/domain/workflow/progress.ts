/**
 * How far a workflow has come: its phases, its graph, and what it knows. It is part of the session document, and every
 * checkpoint of the session holds a copy, so that a rollback brings it back with the files.
 */

export const PHASE_STATUSES = ["pending", "running", "completed", "failed", "skipped"] as const;
export type PhaseStatus = (typeof PHASE_STATUSES)[number];

/** unknown: it was running when its process ended, so its result is unknown. */
export const NODE_STATUSES = [
  "pending",
  "running",
  "completed",
  "failed",
  "skipped",
  "unknown",
] as const;
export type NodeStatus = (typeof NODE_STATUSES)[number];

/** One phase. `step` is its number: 1, 2, 3 … */
export interface PhaseProgress {
  readonly name: string;
  readonly step: number;
  readonly status: PhaseStatus;
  /** How often it was begun. */
  readonly attempts: number;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  /** The `pre_phase` checkpoint of the last attempt. */
  readonly checkpoint_before: string | null;
  /** The `post_phase` checkpoint. */
  readonly checkpoint_after: string | null;
  readonly error: string | null;
  /** An orchestrator runs it and said so with `session save`: there is no process that could be cut off. */
  readonly from_outside?: boolean | undefined;
  readonly [other: string]: unknown;
}

/** When what is being done in it began: a pause is no work. */
export function workedSince({ resumed_at: resumedAt, started_at: startedAt }: PhaseProgress) {
  return typeof resumedAt === "string" ? resumedAt : startedAt;
}

/** One task of the graph. */
export interface NodeProgress {
  readonly name: string;
  readonly phase: string;
  /** Names of nodes of the same phase. */
  readonly needs: readonly string[];
  readonly status: NodeStatus;
  readonly attempts: number;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly exit_code: number | null;
  /** What it answered: the JSON that it printed, where that was asked for. */
  readonly result: unknown;
  readonly error: string | null;
  readonly [other: string]: unknown;
}

export interface BatchProgress {
  /** 1, 2, 3 … through the whole session. */
  readonly number: number;
  readonly phase: string;
  /** Ids of nodes. */
  readonly nodes: readonly string[];
  readonly status: PhaseStatus;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  /** Where a retry starts from. */
  readonly checkpoint_before: string | null;
  readonly [other: string]: unknown;
}

export interface ExecutionGraph {
  readonly graph_id: string;
  /** By id: `phase/name`. */
  readonly nodes: Readonly<Record<string, NodeProgress>>;
  readonly batches: readonly BatchProgress[];
  readonly current_batch: number | null;
  readonly completed_batches: readonly number[];
  readonly [other: string]: unknown;
}

export interface AgentOutput {
  readonly completed_at: string | null;
  readonly output_summary: string | null;
  readonly output_location: string | null;
  readonly [other: string]: unknown;
}

export interface TeamMember {
  readonly agent: string;
  readonly role: string | null;
  readonly status: string | null;
  readonly tasks_completed: number;
  readonly tasks_pending: number;
  readonly [other: string]: unknown;
}

export interface TeamState {
  readonly team_id: string | null;
  readonly members: readonly TeamMember[];
  readonly [other: string]: unknown;
}

/** Ids of messages between agents. */
export interface MessageState {
  readonly pending: readonly string[];
  readonly awaiting: readonly string[];
  readonly conflicts: readonly string[];
  readonly [other: string]: unknown;
}

/** Ids of entries of a knowledge base. One that is captured is never pending again. */
export interface KnowledgeContext {
  readonly injected: readonly string[];
  readonly captured: readonly string[];
  readonly pending: readonly string[];
  readonly [other: string]: unknown;
}

export interface ModifiedFile {
  readonly path: string;
  readonly status: "created" | "modified" | "deleted";
  readonly staged: boolean;
  readonly [other: string]: unknown;
}

export interface WorkflowProgress {
  readonly current_phase: string | null;
  readonly current_step: number | null;
  readonly phases: readonly PhaseProgress[];
  readonly execution_graph: ExecutionGraph | null;
  /** The workflow's own state: what `WAYMARK_STATE` shows to its nodes. Undefined: none. */
  readonly state?: unknown;
  /** What was collected, by name. */
  readonly outputs: Readonly<Record<string, unknown>>;
  /** By agent, then by task. */
  readonly agent_outputs: Readonly<Record<string, Readonly<Record<string, AgentOutput>>>>;
  readonly team_state: TeamState | null;
  readonly message_state: MessageState;
  readonly knowledge_context: KnowledgeContext;
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly files_modified: readonly ModifiedFile[];
  readonly iteration_count: number;
  /** Such as `state:enrich`: what the labels call where it is. */
  readonly state_label: string | null;
  /** Keys of newer or other writers are carried along. */
  readonly [other: string]: unknown;
}

export const NO_PROGRESS: WorkflowProgress = {
  current_phase: null,
  current_step: null,
  phases: [],
  execution_graph: null,
  outputs: {},
  agent_outputs: {},
  team_state: null,
  message_state: { pending: [], awaiting: [], conflicts: [] },
  knowledge_context: { injected: [], captured: [], pending: [] },
  metrics: {},
  files_modified: [],
  iteration_count: 0,
  state_label: null,
};

/** It runs as far as anyone knows, and when its process is gone it was cut off. */
export function isOfProcess({ status, from_outside: fromOutside }: PhaseProgress): boolean {
  return status === "running" && fromOutside !== true;
}

export function nodeId(phase: string, name: string): string {
  return `${phase}/${name}`;
}

export function phaseOf(progress: WorkflowProgress, name: string): PhaseProgress | undefined {
  return progress.phases.find((phase) => phase.name === name);
}

/** Phases and what is done of them, for people and for `progress` of the session. */
export interface ProgressCount {
  readonly completed: number;
  /** Left out: they will not run, and nobody says that they were done. */
  readonly skipped: number;
  readonly total: number;
  /** Of what is over, one way or the other. */
  readonly percent: number;
}

export function progressCount({ phases }: WorkflowProgress): ProgressCount {
  const count = (wanted: PhaseStatus): number =>
    phases.filter(({ status }) => status === wanted).length;
  const [completed, skipped, total] = [count("completed"), count("skipped"), phases.length];
  const percent = total === 0 ? 0 : Math.round(((completed + skipped) / total) * 100);
  return { completed, skipped, total, percent };
}

/** It will not run, or not again. */
export function isOver(status: PhaseStatus | NodeStatus): boolean {
  return status === "completed" || status === "skipped";
}
