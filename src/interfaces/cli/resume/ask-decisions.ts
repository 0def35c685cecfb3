/** Asks the user about everything that has to be decided before a session continues. */
import { cancelled } from "../../../domain/failure.ts";
import { commandLines } from "../../../domain/workflow/command-lines.ts";
import type { IssueSnapshot } from "../../../domain/session.ts";
import { unifiedDiff } from "../../../domain/unified-diff.ts";
import type { Workflow } from "../../../domain/workflow/definition.ts";
import { UNANSWERED } from "../../../domain/workflow/take-up.ts";
import { describeResume } from "../../../operations/resume/describe-resume.ts";
import {
  planSession,
  type ResumeAnswers,
  type ResumePlan,
} from "../../../operations/resume/plan-resume.ts";
import { openDecisions, type OpenDecision } from "../../../operations/resume/refuse-resume.ts";
import type { Project } from "../../../operations/project.ts";
import { refuseAgents } from "../ask.ts";
import { askChoice, QUIT } from "../choice.ts";
import type { Context } from "../command-spec.ts";
import { printable } from "../printable.ts";
import { askYes, canAsk } from "../prompt.ts";
import { resumePage, shownCommands } from "./resume-page.ts";

export function mayAsk({ output }: Context, { yes }: { readonly yes?: boolean }): boolean {
  return canAsk() && !output.options.json && yes !== true;
}

/** Fails with `cancelled` when the user quits. */
export async function askDecisions(
  context: Context,
  project: Project,
  given: ResumePlan,
): Promise<ResumePlan> {
  let plan = given;
  for (;;) {
    const [open] = openDecisions(plan);
    if (open === undefined) return plan;
    const answers = await ask(context, plan, open);
    plan = await planSession(project, plan.session, { ...plan.answers, ...answers });
    // Other files or another workflow: other nodes run.
    if (open.about === "workflow_file" || answers.restoreFiles === true) {
      await showPlan(context, project, plan);
    }
  }
}

export async function showPlan(
  { output }: Context,
  project: Project,
  plan: ResumePlan,
): Promise<void> {
  const { answers } = plan;
  const look = { paint: output.paintTalk, now: project.clock.now(), answers };
  output.page(resumePage(await describeResume(project, plan), look));
}

/** What differs between the session's checkpoint and now, line by line, and what was edited in the issue. */
export async function showDiff(context: Context, plan: ResumePlan): Promise<void> {
  const { checkpoint, issue } = plan.staleness;
  if (checkpoint !== undefined) {
    const { run } = await import("../commands/diff.ts");
    const args = [checkpoint.id, undefined];
    await run({ ...context, args, options: { stat: true, state: true } });
    await run({ ...context, args, options: { patch: true } });
  }
  const { issue_snapshot: before } = plan.session;
  if (before === undefined || issue.kind !== "taken") return;
  const name = `issue #${before.number}`;
  const text = ({ title, body }: IssueSnapshot): string => `${title}\n\n${body.trimEnd()}\n`;
  context.output.page(unifiedDiff(name, text(before), text(issue.snapshot)).map(printable));
}

function ask(
  context: Context,
  plan: ResumePlan,
  open: OpenDecision,
): Promise<Partial<ResumeAnswers>> {
  context.output.question(open.what.map(printable));
  switch (open.about) {
    case "files":
      return askFiles(context, plan);
    case "rest":
      return askRest(context);
    case "workflow_file":
      return askFile(context);
    case "nodes":
      return askNodes(context, plan);
    case "commands":
      return askCommands(plan);
  }
}

async function askFiles(context: Context, plan: ResumePlan): Promise<Partial<ResumeAnswers>> {
  const { output } = context;
  const { checkpoint } = plan.staleness;
  for (;;) {
    const word = await askChoice(output, [
      { word: "keep", text: "continue with the files as they are now" },
      ...(checkpoint === undefined
        ? []
        : ([
            { word: "diff", text: "show what changed" },
            { word: "back", text: backText(checkpoint.id) },
          ] as const)),
      QUIT,
    ]);
    if (word === "keep") return { acceptChanges: true };
    if (word === "back") return { restoreFiles: true };
    if (word !== "diff") throw cancelled();
    await showDiff(context, plan);
  }
}

export function backText(checkpointId: string): string {
  return `roll back to ${checkpointId} first; a safety checkpoint keeps the current state`;
}

async function askRest({ output }: Context): Promise<Partial<ResumeAnswers>> {
  const keep = { word: "keep", text: "continue anyway" } as const;
  const word = await askChoice(output, [keep, QUIT]);
  if (word === "keep") return { acceptChanges: true };
  throw cancelled();
}

async function askFile({ output }: Context): Promise<Partial<ResumeAnswers>> {
  output.question(["Use the recorded or the current version?"]);
  const word = await askChoice(output, [
    { word: "recorded", text: "the file as recorded when the session started" },
    { word: "current", text: "the file as it is now; completed steps stay completed" },
    QUIT,
  ]);
  if (word === "recorded" || word === "current") return { workflowFile: word };
  throw cancelled();
}

async function askCommands({ run }: ResumePlan): Promise<Partial<ResumeAnswers>> {
  if (run?.source === undefined || !(await agreesToCommands(run.workflow))) {
    throw cancelled();
  }
  return { trustCommands: run.source.digest };
}

/** Shows every line first. */
export async function agreesToCommands(workflow: Workflow): Promise<boolean> {
  refuseAgents("waymark resume");
  for (const line of shownCommands(commandLines(workflow))) process.stderr.write(`${line}\n`);
  return askYes("Run these commands?");
}

/** One after the other: what may run twice is another question for each. */
async function askNodes({ output }: Context, plan: ResumePlan): Promise<Partial<ResumeAnswers>> {
  const answer = plan.answers.rerun ?? UNANSWERED;
  const again = [...answer.again];
  const left = [...answer.left];
  for (const { id } of plan.nodes.filter(({ what }) => what === "ask")) {
    output.question([output.paintTalk("bold", printable(id))]);
    const word = await askChoice(output, [
      { word: "again", text: "run it again" },
      { word: "leave", text: "do not run it again; nodes that need it run as if it were done" },
      QUIT,
    ]);
    if (word === undefined || word === "quit") throw cancelled();
    (word === "again" ? again : left).push(id);
  }
  return { rerun: { ...answer, again, left } };
}
