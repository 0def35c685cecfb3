/** `waymark run` */
import { Failure } from "../../../domain/failure.ts";
import type { CheckpointAnswer } from "../../../domain/workflow/run-event.ts";
import { planRun } from "../../../domain/workflow/run-plan.ts";
import { endSession } from "../../../operations/end-session.ts";
import type { OwnedSession } from "../../../operations/owned-session.ts";
import type { Project } from "../../../operations/project.ts";
import type { RunOptions } from "../../../operations/run/run-options.ts";
import { runWorkflow } from "../../../operations/run/run-workflow.ts";
import {
  beginWorkflow,
  refuseOtherRun,
  unfinishedSession,
  type WorkflowSource,
} from "../../../operations/run/start-workflow.ts";
import { takeUpSession } from "../../../operations/run/take-up.ts";
import { startAutoCleanup } from "../auto-cleanup.ts";
import type { Context } from "../command-spec.ts";
import { canAsk } from "../prompt.ts";
import { planLines } from "../run/plan-lines.ts";
import { RunTalk } from "../run/run-talk.ts";
import { TerminalObserver } from "../run/terminal-observer.ts";
import { counted } from "../units.ts";
import { offerResume } from "../unfinished-session.ts";

interface Options {
  yes?: boolean;
  check?: boolean;
  dryRun?: boolean;
  sessionId?: string;
  concurrency?: number;
  fresh?: boolean;
  resume?: boolean;
  onCheckpointFailure?: CheckpointAnswer;
  timeout?: number;
  plain?: boolean;
}

export async function run(context: Context): Promise<number> {
  const options: Options = context.options;
  const [file] = context.args as [string];
  refuseBoth(options);
  const project = await context.openProject();
  const given = await project.workflowFiles.read(file);
  if (options.check === true || options.dryRun === true) {
    look(context, project, given, options);
    return 0;
  }
  const started = await start(project, given, options);
  const talk = new RunTalk(context.output, options.plain === true);
  try {
    const result = await runWorkflow(project, started.owned, started.workflow, {
      ...runOptions(context, options, talk),
      isResumed: started.isResumed,
    });
    talk.conclude(result);
    startAutoCleanup(project);
    return result.exitCode;
  } finally {
    talk.stop();
  }
}

function refuseBoth({ fresh, resume, sessionId }: Options): void {
  const [first, second] = [
    ...(fresh === true ? ["--fresh"] : []),
    ...(resume === true ? ["--resume"] : []),
    ...(sessionId === undefined ? [] : ["--session-id"]),
  ];
  if (resume !== true || second === undefined) return;
  throw new Failure("usage", `${first ?? ""} and ${second} exclude each other`, {
    hint: "A session that goes on has its id already. Use one of them. Nothing was run.",
  });
}

function look(
  { output }: Context,
  project: Project,
  { workflow, source }: WorkflowSource,
  { check }: Options,
): void {
  const plan = planRun(workflow, project.config);
  const nodes = workflow.phases.reduce((sum, phase) => sum + phase.nodes.length, 0);
  const about = { file: source?.path ?? null, name: workflow.name, type: workflow.type };
  if (check === true) {
    output.result("workflow_check", { valid: true, ...about, phases: plan.length, nodes }, [
      `${workflow.name}: ${counted(plan.length, "phase")}, ${counted(nodes, "node")}, nothing wrong`,
    ]);
    return;
  }
  const { concurrency } = workflow;
  output.result(
    "run_plan",
    { dry_run: true, ...about, concurrency, phases: plan },
    planLines(plan, output.paint),
  );
}

interface Started {
  readonly owned: OwnedSession;
  readonly workflow: WorkflowSource["workflow"];
  readonly isResumed: boolean;
}

async function start(project: Project, given: WorkflowSource, options: Options): Promise<Started> {
  const unfinished = await unfinishedSession(project, given);
  if (unfinished !== undefined) {
    await refuseOtherRun(project);
    const answer = await offerResume(unfinished, options);
    if (answer === "resume") {
      const { definition } = unfinished;
      // A session goes on with what it began with.
      const workflow =
        definition === undefined
          ? given.workflow
          : await project.workflowFiles.parse(definition.text, definition.path);
      const owned = await takeUpSession(project, unfinished.id, workflow);
      return { owned, workflow, isResumed: true };
    }
    await endSession(project, unfinished.id, { to: "abandoned", reason: "started afresh" });
  }
  const { sessionId } = options;
  const owned = await beginWorkflow(project, given, sessionId === undefined ? {} : { sessionId });
  return { owned, workflow: given.workflow, isResumed: false };
}

function runOptions({ output }: Context, options: Options, talk: RunTalk): RunOptions {
  const { concurrency, onCheckpointFailure, timeout } = options;
  const asks = canAsk() && !output.options.json;
  return {
    onEvent: (event) => talk.tell(event),
    onOutput: (written) => talk.passOn(written),
    ...(asks ? { observer: new TerminalObserver(talk) } : {}),
    passBreakpoints: options.yes === true,
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(onCheckpointFailure === undefined ? {} : { onCheckpointFailure }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
    sharesTerminal: process.stdin.isTTY,
  };
}
