/** What is known about who worked here: steps that hooks wrote down, and checkpoints of agents and workflows. */
import { parsePath } from "../../domain/byte-path.ts";
import type { AgentStep } from "../../domain/agents/agent-step.ts";
import { markedStep } from "../../domain/agents/step-mark.ts";
import type { CheckpointDocument } from "../../domain/checkpoint.ts";
import type { WorkStep } from "../../domain/selective/claims.ts";
import { selectWorker, type Worker } from "../../domain/selective/worker.ts";
import type { Project } from "../project.ts";
import type { SessionView } from "../session-view.ts";

export interface FoundWork {
  readonly worker: Worker;
  /** Of everybody. */
  readonly steps: readonly WorkStep[];
}

export async function findWork(
  project: Project,
  { documents, sessions }: Pick<SessionView, "documents" | "sessions">,
  text: string,
): Promise<FoundWork> {
  const here = documents.filter(
    ({ id, worktree_id }) =>
      worktree_id === project.workTree.id && !project.checkpoints.isForeign(id),
  );
  const recorded = await project.agentMemory.steps();
  const lost = unrecorded(recorded, here);
  const workers = new Map<string, Worker>();
  const note = (worker: Worker): void => {
    const known = workers.get(worker.id);
    if (known === undefined || known.lastAt < worker.lastAt) workers.set(worker.id, worker);
  };
  for (const { session_id: id, created_at: lastAt } of here) {
    if (sessions.get(id)?.implicit === false) note({ id, agent: null, lastAt });
  }
  for (const { agent_session_id: id, agent, at: lastAt } of [...recorded, ...lost]) {
    if (id !== "") note({ id, agent, lastAt });
  }
  const worker = selectWorker(text, [...workers.values()]);
  const sessionOf = new Map(here.map(({ id, session_id }) => [id, session_id]));
  const marked = new Set(here.flatMap((document) => markedStep(document) ?? []).map(callOf));
  const workOf = (step: AgentStep, isRecorded: boolean): WorkStep => ({
    at: step.at,
    checkpointId: step.checkpoint_id,
    isOwn: marked.has(callOf(step)),
    session: step.agent_session_id,
    workflow: sessionOf.get(step.checkpoint_id) ?? null,
    moment: step.moment,
    turn: step.turn,
    isRecorded,
    paths: step.paths === null ? null : step.paths.map((path) => parsePath(path)),
  });
  return {
    worker,
    // What a checkpoint was taken for was there before all that found nothing changed since.
    steps: [
      ...lost.map((step) => workOf(step, false)),
      ...recorded.map((step) => workOf(step, true)),
    ],
  };
}

/** Old steps are forgotten, and a lost record begins anew: the checkpoints that were made for them still tell of them. */
function unrecorded(
  recorded: readonly AgentStep[],
  documents: readonly CheckpointDocument[],
): AgentStep[] {
  const known = new Set(recorded.map(callOf));
  return documents.flatMap((document) => {
    const step = markedStep(document);
    return step === undefined || known.has(callOf(step)) ? [] : [step];
  });
}

/** Others, and other calls of the same session, may have begun at the same checkpoint. */
function callOf({ checkpoint_id, agent_session_id, moment, tool, tool_use_id }: AgentStep): string {
  return JSON.stringify([checkpoint_id, agent_session_id, moment, tool, tool_use_id]);
}
