/** `waymark resume` */
import { Failure } from "../../../domain/failure.ts";
import type { RerunAnswer } from "../../../domain/workflow/take-up.ts";
import { dryResumeDocument } from "../../../operations/documents/resume-document.ts";
import { describeResume } from "../../../operations/resume/describe-resume.ts";
import { findResumable, type ResumeSelector } from "../../../operations/resume/find-resumable.ts";
import {
  planSession,
  type ResumeAnswers,
  type ResumePlan,
  type WorkflowChoice,
} from "../../../operations/resume/plan-resume.ts";
import { refusalOf } from "../../../operations/resume/refuse-resume.ts";
import type { Project } from "../../../operations/project.ts";
import { refuseAgents } from "../ask.ts";
import type { Context } from "../command-spec.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { recoverFirst } from "../recover-first.ts";
import type { GoOnFlags } from "../resume/go-on.ts";
import { mayAsk } from "../resume/ask-decisions.ts";
import { goChosenWay, goWithoutAsking } from "../resume/resume-found.ts";
import { resumePage } from "../resume/resume-page.ts";
import { startFresh } from "../resume/start-fresh.ts";

interface Options extends GoOnFlags {
  issue?: number;
  from?: string;
  acceptChanges?: boolean;
  restoreFiles?: boolean;
  workflowFile?: WorkflowChoice;
  rerunUnknown?: string[];
  takeOver?: number;
  trustCommands?: string;
  fresh?: boolean;
  dryRun?: boolean;
}

export async function run(context: Context): Promise<number> {
  const options: Options = context.options;
  refuseTogether(options);
  if (options.trustCommands !== undefined && options.dryRun !== true) {
    refuseAgents("waymark resume");
  }
  const project = await context.openProject();
  if (options.dryRun !== true) await recoverFirst(project, context.output);
  const session = await findResumable(project, selectorOf(context, options));
  if (options.fresh === true) return startFresh(context, project, session, options);
  const plan = await planSession(project, session, answersOf(options));
  if (options.dryRun === true) return look(context, project, plan);
  const flags = { ...options, isConfirmed: options.restoreFiles === true };
  return mayAsk(context, options)
    ? goChosenWay(context, project, plan, flags)
    : goWithoutAsking(context, project, plan, flags);
}

function refuseTogether({ from, restoreFiles, fresh, dryRun }: Options): void {
  const pairs: readonly (readonly [boolean, string])[] = [
    [from !== undefined && restoreFiles === true, "--from and --restore-files"],
    [fresh === true && from !== undefined, "--fresh and --from"],
    [fresh === true && restoreFiles === true, "--fresh and --restore-files"],
    [fresh === true && dryRun === true, "--fresh and --dry-run"],
  ];
  const wrong = pairs.find(([isGiven]) => isGiven)?.[1];
  if (wrong === undefined) return;
  throw new Failure("usage", `${wrong} cannot be used together`, {
    hint: "Use one of them. Nothing was changed.",
  });
}

function selectorOf({ args, sessionId }: Context, { issue }: Options): ResumeSelector {
  const [given] = args as [string | undefined];
  // What was set for this shell only says which one is meant when nothing else does.
  const session = given ?? (issue === undefined ? sessionId : undefined);
  return {
    ...(session === undefined ? {} : { session }),
    ...(issue === undefined ? {} : { issue }),
  };
}

function answersOf(options: Options): ResumeAnswers {
  const { from, acceptChanges, restoreFiles, workflowFile, rerunUnknown, takeOver, trustCommands } =
    options;
  return {
    ...(from === undefined ? {} : { from }),
    ...(acceptChanges === undefined ? {} : { acceptChanges }),
    ...(restoreFiles === undefined ? {} : { restoreFiles }),
    ...(workflowFile === undefined ? {} : { workflowFile }),
    ...(rerunUnknown === undefined ? {} : { rerun: rerunAnswer(rerunUnknown) }),
    ...(takeOver === undefined ? {} : { takeOver }),
    ...(trustCommands === undefined ? {} : { trustCommands }),
  };
}

function rerunAnswer(words: readonly string[]): RerunAnswer {
  const names = words.filter((word) => word !== "all" && word !== "none");
  if (words.includes("all") && words.includes("none")) {
    throw new Failure("usage", "--rerun-unknown: all and none cannot be used together", {
      hint: "Name nodes, and `none` for the others. Nothing was changed.",
    });
  }
  const rest = words.includes("all") ? "again" : words.includes("none") ? "left" : "ask";
  return { again: names, left: [], rest };
}

/** The exit code says whether it would go on. */
async function look({ output }: Context, project: Project, plan: ResumePlan): Promise<number> {
  const description = await describeResume(project, plan);
  output.result(
    "resume_plan",
    dryResumeDocument(description),
    resumePage(description, { paint: output.paint, now: project.clock.now(), withCommands: true }),
  );
  const refusal = refusalOf(project, plan, {});
  if (refusal === undefined) return 0;
  output.say(refusal.hint);
  return EXIT_CODES[refusal.code];
}
