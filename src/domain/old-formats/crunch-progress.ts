/** How far a workflow of crunch had come, from the record that it stands at. */
import type { IssueSnapshot } from "../session.ts";
import {
  NO_PROGRESS,
  nodeId,
  type AgentOutput,
  type BatchProgress,
  type ExecutionGraph,
  type KnowledgeContext,
  type MessageState,
  type ModifiedFile,
  type NodeProgress,
  type PhaseProgress,
  type TeamMember,
  type TeamState,
  type WorkflowProgress,
} from "../workflow/progress.ts";
import { FieldReader, isFields, type Fields } from "./field-reader.ts";
import { isProjectPath } from "./old-files.ts";
import type { OldRecord } from "./old-session.ts";
import { nodeStatus } from "./old-status.ts";

export function crunchProgress(
  source: FieldReader,
  records: readonly OldRecord[],
  current: OldRecord | undefined,
): WorkflowProgress {
  const state = source.inner("workflow_state");
  const phase = current?.phase ?? null;
  const label = state.text("current_state_label");
  const phases = phasesOf(records, phase, {
    attempts: state.count("phase_attempt") ?? 1,
    started_at: state.time("phase_started_at"),
  });
  state.text("current_phase");
  const recovery = source.fields("recovery_info");
  return {
    ...NO_PROGRESS,
    current_phase: phase,
    current_step: phases.find(({ name }) => name === phase)?.step ?? null,
    phases,
    execution_graph: graphOf(source.fields("execution_graph"), phase ?? "workflow"),
    state: state.rest(),
    agent_outputs: agentOutputs(source.fields("agent_outputs")),
    team_state: teamOf(source.fields("team_state")),
    message_state: messagesOf(source.fields("acp_state")),
    knowledge_context: knowledgeOf(source.fields("knowledge_context")),
    files_modified: filesOf(source.list("files_modified")),
    state_label: label,
    ...(recovery === null ? {} : { recovery_info: recovery }),
  };
}

/** In the order in which they turn up; all before the one that it stands at are done. */
function phasesOf(
  records: readonly OldRecord[],
  current: string | null,
  begun: Pick<PhaseProgress, "attempts" | "started_at">,
): PhaseProgress[] {
  const named = records.flatMap(({ phase }) => (phase === null ? [] : [phase]));
  const names = [...new Set(named)];
  const at = current === null ? names.length : names.indexOf(current);
  return names.map((name, position): PhaseProgress => {
    const last = records.findLast(({ phase }) => phase === name);
    const isCurrent = position === at;
    const isDone = position < at;
    return {
      name,
      step: position + 1,
      status: isDone ? "completed" : isCurrent ? "running" : "pending",
      attempts: isCurrent ? begun.attempts : isDone ? 1 : 0,
      started_at: isCurrent ? begun.started_at : null,
      completed_at: isDone ? (last?.createdAt ?? null) : null,
      checkpoint_before: null,
      checkpoint_after: null,
      error: null,
    };
  });
}

function graphOf(graph: Fields | null, phase: string): ExecutionGraph | null {
  if (graph === null) return null;
  const fields = new FieldReader(graph);
  const isNumber = (value: unknown): value is number => Number.isSafeInteger(value);
  const completed = fields.list("completed_batches").filter(isNumber);
  const current = fields.count("current_batch");
  const numbers = [...new Set(current === null ? completed : [...completed, current])];
  const nodes = Object.entries(fields.fields("node_states") ?? {}).map(
    ([name, node]): [string, NodeProgress] => {
      const read = nodeOf(name, node, phase);
      return [nodeId(read.phase, name), read];
    },
  );
  return {
    ...fields.rest(),
    graph_id: fields.text("graph_id") ?? "imported",
    nodes: Object.fromEntries(nodes),
    batches: numbers
      .toSorted((left, right) => left - right)
      .map((number): BatchProgress => ({
        number,
        phase,
        nodes: [],
        status: completed.includes(number) ? "completed" : "running",
        started_at: null,
        completed_at: null,
        checkpoint_before: null,
      })),
    current_batch: current,
    completed_batches: completed,
  };
}

