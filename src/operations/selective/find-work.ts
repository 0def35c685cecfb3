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
  { documents, sessions, setAside }: Pick<SessionView, "documents" | "sessions" | "setAside">,
  text: string,
): Promise<FoundWork> {
  // What a rollback did could be taken for what somebody wrote.
  if (setAside !== undefined) throw setAside;
  const here = documents.filter(
    ({ id, worktree_id }) =>
      worktree_id === project.workTree.id && !project.checkpoints.isForeign(id),
  );
  const recorded = await recordedSteps(project, here);
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
  const sessionOf = new Map<string | null, string>(
    here.map(({ id, session_id }) => [id, session_id]),
  );
  const own = ownSteps(recorded, here);
  const workOf = (step: AgentStep, isRecorded: boolean): WorkStep => ({
    at: step.at,
    checkpointId: step.checkpoint_id,
    isOwn: !isRecorded || own.has(step),
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

/** In the order in which they were recorded; what could not be written in the project is where it belongs by the clock. */
async function recordedSteps(
  { agentMemory, agentMemoryElsewhere }: Project,
  documents: readonly CheckpointDocument[],
): Promise<AgentStep[]> {
  const [steps, others] = await Promise.all([agentMemory.steps(), agentMemoryElsewhere.steps()]);
  const all = [...steps];
  for (const step of others) {
    // Of another project that was in this place before.
    if (!documents.some(({ created_at }) => created_at <= step.at)) continue;
    const next = all.findIndex(({ at }) => at > step.at);
    all.splice(next < 0 ? all.length : next, 0, step);
  }
  return all;
}

/** Old steps are forgotten, and a lost record begins anew: the checkpoints that were made for them still tell of them. */
function unrecorded(
  recorded: readonly AgentStep[],
  documents: readonly CheckpointDocument[],
): AgentStep[] {
  // Without an id a later call of the same tool looks the same.
  const isKnown = ({ is_own, tool_use_id }: AgentStep): boolean =>
    is_own !== false || tool_use_id !== null;
  const known = new Set(recorded.filter(isKnown).map(callOf));
  return documents.flatMap((document) => {
    const step = markedStep(document);
    return step === undefined || known.has(callOf(step)) ? [] : [step];
  });
}

/** Those that a checkpoint was taken for. Where steps do not say it themselves it is the first that looks like what the checkpoint says. */
function ownSteps(
  recorded: readonly AgentStep[],
  documents: readonly CheckpointDocument[],
): Set<AgentStep> {
  const marked = new Set(documents.flatMap((document) => markedStep(document) ?? []).map(callOf));
  return new Set(
    recorded.filter((step) => {
      const isFirst = marked.delete(callOf(step));
      return step.is_own ?? isFirst;
    }),
  );
}

/** Others, and other calls of the same session, may have begun at the same checkpoint. */
function callOf({ checkpoint_id, agent_session_id, moment, tool, tool_use_id }: AgentStep): string {
  return JSON.stringify([checkpoint_id, agent_session_id, moment, tool, tool_use_id]);
}
