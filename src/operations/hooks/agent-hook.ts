/**
 * What a hook of an agent does in a project: a checkpoint before a tool that may change something, at each prompt, at the end of turns and sessions.
 * It never fails: whatever goes wrong becomes a word to the user, once, or a reason why the tool must not run.
 */
import type { AgentEvent, HookReply } from "../../domain/agents/agent-event.ts";
import { hookTrigger, isStepMoment, policyFor } from "../../domain/agents/hook-moment.ts";
import { deliveryOf, repeatOf, type Delivery, type Repeat } from "../../domain/agents/same-call.ts";
import { stepMark } from "../../domain/agents/step-mark.ts";
import { promptLine, stepReason } from "../../domain/agents/step-reason.ts";
import { isEnded } from "../../domain/workflow/session-status.ts";
import type { AgentMemory, AgentSessionMemory, HookTurn } from "../../ports/agent-memory.ts";
import { auditFailure } from "../audited.ts";
import { createCheckpoint, type CreateResult } from "../create-checkpoint.ts";
import { failedHook } from "./failed-hook.ts";
import { hookStep, toolOf } from "./hook-step.ts";
import { leftOutNews, rollbackNews, settingsNews, unfinishedNews } from "./hook-news.ts";
import { newSession, rememberSession, sessionKey } from "./agent-session.ts";
import type { Project } from "../project.ts";

export interface HookCall {
  readonly event: AgentEvent;
  /** What a tool that writes names, from the project's root; what is outside is not among them. */
  readonly paths: readonly string[];
  /** Rejects when the time is over. */
  readonly deadline: Promise<never>;
  /** Milliseconds until then. */
  readonly timeLeft: () => number;
}

export interface HookOutcome {
  readonly reply: HookReply;
  /** A new checkpoint was taken. */
  readonly isNew: boolean;
}

export async function agentHook(opened: Project, call: HookCall): Promise<HookOutcome> {
  const delivery = deliveryOf(call.event, opened.clock.now(), opened.sha256, call.paths);
  const turn = await takeTurn(opened, call);
  try {
    return await inTurn(opened, call, delivery);
  } finally {
    orElse(undefined, () => turn?.release());
  }
}

/** Whoever comes second sees what the first has done. Half of the time is for the work itself, which is safe without a turn, too. */
async function takeTurn(
  { agentMemory }: Project,
  { event, timeLeft }: HookCall,
): Promise<HookTurn | undefined> {
  if (!isStepMoment(event.moment)) return undefined;
  return agentMemory.takeTurn(timeLeft() / 2).catch(() => undefined);
}

async function inTurn(opened: Project, call: HookCall, delivery: Delivery): Promise<HookOutcome> {
  const { event, paths } = call;
  const { agentMemory, agentMemoryElsewhere } = opened;
  const memories = [agentMemory, agentMemoryElsewhere];
  const repeat = isStepMoment(event.moment)
    ? repeatOf(delivery, (key) => orElse(undefined, () => agentMemory.done(key)))
    : undefined;
  if (repeat === "same") return { reply: {}, isNew: false };
  const { before, session: met } = meet(opened, event, repeat);
  // The setting may have changed since the prompt.
  const session = opened.config.agents.prompts ? met : { ...met, prompt: null };
  const { host, pid } = opened.actor;
  const actor = {
    ...actorOf(event, session),
    host,
    pid,
    // Known without a question once the project is captured.
    get user() {
      return opened.actor.user;
    },
  };
  const project = { ...opened, actor };
  const news = orElse(undefined, () => rollbackNews(project, event, before));
  const context = news === undefined ? {} : { context: news };
  let taken: CreateResult | undefined;
  let isProtected = false;
  try {
    taken = await takeCheckpoint(project, call, session);
    isProtected = true;
    const isRepeated = repeat !== undefined && taken?.kind === "unchanged";
    if (taken !== undefined && !isRepeated) writeDown(project, call, session, taken);
    for (const memory of memories) forgetWarning(memory, event, project.clock.now());
    // Last: a delivery that failed or was killed leaves the work to the next one.
    agentMemory.recordDone(
      delivery.keys.map(({ key }) => key),
      delivery,
    );
    const reply = together(
      context,
      unfinishedNews(project, event, session),
      settingsNews(project, event, session),
      leftOutNews(project, event, session, taken?.checkpoint),
    );
    return { reply, isNew: taken?.kind === "created" };
  } catch (error) {
    if (!isProtected)
      orElse(undefined, () => auditFailure(project, { operation: "create" }, error));
    const policy = policyFor(event.agent, project.config);
    const now = project.clock.now();
    const heard = { event, paths, turn: session.turn, now, config: project.config };
    const step = isProtected ? undefined : hookStep(heard, null);
    const failed = failedHook({ event, error, policy, isProtected, step, memories, now });
    return { reply: together(context, failed), isNew: taken?.kind === "created" };
  }
}

