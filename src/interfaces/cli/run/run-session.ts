/** Runs a session that this process owns, and tells what happens. */
import type { Workflow } from "../../../domain/workflow/definition.ts";
import type { RunEvent } from "../../../domain/workflow/run-event.ts";
import type { OwnedSession } from "../../../operations/owned-session.ts";
import type { Project } from "../../../operations/project.ts";
import type { RunOptions } from "../../../operations/run/run-options.ts";
import { runWorkflow } from "../../../operations/run/run-workflow.ts";
import { startAutoCleanup } from "../auto-cleanup.ts";
import type { Context } from "../command-spec.ts";
import { canAsk } from "../prompt.ts";
import type { RunFlags } from "./run-flags.ts";
import { RunTalk } from "./run-talk.ts";
import { Observing } from "../observing.ts";
import { TerminalObserver } from "./terminal-observer.ts";

export interface SessionToRun {
  readonly owned: OwnedSession;
  readonly workflow: Workflow;
  /** It went on before. */
  readonly isResumed: boolean;
  /** What happened before it runs. */
  readonly events?: readonly RunEvent[];
}

/** The exit code. */
export async function runSession(
  context: Context,
  project: Project,
  { owned, workflow, isResumed, events = [] }: SessionToRun,
  flags: RunFlags,
): Promise<number> {
  const talk = new RunTalk(context.output, flags.plain === true);
  try {
    for (const event of events) talk.tell(event);
    const options = { ...runOptions({ ...context, sessionId: owned.id }, flags, talk), isResumed };
    const result = await runWorkflow(project, owned, workflow, options);
    talk.conclude(result);
    startAutoCleanup(project);
    return result.exitCode;
  } finally {
    talk.stop();
  }
}

function runOptions(context: Context, flags: RunFlags, talk: RunTalk): RunOptions {
  const { output } = context;
  const { concurrency, onCheckpointFailure, timeout } = flags;
  const asks = canAsk() && !output.options.json;
  return {
    onEvent: (event) => talk.tell(event),
    onOutput: (written) => talk.passOn(written),
    ...(asks
      ? { observer: new TerminalObserver(talk, output, new Observing({ ...context, options: {} })) }
      : {}),
    passBreakpoints: flags.yes === true,
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(onCheckpointFailure === undefined ? {} : { onCheckpointFailure }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
    sharesTerminal: process.stdin.isTTY,
  };
}
