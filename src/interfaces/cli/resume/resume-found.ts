/** Goes on with a session that was found and looked at, when everything is decided: by flags, or by somebody who is asked. */
import { describeResume } from "../../../operations/resume/describe-resume.ts";
import type { ResumePlan } from "../../../operations/resume/plan-resume.ts";
import { refusalOf } from "../../../operations/resume/refuse-resume.ts";
import type { Project } from "../../../operations/project.ts";
import type { Context } from "../command-spec.ts";
import { askDecisions, mayAsk, showPlan } from "./ask-decisions.ts";
import { chooseWay } from "./choose-way.ts";
import { goOn, type GoOnFlags } from "./go-on.ts";
import { startFresh } from "./start-fresh.ts";

/** For whoever has said already that it shall go on; only what is open is asked. */
export async function resumeFound(
  context: Context,
  project: Project,
  plan: ResumePlan,
  flags: GoOnFlags,
): Promise<number> {
  if (!mayAsk(context, flags)) return goWithoutAsking(context, project, plan, flags);
  if (!plan.staleness.report.can_resume) return goChosenWay(context, project, plan, flags);
  return goOn(context, project, await askDecisions(context, project, plan), flags);
}

export async function goChosenWay(
  context: Context,
  project: Project,
  plan: ResumePlan,
  flags: GoOnFlags,
): Promise<number> {
  const way = await chooseWay(context, project, plan);
  if (way.kind === "deleted") return 0;
  return way.kind === "fresh"
    ? startFresh(context, project, plan.session, flags)
    : goOn(context, project, way.plan, flags);
}

export async function goWithoutAsking(
  context: Context,
  project: Project,
  plan: ResumePlan,
  flags: GoOnFlags,
): Promise<number> {
  await showPlan(context, project, plan);
  const refusal = refusalOf(project, plan, { plan: await describeResume(project, plan) });
  if (refusal !== undefined) throw refusal;
  return goOn(context, project, plan, flags);
}
