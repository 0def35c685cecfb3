/** What a resume would do, as the document `resume_plan`. */
import type { StalenessReport } from "../../domain/workflow/staleness.ts";
import type { StalenessAction } from "../../domain/workflow/staleness/rules.ts";
import { commandLines, type CommandLine } from "../../domain/workflow/command-lines.ts";
import { nextPhase, type NextPhase } from "../../domain/workflow/next-phase.ts";
import { progressCount, type ProgressCount } from "../../domain/workflow/progress.ts";
import type { ResumeNode } from "../../domain/workflow/take-up.ts";
import type { Project } from "../project.ts";
import { planSession, type ResumePlan } from "./plan-resume.ts";
import { openDecisions, type OpenDecision } from "./refuse-resume.ts";

export interface ResumeDescription extends StalenessReport {
  readonly status: string;
  readonly description: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly progress: ProgressCount;
  /** The workflow file that it goes on by; null: its phases are run from outside. */
  readonly workflow_file: string | null;
  readonly by: "recorded" | "current" | null;
  /** The checkpoint that is rolled back to first. */
  readonly rollback_to: string | null;
  readonly nodes: readonly ResumeNode[];
  /** The shell lines that may run; of a session that did not begin here, all that it has. */
  readonly commands: readonly CommandLine[];
  readonly commands_trusted: boolean;
  /** Of the workflow file that they are from: what --trust-commands takes. */
  readonly commands_digest: string | null;
  /** What somebody has to say first. */
  readonly decisions: readonly OpenDecision[];
  /** Of a session of phases: the one that comes next. */
  readonly next_phase: NextPhase | null;
  /** If a checkpoint is damaged: what continuing from the last valid one would mean. */
  readonly instead: {
    readonly checkpoint_id: string;
    readonly nodes: readonly ResumeNode[];
  } | null;
}

export async function describeResume(
  project: Project,
  plan: ResumePlan,
): Promise<ResumeDescription> {
  const { session, staleness, target, run, nodes, progress } = plan;
  const decisions = openDecisions(plan);
  return {
    ...staleness.report,
    action: actionOf(staleness.report, decisions),
    status: session.status,
    description: session.description ?? session.topic ?? null,
    created_at: session.created_at,
    updated_at: session.updated_at,
    progress: progressCount(progress),
    workflow_file: run?.source?.path ?? null,
    by: run === undefined ? null : run.workflow === run.recorded ? "recorded" : "current",
    rollback_to: target?.id ?? null,
    nodes,
    commands: commandsOf(plan),
    commands_trusted: run?.isTrusted ?? true,
    commands_digest: run?.source?.digest ?? null,
    decisions,
    next_phase: run === undefined ? nextPhase(progress, project.config.phases.order) : null,
    instead: await insteadOf(project, plan),
  };
}

/** Nodes that are done stay done; the lines of their phase run with any other node of it. */
function commandsOf({ run, nodes }: ResumePlan): CommandLine[] {
  if (run === undefined) return [];
  const all = commandLines(run.workflow);
  if (!run.isTrusted) return all;
  const left = nodes.filter(({ what }) => what !== "kept" && what !== "left" && what !== "removed");
  const ids = new Set(left.map(({ id }) => id));
  return all.filter(({ phase, node }) =>
    node === null
      ? left.some(({ id }) => id.startsWith(`${phase}/`))
      : ids.has(`${phase}/${node}`) || nodes.length === 0,
  );
}

/** What is decided is a warning, and a node that needs a decision is one more question. */
function actionOf(
  { can_resume, action, warnings }: StalenessReport,
  decisions: readonly OpenDecision[],
): StalenessAction {
  if (!can_resume) return action;
  if (decisions.length > 0) return "prompt_user";
  return warnings.length > 0 ? "proceed_with_warning" : "resume";
}

async function insteadOf(
  project: Project,
  { session, staleness, answers }: ResumePlan,
): Promise<ResumeDescription["instead"]> {
  const damaged = staleness.report.findings.find(({ kind }) => kind === "checkpoint_damaged");
  const last = damaged?.details["last_valid"];
  if (typeof last !== "string" || last === answers.from) return null;
  const { nodes } = await planSession(project, session, { ...answers, from: last });
  return { checkpoint_id: last, nodes };
}
