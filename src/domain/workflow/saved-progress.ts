/** The progress of a workflow after an orchestrator saved some of it. */
import { isRecord } from "../is-record.ts";
import { mergePatch } from "../merge-patch.ts";
import { enterPhase } from "./phase-moves.ts";
import type {
  AgentOutput,
  KnowledgeContext,
  MessageState,
  TeamState,
  WorkflowProgress,
} from "./progress.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What is to be saved; what is left out stays as it is. Unknown keys are kept. */
export interface ProgressSave {
  readonly state?: unknown;
  readonly outputs?: Fields;
  readonly metrics?: Fields;
  readonly phase?: string;
  readonly step?: number;
  readonly iteration?: number;
  readonly stateLabel?: string;
  readonly team?: Fields;
  readonly messages?: Fields;
  readonly knowledge?: Fields;
  readonly agentOutputs?: readonly {
    readonly agent: string;
    readonly task: string;
    readonly output: Fields;
  }[];
  /** Change what is there field by field (RFC 7396), and not replace it. */
  readonly merge?: boolean;
}

/** `fromOutside`: no process runs the session, so none ends with its phase. */
export function savedProgress(
  before: WorkflowProgress,
  save: ProgressSave,
  at: string,
  fromOutside = false,
): WorkflowProgress {
  const placed = placedAt(before, save, at, fromOutside);
  const put = (old: unknown, given: unknown): unknown =>
    save.merge === true ? mergePatch(old, given) : given;
  return {
    ...placed,
    ...(save.state === undefined ? {} : { state: put(before.state, save.state) }),
    ...(save.outputs === undefined ? {} : { outputs: fields(put(before.outputs, save.outputs)) }),
    ...(save.metrics === undefined ? {} : { metrics: fields(put(before.metrics, save.metrics)) }),
    ...(save.iteration === undefined ? {} : { iteration_count: save.iteration }),
    ...(save.stateLabel === undefined ? {} : { state_label: save.stateLabel }),
    ...(save.team === undefined ? {} : { team_state: teamOf(put(before.team_state, save.team)) }),
    ...(save.messages === undefined
      ? {}
      : { message_state: messagesOf(put(before.message_state, save.messages)) }),
    ...(save.knowledge === undefined
      ? {}
      : { knowledge_context: knownAfter(before.knowledge_context, save.knowledge, save.merge) }),
    ...(save.agentOutputs === undefined
      ? {}
      : { agent_outputs: withOutputs(before.agent_outputs, save.agentOutputs, at) }),
  };
}

function placedAt(
  before: WorkflowProgress,
  { phase, step }: ProgressSave,
  at: string,
  fromOutside: boolean,
): WorkflowProgress {
  if (phase !== undefined) return enterPhase(before, phase, step, at, fromOutside);
  return step === undefined ? before : { ...before, current_step: step };
}

/**
 * What was captured stays captured, each entry once and in its order, and is pending no more: whoever resumes captures nothing
 * twice.
 */
function knownAfter(before: KnowledgeContext, given: Fields, merge = false): KnowledgeContext {
  const list = (name: "injected" | "pending"): string[] => {
    if (given[name] === undefined) return [...before[name]];
    return distinct([...(merge ? before[name] : []), ...texts(given[name])]);
  };
  const captured = distinct([...before.captured, ...texts(given["captured"])]);
  return {
    ...(merge ? before : {}),
    ...given,
    injected: list("injected"),
    captured,
    pending: list("pending").filter((id) => !captured.includes(id)),
  };
}

function messagesOf(value: unknown): MessageState {
  const given = fields(value);
  return {
    ...given,
    pending: distinct(texts(given["pending"])),
    awaiting: distinct(texts(given["awaiting"])),
    conflicts: distinct(texts(given["conflicts"])),
  };
}

function teamOf(value: unknown): TeamState {
  const { team_id, members, ...rest } = fields(value);
  return {
    ...rest,
    team_id: typeof team_id === "string" ? team_id : null,
    members: (Array.isArray(members) ? members : []).map((member) => {
      const { agent, role, status, tasks_completed, tasks_pending, ...more } = fields(member);
      return {
        ...more,
        agent: typeof agent === "string" ? agent : "",
        role: typeof role === "string" ? role : null,
        status: typeof status === "string" ? status : null,
        tasks_completed: typeof tasks_completed === "number" ? tasks_completed : 0,
        tasks_pending: typeof tasks_pending === "number" ? tasks_pending : 0,
      };
    }),
  };
}

function withOutputs(
  before: WorkflowProgress["agent_outputs"],
  given: NonNullable<ProgressSave["agentOutputs"]>,
  at: string,
): WorkflowProgress["agent_outputs"] {
  const all = new Map(Object.entries(before));
  for (const { agent, task, output } of given) {
    const made: AgentOutput = {
      completed_at: at,
      output_summary: null,
      output_location: null,
      ...output,
    };
    all.set(agent, { ...all.get(agent), [task]: made });
  }
  return Object.fromEntries(all);
}

function fields(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

function texts(value: unknown): string[] {
  return (Array.isArray(value) ? value : []).filter((item) => typeof item === "string");
}

function distinct(items: readonly string[]): string[] {
  return [...new Set(items)];
}