/** The session as it was before this hook, and as it is with it: a prompt that did not come before is one turn more. */
function meet(
  { agentMemory, clock, config }: Project,
  event: AgentEvent,
  repeat: Repeat | undefined,
): { readonly before: AgentSessionMemory | undefined; readonly session: AgentSessionMemory } {
  const key = sessionKey(event);
  const before = agentMemory.session(key);
  const turns = event.moment === "prompt" && repeat === undefined ? 1 : 0;
  if (before !== undefined && turns === 0) return { before, session: before };
  const now = clock.now();
  const prompt = config.agents.prompts ? promptLine(event.prompt) : null;
  const next = (known: AgentSessionMemory): AgentSessionMemory =>
    turns === 0 ? known : { ...known, turn: known.turn + turns, prompt };
  const session = orElse(next(before ?? newSession(now)), () =>
    rememberSession(agentMemory, key, now, next),
  );
  return { before, session };
}

const MOST_ID = 200;

function actorOf({ agent, sessionId, tool }: AgentEvent, { turn, prompt }: AgentSessionMemory) {
  return {
    agent,
    agent_session_id: sessionId.slice(0, MOST_ID) || null,
    tool_use_id: tool?.callId?.slice(0, MOST_ID) ?? null,
    ...(turn === 0 ? {} : { turn }),
    ...(prompt === null ? {} : { prompt }),
    ...(tool === undefined ? {} : { tool: tool.name.slice(0, MOST_ID) }),
  };
}

/** Undefined: none is to be taken at this moment. */
async function takeCheckpoint(
  project: Project,
  { event, paths, deadline }: HookCall,
  session: AgentSessionMemory,
): Promise<CreateResult | undefined> {
  const { moment } = event;
  const trigger = isStepMoment(moment) ? hookTrigger(moment, project.config) : undefined;
  if (!isStepMoment(moment) || trigger === undefined) return undefined;
  const take = async (): Promise<CreateResult> =>
    createCheckpoint(project, {
      trigger,
      agentStep: stepMark({ moment, ...toolOf(event, paths) }),
      skipSame: true,
      reason: stepReason(moment, event.tool, paths, session),
      ...(await sessionAround(project)),
    });
  return await Promise.race([take(), deadline]);
}

/** The step, also where the checkpoint is an earlier one: it begins at the one that holds this state. */
function writeDown(
  project: Project,
  { event, paths }: HookCall,
  session: AgentSessionMemory,
  taken: CreateResult,
): void {
  const { clock, config } = project;
  const heard = { event, paths, turn: session.turn, now: clock.now(), config };
  const step = hookStep(heard, taken);
  if (step !== undefined) project.agentMemory.recordStep(step);
}

/** Of the workflow that the agent runs in. It may work in another project, which has no such session, and may outlive it: what an ended session holds may be cleaned up. */
async function sessionAround({ within, sessions }: Project): Promise<{ sessionId?: string }> {
  if (within === undefined) return {};
  const goesOn = await sessions.read(within).then(
    (session) => session !== undefined && !isEnded(session.document.status),
    () => false,
  );
  return goesOn ? { sessionId: within } : {};
}

/** It works again: should it fail once more, that is news. */
function forgetWarning(memory: AgentMemory, event: AgentEvent, now: Date): void {
  const key = sessionKey(event);
  if (memory.session(key)?.warned !== true) return;
  rememberSession(memory, key, now, (before) => ({ ...before, warned: false }));
}

function together(...replies: readonly HookReply[]): HookReply {
  const texts = (part: keyof HookReply): Partial<Record<keyof HookReply, string>> => {
    const text = replies.flatMap((reply) => reply[part] ?? []).join("\n\n");
    return text === "" ? {} : { [part]: text };
  };
  return { ...texts("deny"), ...texts("message"), ...texts("context") };
}

/** What is remembered is a help and no more: where that fails, a checkpoint is tried all the same, and says itself what is wrong. */
function orElse<Value>(otherwise: Value, act: () => Value): Value {
  try {
    return act();
  } catch {
    return otherwise;
  }
}
