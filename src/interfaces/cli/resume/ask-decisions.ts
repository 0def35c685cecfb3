/** Asks a person about everything that has to be decided before a session goes on. */
import { Failure } from "../../../domain/failure.ts";
import { commandLines } from "../../../domain/workflow/command-lines.ts";
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
import { askChoice } from "../choice.ts";
import type { Context } from "../command-spec.ts";
import { printable } from "../printable.ts";
import { askYes, canAsk } from "../prompt.ts";
import { resumePage, shownCommands } from "./resume-page.ts";

export function mayAsk({ output }: Context, { yes }: { readonly yes?: boolean }): boolean {
  return canAsk() && !output.options.json && yes !== true;
}

/** Fails with `needs_confirmation` when somebody had enough of it. */
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
  const look = { paint: output.paintTalk, now: project.clock.now() };
  output.page(resumePage(await describeResume(project, plan), look));
}

export function nothingChosen(sessionId: string): Failure {
  return new Failure("needs_confirmation", "nothing was chosen, and nothing was changed", {
    hint: `\`waymark resume ${sessionId}\` asks again; \`waymark resume ${sessionId} --dry-run\` only shows.`,
  });
}

/** What differs between the session's checkpoint and now. */
export async function showDiff(context: Context, plan: ResumePlan): Promise<void> {
  const { checkpoint } = plan.staleness;
  if (checkpoint === undefined) return;
  const { run } = await import("../commands/diff.ts");
  await run({ ...context, args: [checkpoint.id, undefined], options: { stat: true } });
}

function ask(
  context: Context,
  plan: ResumePlan,
  open: OpenDecision,
): Promise<Partial<ResumeAnswers>> {
  for (const line of open.what) process.stderr.write(`${printable(line)}\n`);
  switch (open.about) {
    case "files":
      return askFiles(context, plan);
    case "rest":
      return askRest(context, plan);
    case "workflow_file":
      return askFile(context, plan);
    case "nodes":
      return askNodes(context, plan);
    case "commands":
      return askCommands(plan);
  }
}

async function askFiles(context: Context, plan: ResumePlan): Promise<Partial<ResumeAnswers>> {
  const { checkpoint } = plan.staleness;
  for (;;) {
    const word = await askChoice(
      [
        { word: "keep", text: "go on with things as they are now" },
        ...(checkpoint === undefined
          ? []
          : ([
              { word: "diff", text: "show what changed" },
              { word: "back", text: backText(checkpoint.id) },
            ] as const)),
        QUIT,
      ],
      context.output.paintTalk,
    );
    if (word === "keep") return { acceptChanges: true };
    if (word === "back") return { restoreFiles: true };
    if (word !== "diff") throw nothingChosen(plan.session.id);
    await showDiff(context, plan);
  }
}

export function backText(checkpointId: string): string {
  return `roll back to ${checkpointId} first; what is there now stays in a safety checkpoint`;
}

const QUIT = { word: "quit", text: "leave everything as it is" } as const;

async function askRest({ output }: Context, plan: ResumePlan): Promise<Partial<ResumeAnswers>> {
  const keep = { word: "keep", text: "go on all the same" } as const;
  const word = await askChoice([keep, QUIT], output.paintTalk);
  if (word === "keep") return { acceptChanges: true };
  throw nothingChosen(plan.session.id);
}

async function askFile({ output }: Context, plan: ResumePlan): Promise<Partial<ResumeAnswers>> {
  const word = await askChoice(
    [
      { word: "recorded", text: "go on by the file as it was when the session began" },
      { word: "current", text: "go on by the file as it is now; what is done stays done" },
      QUIT,
    ],
    output.paintTalk,
  );
  if (word === "recorded" || word === "current") return { workflowFile: word };
  throw nothingChosen(plan.session.id);
}

async function askCommands({ run, session }: ResumePlan): Promise<Partial<ResumeAnswers>> {
  if (run?.source === undefined || !(await agreesToCommands(run.workflow))) {
    throw nothingChosen(session.id);
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
    process.stderr.write(`${output.paintTalk("bold", printable(id))}\n`);
    const word = await askChoice(
      [
        { word: "again", text: "run it again" },
        { word: "leave", text: "do not run it again; what needs it goes on as if it were done" },
        QUIT,
      ],
      output.paintTalk,
    );
    if (word === undefined || word === "quit") throw nothingChosen(plan.session.id);
    (word === "again" ? again : left).push(id);
  }
  return { rerun: { ...answer, again, left } };
}
