/** How far a workflow has come, as sessions and the `workflow.json` of checkpoints have it. Unknown keys are allowed everywhere. */
import * as z from "zod";
import { NODE_STATUSES, PHASE_STATUSES } from "./progress.ts";

const text = z.string().nullable();
const time = z.string().nullable();
const count = z.number().int().nonnegative();
const ids = z.array(z.string());
const anything = z.record(z.string(), z.unknown());

const phase = z.looseObject({
  name: z.string(),
  step: count.describe("Its number: 1, 2, 3 …"),
  status: z.enum(PHASE_STATUSES),
  attempts: count.describe("Number of attempts."),
  started_at: time,
  completed_at: time,
  checkpoint_before: text.describe("The `pre_phase` checkpoint of the last attempt."),
  checkpoint_after: text.describe("The `post_phase` checkpoint."),
  from_outside: z
    .boolean()
    .optional()
    .describe("True: an orchestrator runs it and said so with `session save`."),
  error: text,
});

const node = z.looseObject({
  name: z.string(),
  phase: z.string(),
  needs: ids.describe("Names of nodes of the same phase."),
  status: z
    .enum(NODE_STATUSES)
    .describe("unknown: it was running when its process ended, so its result is unknown."),
  attempts: count,
  started_at: time,
  completed_at: time,
  exit_code: z.number().int().nullable(),
  result: z.unknown().describe("Its result."),
  error: text,
});

const batch = z.looseObject({
  number: count,
  phase: z.string(),
  nodes: ids.describe("Ids of nodes: `phase/name`."),
  status: z.enum(PHASE_STATUSES),
  started_at: time,
  completed_at: time,
  checkpoint_before: text.describe("Where a retry starts from."),
});

const graph = z.looseObject({
  graph_id: z.string(),
  nodes: z.record(z.string(), node).describe("By id: `phase/name`."),
  batches: z.array(batch),
  current_batch: z.number().int().nullable(),
  completed_batches: z.array(z.number().int()),
});

const agentOutput = z.looseObject({
  completed_at: time,
  output_summary: text,
  output_location: text,
});

const member = z.looseObject({
  agent: z.string(),
  role: text,
  status: text,
  tasks_completed: count,
  tasks_pending: count,
});

export const modifiedFile = z.looseObject({
  path: z.string(),
  status: z.enum(["created", "modified", "deleted"]),
  staged: z.boolean(),
});

/** Fields of the progress that every session shows. */
export const progressFields = {
  current_phase: text,
  current_step: count.nullable(),
  phases: z.array(phase),
  execution_graph: graph.nullable(),
  state: z.unknown().optional().describe("The workflow's own state."),
  outputs: anything.describe("What was collected, by name."),
  agent_outputs: z
    .record(z.string(), z.record(z.string(), agentOutput))
    .describe("By agent, then by task."),
  team_state: z.looseObject({ team_id: text, members: z.array(member) }).nullable(),
  message_state: z
    .looseObject({ pending: ids, awaiting: ids, conflicts: ids })
    .describe("Ids of messages between agents."),
  knowledge_context: z
    .looseObject({ injected: ids, captured: ids, pending: ids })
    .describe("Ids of entries of a knowledge base; what is captured is never pending."),
  metrics: anything,
  files_modified: z.array(modifiedFile).describe("Files that the workflow itself reported."),
  iteration_count: count,
  state_label: text.describe(
    "The state of the workflow by the labels of its issue: `state:enrich`.",
  ),
};

export const progressSchema = z.looseObject(progressFields);

/** `workflow.json` of a checkpoint's tree. */
export const heldWorkflowSchema = progressSchema.extend({
  session_status: z.string().describe("Status of the session."),
  session_ended_at: z.string().optional().describe("When it ended, if it had ended."),
  session_archived_at: z.string().optional().describe("When it was archived, if it was."),
  session_last_error: anything.optional().describe("Its last error, if it had one."),
});
