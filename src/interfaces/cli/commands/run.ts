/** `waymark run` */
import { Failure } from "../../../domain/failure.ts";
import { setAsideText } from "../../../domain/session-version.ts";
import { planRun } from "../../../domain/workflow/run-plan.ts";
import { putAway } from "../../../operations/put-away-session.ts";
import type { Project } from "../../../operations/project.ts";
import {
  beginWorkflow,
  failedSession,
  foundUnfinished,
  hiddenFailures,
  type WorkflowSource,
} from "../../../operations/run/start-workflow.ts";
import type { Context } from "../command-spec.ts";
import { resumeFound } from "../resume/resume-found.ts";
import { FRESH } from "../resume/start-fresh.ts";
import { planLines } from "../run/plan-lines.ts";
import type { RunFlags } from "../run/run-flags.ts";
import { runSession } from "../run/run-session.ts";
import { counted } from "../units.ts";
import { settleUnfinished } from "../unfinished-session.ts";

interface Options extends RunFlags {
  check?: boolean;
  dryRun?: boolean;
  sessionId?: string;
  fresh?: boolean;
  resume?: boolean;
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
  const code = await settled(context, project, given, options);
  if (code !== undefined) return code;
  const { sessionId } = options;
  const failed = await failedSession(project, given);
  if (failed !== undefined) {
    context.output.say(
      `session ${failed.id} failed; starting a new one (to continue the old one: \`waymark resume ${failed.id}\`)`,
    );
  }
  for (const why of await hiddenFailures(project)) {
    const id = String(why.details["session"]);
    context.output.warn(
      setAsideText(why, `it failed, and \`waymark resume ${id}\` could continue it`),
    );
  }
  const owned = await beginWorkflow(project, given, {
    ...(sessionId === undefined ? {} : { sessionId }),
    evenIfUnreadable: options.fresh === true,
    warn: (message) => context.output.warn(message),
  });
  const { workflow } = given;
  return runSession(context, project, { owned, workflow, isResumed: false }, options);
}

function refuseBoth({ fresh, resume, sessionId }: Options): void {
  const [first, second] = [
    ...(fresh === true ? ["--fresh"] : []),
    ...(resume === true ? ["--resume"] : []),
    ...(sessionId === undefined ? [] : ["--session-id"]),
  ];
  if (resume !== true || second === undefined) return;
  throw new Failure("usage", `${first ?? ""} and ${second} cannot be used together`, {
    hint: "A resumed session keeps its id. Use one of them. Nothing was run.",
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
      `${workflow.name}: ${counted(plan.length, "phase")}, ${counted(nodes, "node")}, no problems`,
    ]);
    return;
  }
  const { concurrency } = workflow;
  output.result(
    "run_plan",
    { dry_run: true, ...about, concurrency, phases: plan },
    planLines(plan, output.paint),
    { isVerbatim: true },
  );
}

/** The exit code of a session that went on instead, or of nothing; undefined: another one is to be begun. */
async function settled(
  context: Context,
  project: Project,
  given: WorkflowSource,
  options: Options,
): Promise<number | undefined> {
  const unfinished = await foundUnfinished(project, given, {
    evenIfUnreadable: options.fresh === true,
  });
  if (unfinished === undefined) return undefined;
  const answer = await settleUnfinished(context, project, unfinished, options);
  if (answer.kind === "deleted") return 0;
  if (answer.kind === "resume") return resumeFound(context, project, answer.plan, options);
  await putAway(project, unfinished.id, FRESH);
  return undefined;
}
