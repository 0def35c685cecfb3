/** What is known about who worked here: steps that hooks wrote down, and checkpoints of agents and workflows. */
import { parsePath } from "../../domain/byte-path.ts";
import type { AgentStep } from "../../domain/agents/agent-step.ts";
import type { CheckpointDocument } from "../../domain/checkpoint.ts";
import type { WorkStep } from "../../domain/selective/claims.ts";
import { selectWorker, type Worker } from "../../domain/selective/worker.ts";
import type { Project } from "../project.ts";
import type { SessionView } from "../session-view.ts";

export interface FoundWork {
  readonly worker: Worker;
  /** Of everybody; those of the worker have its id. */
  readonly steps: readonly WorkStep[];
}

export async function findWork(
  project: Project,
  { documents, sessions }: Pick<SessionView, "documents" | "sessions">,
  text: string,
): Promise<FoundWork> {
  const here = documents.filter(({ worktree_id }) => worktree_id === project.workTree.id);
  const steps = withUnrecorded(await project.agentMemory.steps(), here);
  const workers = new Map<string, Worker>();
  const note = (worker: Worker): void => {
    const known = workers.get(worker.id);
    if (known === undefined || known.lastAt < worker.lastAt) workers.set(worker.id, worker);
  };
  for (const { session_id: id, created_at: lastAt } of here) {
    if (sessions.get(id)?.implicit === false) note({ id, agent: null, lastAt });
  }
  for (const { agent_session_id: id, agent, at: lastAt } of steps) {
    if (id !== "") note({ id, agent, lastAt });
  }
  const worker = selectWorker(text, [...workers.values()]);
  const sessionOf = new Map(here.map(({ id, session_id }) => [id, session_id]));
  return {
    worker,
    steps: steps.map((step) => {
      // What an agent does in a workflow is the workflow's work.
      const isWithin = worker.agent === null && sessionOf.get(step.checkpoint_id) === worker.id;
      return asWork(step, isWithin ? worker.id : step.agent_session_id);
    }),
  };
}

function asWork(step: AgentStep, session: string): WorkStep {
  return {
    at: step.at,
    checkpointId: step.checkpoint_id,
    session,
    moment: step.moment,
    paths: step.paths === null ? null : step.paths.map((path) => parsePath(path)),
  };
}

/** Old steps are forgotten, and a lost record begins anew: the checkpoints that were made for them still say whose they are. */
function withUnrecorded(
  recorded: readonly AgentStep[],
  documents: readonly CheckpointDocument[],
): AgentStep[] {
  const known = new Set(recorded.map(({ checkpoint_id }) => checkpoint_id));
  const others = documents.flatMap(({ id, created_at, created_by, trigger }): AgentStep[] => {
    const { agent, agent_session_id, tool = null, tool_use_id, turn = null } = created_by;
    if (agent === null || agent_session_id === null || known.has(id)) return [];
    if (trigger === "pre_rollback") return [];
    const isEnd = trigger === "session_end" || trigger === "agent_complete";
    const isTool = tool !== null || tool_use_id !== null;
    return [
      {
        at: created_at,
        checkpoint_id: id,
        agent,
        agent_session_id,
        moment: isEnd ? "turn_end" : isTool ? "pre_tool" : "prompt",
        turn,
        tool,
        tool_kind: null,
        tool_use_id,
        paths: null,
      },
    ];
  });
  return [...recorded, ...others].toSorted((left, right) =>
    left.at < right.at ? -1 : left.at > right.at ? 1 : 0,
  );
}
