/** A hook that could not do its work: remembered for `doctor`, and told, or the tool is denied where the settings say so. */
import { auditErrorOf } from "../../domain/audit.ts";
import type { AgentEvent, HookReply } from "../../domain/agents/agent-event.ts";
import type { AgentStep } from "../../domain/agents/agent-step.ts";
import {
  denyText,
  tellUser,
  unprotectedText,
  unrememberedText,
} from "../../domain/agents/failure-words.ts";
import { isOfNoConcern } from "../../domain/agents/hook-moment.ts";
import type { FailurePolicy } from "../../domain/config.ts";
import { Failure } from "../../domain/failure.ts";
import { redact } from "../../domain/secrets/redact.ts";
import { asFailure } from "../../domain/system-error.ts";
import type { AgentMemory } from "../../ports/agent-memory.ts";
import { rememberSession, sessionKey } from "./agent-session.ts";

export interface FailedHook {
  readonly event: AgentEvent;
  readonly error: unknown;
  readonly policy: FailurePolicy;
  /** The checkpoint was taken, and what came after it failed: that is no reason to deny anything. */
  readonly isProtected: boolean;
  /** What goes on without a checkpoint; undefined: nothing, or it is written down already. */
  readonly step: AgentStep | undefined;
  /** Where it can be remembered, the best first: a full disk may be what is wrong. */
  readonly memories: readonly AgentMemory[];
  readonly now: Date;
}

export function failedHook(failed: FailedHook): HookReply {
  const { event, error, policy, isProtected, step, memories, now } = failed;
  const known = asFailure(error);
  const { code, message } = auditErrorOf(known);
  const hint = known instanceof Failure ? known.hint : "This is a bug in Waymark: please report it";
  firstThatCan(memories, (memory) =>
    memory.recordFailure({
      at: now.toISOString(),
      agent: event.agent,
      agent_session_id: event.sessionId,
      moment: event.moment,
      code,
      message: redact(message).slice(0, MOST_MESSAGE),
    }),
  );
  const problem = { message, hint };
  const isClosed = policy === "fail_closed" && !isProtected;
  if (isClosed && event.moment === "pre_tool" && !isOfNoConcern(event)) {
    return { deny: denyText(problem, event.agent) };
  }
  // Else what it changes would count as that of whoever else is at work.
  if (step !== undefined) firstThatCan(memories, (memory) => memory.recordStep(step));
  // Nobody is there any more.
  if (event.moment === "session_end") return {};
  const text = isProtected ? unrememberedText(problem) : unprotectedText(problem, now);
  const { reply, isHeard } = tellUser(event, text);
  if (!isHeard) return reply;
  const key = sessionKey(event);
  if (memories.some((memory) => memory.session(key)?.warned === true)) return {};
  let isFirst = false;
  const isRemembered = firstThatCan(memories, (memory) =>
    rememberSession(memory, key, now, (before) => {
      isFirst = !before.warned;
      return { ...before, warned: true };
    }),
  );
  // Where nothing can be remembered it is told with every prompt, and not with every tool.
  const isDue = isRemembered ? isFirst : event.moment !== "pre_tool";
  return isDue ? reply : {};
}

const MOST_MESSAGE = 1000;

function firstThatCan(
  memories: readonly AgentMemory[],
  use: (memory: AgentMemory) => void,
): boolean {
  return memories.some((memory) => {
    try {
      use(memory);
      return true;
    } catch {
      return false;
    }
  });
}
