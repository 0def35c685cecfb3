/** What each part of a workflow's progress must look like to be read. What Waymark does not look at can be anything. */
import {
  isAnyRecord,
  isCount,
  isNumber,
  isText,
  listOf,
  oneOf,
  isBoolean,
  orMissing,
  orNull,
  recordOf,
  recordWith,
  type Shape,
} from "../json-shape.ts";
import {
  NODE_STATUSES,
  PHASE_STATUSES,
  type BatchProgress,
  type ExecutionGraph,
  type NodeProgress,
  type PhaseProgress,
  type WorkflowProgress,
} from "./progress.ts";

/** A field for each name that the type has. */
export type ShapeOf<Type> = Readonly<Record<KnownKeys<Type>, Shape>>;
type KnownKeys<Type> = keyof {
  [Key in keyof Type as string extends Key ? never : Key]: Type[Key];
};

const isTextOrNull = orNull(isText);
const isTexts = listOf(isText);

const PHASE: ShapeOf<PhaseProgress> = {
  name: isText,
  step: isNumber,
  status: oneOf(PHASE_STATUSES),
  attempts: isCount,
  started_at: isTextOrNull,
  completed_at: isTextOrNull,
  checkpoint_before: isTextOrNull,
  checkpoint_after: isTextOrNull,
  error: isTextOrNull,
  from_outside: orMissing(isBoolean),
};

const NODE: ShapeOf<NodeProgress> = {
  name: isText,
  phase: isText,
  needs: isTexts,
  status: oneOf(NODE_STATUSES),
  attempts: isCount,
  started_at: isTextOrNull,
  completed_at: isTextOrNull,
  exit_code: orNull(isNumber),
  result: () => undefined,
  error: isTextOrNull,
};

const BATCH: ShapeOf<BatchProgress> = {
  number: isNumber,
  phase: isText,
  nodes: isTexts,
  status: oneOf(PHASE_STATUSES),
  started_at: isTextOrNull,
  completed_at: isTextOrNull,
  checkpoint_before: isTextOrNull,
};

const GRAPH: ShapeOf<ExecutionGraph> = {
  graph_id: isText,
  nodes: recordOf(recordWith(NODE)),
  batches: listOf(recordWith(BATCH)),
  current_batch: orNull(isNumber),
  completed_batches: listOf(isNumber),
};

/** Members and outputs are as orchestrators save them: what they leave out is not there. */
const MEMBER = recordWith({
  agent: isText,
  role: orMissing(isTextOrNull),
  status: orMissing(isTextOrNull),
});

export const MODIFIED_FILE = recordWith({ path: isText, status: isText });

export const PROGRESS_SHAPE: ShapeOf<WorkflowProgress> = {
  current_phase: isTextOrNull,
  current_step: orNull(isNumber),
  phases: listOf(recordWith(PHASE)),
  execution_graph: orNull(recordWith(GRAPH)),
  state: () => undefined,
  outputs: isAnyRecord,
  agent_outputs: recordOf(recordOf(isAnyRecord)),
  team_state: orNull(recordWith({ members: listOf(MEMBER) })),
  message_state: recordWith({ pending: isTexts, awaiting: isTexts, conflicts: isTexts }),
  knowledge_context: recordWith({ injected: isTexts, captured: isTexts, pending: isTexts }),
  metrics: isAnyRecord,
  files_modified: listOf(MODIFIED_FILE),
  iteration_count: isCount,
  state_label: isTextOrNull,
};
