/** What to do about an unfinished session that `run` or `phase` found: flags answer, a person is asked, and otherwise nobody guesses. */
import { cancelled, Failure } from "../../domain/failure.ts";
import type { SessionDocument } from "../../domain/session.ts";
import { unfinishedFailure } from "../../operations/run/start-workflow.ts";
import { describeResume } from "../../operations/resume/describe-resume.ts";
import { planSession, type ResumePlan } from "../../operations/resume/plan-resume.ts";
import type { Project } from "../../operations/project.ts";
import { askChoice, QUIT } from "./choice.ts";
import type { Context } from "./command-spec.ts";
import { canAsk } from "./prompt.ts";
import { oneLine } from "./printable.ts";
import { progressText, resumePage } from "./resume/resume-page.ts";
import { showDetails } from "./resume/show-details.ts";

export type UnfinishedAnswer =
  | { readonly kind: "resume"; readonly plan: ResumePlan }
  | { readonly kind: "fresh" }
  /** With its checkpoints, and nothing is started. */
  | { readonly kind: "deleted" };

export interface UnfinishedFlags {
  readonly fresh?: boolean;
  readonly resume?: boolean;
}

export async function settleUnfinished(
  context: Context,
  project: Project,
  session: SessionDocument,
  { fresh, resume }: UnfinishedFlags,
): Promise<UnfinishedAnswer> {
  if (fresh === true) return { kind: "fresh" };
  const isAsking = resume !== true;
  if (isAsking && (!canAsk() || context.output.options.json)) throw unfinishedFailure(session);
  const plan = await planSession(project, session, {});
  return isAsking ? askAbout(context, project, plan) : { kind: "resume", plan };
}

async function askAbout(
  context: Context,
  project: Project,
  plan: ResumePlan,
): Promise<UnfinishedAnswer> {
  const { output } = context;
  const { session } = plan;
  const description = await describeResume(project, plan);
  const about = session.description ?? session.topic ?? session.workflow_type ?? session.id;
  const look = { paint: output.paintTalk, now: project.clock.now() };
  process.stderr.write(`Found an unfinished session for "${oneLine(about)}"\n`);
  output.page(resumePage(description, look));
  for (;;) {
    const word = await askChoice(output, [
      { word: "resume", text: progressText(description) },
      { word: "start", label: "start fresh", text: "archive this session and start over" },
      { word: "view", label: "view details", text: "everything about the session" },
      {
        word: "delete",
        text: "delete this session with its checkpoints, and start nothing",
      },
      QUIT,
    ]);
    switch (word) {
      case "resume":
        return { kind: "resume", plan };
      case "start":
        return { kind: "fresh" };
      case "view":
        await showDetails(context, project, session.id);
        break;
      case "delete":
        if (await deleteInstead(context, session.id)) return { kind: "deleted" };
        break;
      case "quit":
      case undefined:
        throw cancelled();
    }
  }
}

/** As `session delete` does it, with its question. False: that was answered with no. */
export async function deleteInstead(context: Context, id: string): Promise<boolean> {
  const { run } = await import("./commands/session/delete.ts");
  try {
    await run({ ...context, args: [id], options: {} });
    return true;
  } catch (error) {
    if (error instanceof Failure && error.code === "cancelled") return false;
    throw error;
  }
}