function nodeOf(name: string, node: unknown, phase: string): NodeProgress {
  const fields = new FieldReader(isFields(node) ? node : { status: node });
  const status = fields.text("status");
  const read = nodeStatus(status);
  return {
    name,
    phase: fields.text("phase") ?? phase,
    needs: fields.texts("needs"),
    status: read,
    attempts: fields.count("attempts") ?? (read === "pending" ? 0 : 1),
    started_at: fields.time("started_at"),
    completed_at: fields.time("completed_at"),
    exit_code: fields.count("exit_code"),
    result: fields.any("result") ?? null,
    error: fields.text("error"),
    ...fields.rest(),
    ...(status === null || status === read ? {} : { old_status: status }),
  };
}

function agentOutputs(given: Fields | null): WorkflowProgress["agent_outputs"] {
  return Object.fromEntries(
    Object.entries(given ?? {}).map(([agent, tasks]) => [
      agent,
      Object.fromEntries(
        Object.entries(isFields(tasks) ? tasks : { output: tasks }).map(([task, one]) => [
          task,
          output(one),
        ]),
      ),
    ]),
  );
}

function output(given: unknown): AgentOutput {
  const fields = new FieldReader(isFields(given) ? given : { output_summary: given });
  return {
    completed_at: fields.time("completed_at"),
    output_summary: fields.text("output_summary"),
    output_location: fields.text("output_location"),
    ...fields.rest(),
  };
}

function teamOf(given: Fields | null): TeamState | null {
  if (given === null) return null;
  const fields = new FieldReader(given);
  const members = fields.list("members").map((member): TeamMember => {
    const one = new FieldReader(isFields(member) ? member : { agent: member });
    return {
      agent: one.text("agent") ?? "unknown",
      role: one.text("role"),
      status: one.text("status"),
      tasks_completed: one.count("tasks_completed") ?? 0,
      tasks_pending: one.count("tasks_pending") ?? 0,
      ...one.rest(),
    };
  });
  return { ...fields.rest(), team_id: fields.text("team_id"), members };
}

function messagesOf(given: Fields | null): MessageState {
  const fields = new FieldReader(given);
  const pending = fields.texts("pending_messages");
  const awaiting = fields.texts("awaiting_response");
  const conflicts = fields.texts("conflicts_in_progress");
  return { ...fields.rest(), pending, awaiting, conflicts };
}

/** One that was captured is never pending again. */
function knowledgeOf(given: Fields | null): KnowledgeContext {
  const fields = new FieldReader(given);
  const injected = fields.texts("injected_entries");
  const captured = fields.texts("captured_entries");
  const pending = fields.texts("pending_captures").filter((entry) => !captured.includes(entry));
  return { ...fields.rest(), injected, captured, pending };
}

const FILE_STATUS: Readonly<Record<string, ModifiedFile["status"]>> = {
  created: "created",
  added: "created",
  new: "created",
  modified: "modified",
  deleted: "deleted",
  removed: "deleted",
};

function filesOf(given: readonly unknown[]): ModifiedFile[] {
  return given.flatMap((item) => {
    const fields = new FieldReader(isFields(item) ? item : { path: item });
    const path = fields.text("path");
    if (path === null || !isProjectPath(path)) return [];
    const status = FILE_STATUS[fields.text("status") ?? ""] ?? "modified";
    return [{ path, status, staged: fields.flag("staged") ?? false, ...fields.rest() }];
  });
}

export function issueSnapshot(
  given: Fields | null,
  issueNumber: number | null,
  at: string,
): IssueSnapshot | null {
  if (given === null) return null;
  const fields = new FieldReader(given);
  const number = fields.count("number") ?? issueNumber;
  if (number === null) return null;
  return {
    number,
    title: fields.text("title") ?? "",
    body: fields.text("body") ?? "",
    labels: fields.texts("labels"),
    assignees: fields.texts("assignees"),
    branch: fields.text("branch"),
    taken_at: fields.time("taken_at") ?? at,
    ...fields.rest(),
  };
}
