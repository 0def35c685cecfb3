/** `waymark phase` */
import { restoreCommand } from "../../../domain/checkpoint-id.ts";
import type { Strategy } from "../../../domain/config.ts";
import { endOf } from "../../../domain/guard.ts";
import { commandLine } from "../../../domain/shell-quote.ts";
import { goingOn } from "../../../operations/phase-session.ts";
import type { Project } from "../../../operations/project.ts";
import type { Step } from "../../../operations/guard-step.ts";
import {
  runPhase,
  type CheckpointChoice,
  type PhaseEvent,
  type PhaseRequest,
  type PhaseResult,
} from "../../../operations/standalone-phase.ts";
import { signalText } from "../../../operations/stop-wish.ts";
import { startAutoCleanup } from "../auto-cleanup.ts";
import type { Context } from "../command-spec.ts";
import { leftOutTalk } from "../exclusion-warnings.ts";
import { failedCheckpointPolicy } from "../failed-checkpoint.ts";
import type { Output } from "../output.ts";
import { heldBesides, type PartOptions } from "../part-asks.ts";
import { settleUnfinished, type UnfinishedAnswer } from "../unfinished-session.ts";
import { wayBack } from "../way-back.ts";

interface Options extends PartOptions {
  task?: string;
  issue?: number;
  step?: number;
  workflowState?: string;
  description?: string;
  strategy?: Strategy;
  modifies?: boolean;
  timeout?: number;
  resume?: boolean;
  fresh?: boolean;
  onCheckpointFailure?: CheckpointChoice;
}

export async function run(context: Context): Promise<number> {
  const { output } = context;
  const options: Options = context.options;
  const [name, words] = context.args as [string, [string, ...string[]]];
  const project = await context.openProject();
  const choice = await settleCutOff(context, project, name, options);
  if (choice === "deleted") return 0;
  const result = await runPhase(
    project,
    {
      ...request(options, context, project, name),
      command: commandLine(words),
      sharesTerminal: process.stdin.isTTY,
      onEvent: (event) => tell(output, name, event),
      onCheckpointFailed: failedCheckpointPolicy(output, options.onCheckpointFailure),
      onUnfinished: () => Promise.resolve(choice),
    },
    actOf(project, context, words),
  );
  startAutoCleanup(project);
  return finish(output, result);
}

/** What to do with a session whose last phase was cut off; what else goes on here is not touched. */
async function settleCutOff(
  context: Context,
  project: Project,
  name: string,
  options: Options,
): Promise<UnfinishedAnswer["kind"]> {
  const found = await goingOn(project, context.sessionId);
  if (found?.unfinished === undefined) return "resume";
  const { document, unfinished, isRolledBack } = found;
  if (isRolledBack && unfinished.name === name && options.fresh !== true) return "resume";
  const { kind } = await settleUnfinished(context, project, document, options);
  const what = { resume: "continuing", fresh: "archiving", deleted: "deleted" }[kind];
  context.output.say(
    `phase: ${what} ${document.id}, whose phase ${unfinished.name} was interrupted`,
  );
  return kind;
}

function request(options: Options, context: Context, project: Project, name: string): PhaseRequest {
  const { task, issue, step, workflowState, description, strategy, modifies, timeout } = options;
  const { sessionId } = context;
  return {
    name,
    ...(task === undefined ? {} : { taskId: task }),
    ...(issue === undefined ? {} : { issueNumber: issue }),
    ...(step === undefined ? {} : { step }),
    ...(workflowState === undefined ? {} : { workflowState }),
    ...(description === undefined ? {} : { description }),
    ...(strategy === undefined ? {} : { strategy }),
    ...(modifies === undefined ? {} : { modifies }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
    ...(sessionId === undefined ? {} : { sessionId }),
    checkpoint: heldBesides(options, context, project),
  };
}

function actOf(
  project: Project,
  { output, directory }: Context,
  words: readonly [string, ...string[]],
): Step {
  return async ({ env, signal }) => {
    const end = await project.commands.run({
      command: { kind: "program", words },
      cwd: directory,
      env,
      stdin: "inherit",
      stdout: output.options.json ? "stderr" : "stdout",
      keepOutput: 0,
      signal,
    });
    if (end.kind === "not_started") throw new Error(end.problem);
    return { ...end, ok: end.exitCode === 0 };
  };
}

function tell(output: Output, name: string, event: PhaseEvent): void {
  switch (event.kind) {
    case "session":
      if (event.isNew) output.say(`phase: session ${event.session.id}`);
      break;
    case "checkpoint":
      output.say(`phase: checkpoint ${event.checkpoint.id}`);
      for (const warning of leftOutTalk(event.checkpoint).warnings) output.warn(warning);
      break;
    case "no_checkpoint":
      output.say(`phase: no checkpoint before ${name} (${event.why})`);
      break;
    case "unprotected":
      break;
    case "warning":
      output.warn(event.message);
      break;
    case "interrupted":
      output.say(
        event.isWaiting
          ? "phase: interrupted, waiting for the command to end; press Ctrl+C again to end it now"
          : `phase: ${signalText(event.signal)}: ending the command`,
      );
      break;
  }
}

function finish(output: Output, result: PhaseResult): number {
  const { name, report, before, after, problem, interruptedBy } = result;
  const back = before === null ? null : `waymark rollback ${before.id}`;
  const document = {
    session_id: result.sessionId,
    phase: name,
    step: result.step,
    attempt: result.attempt,
    status: interruptedBy !== null ? "interrupted" : report.ok ? "completed" : "failed",
    exit_code: report.exitCode,
    signal: report.signal,
    timed_out: report.timedOut,
    error: report.error,
    duration_ms: report.durationMs,
    checkpoint_before: before?.id ?? null,
    checkpoint_after: after?.id ?? null,
    checkpoint_interrupt: result.interrupt?.id ?? null,
    interrupted_by: interruptedBy,
    problem: problem === null ? null : { code: problem.code, message: problem.message },
    rollback_command: back,
    resume_command: interruptedBy === null ? null : `waymark resume ${result.sessionId}`,
  };
  output.closing("phase", document, lines(output, result));
  if (interruptedBy !== null) return 130;
  return report.ok && problem === null ? 0 : 1;
}

function lines(output: Output, result: PhaseResult): string[] {
  const { name, report, before, after, problem, interruptedBy, interrupt, sessionId } = result;
  const paint = output.paintTalk;
  const ways = before === null ? [] : [wayBack(restoreCommand(before.id))];
  if (interruptedBy !== null) {
    return [
      `phase ${name} was interrupted (${interruptedBy})` +
        (interrupt === null ? "" : `; what it did so far is in ${interrupt.id}`),
      ...(problem === null ? [] : [`${paint("red", "error:")} ${problem.message}`]),
      ...ways,
      `resume with: waymark resume ${sessionId}`,
    ];
  }
  if (!report.ok) {
    return [
      `${paint("red", "error:")} phase ${name} failed: ${report.error ?? endOf(report)}` +
        (interrupt === null ? "" : `; what it did so far is in ${interrupt.id}`),
      ...(problem === null ? [] : [`${paint("red", "error:")} ${problem.message}`]),
      ...(before === null
        ? ["hint: No checkpoint was created before it; `waymark list` shows the others."]
        : ways),
    ];
  }
  if (problem !== null) {
    return [
      `${paint("red", "error:")} phase ${name} is completed, but no checkpoint could be created after it: ${problem.message}`,
      `hint: ${problem.hint}`,
    ];
  }
  return [
    `${paint("green", "completed:")} phase ${name}${after === null ? "" : ` (checkpoint ${after.id})`}`,
    ...ways,
  ];
}
