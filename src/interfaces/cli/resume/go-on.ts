/** Carries out a resume that is decided: takes the session up, says so, and runs it. */
import { restoreCommand } from "../../../domain/checkpoint-id.ts";
import { leftBehind } from "../../../domain/lineage.ts";
import { nextPhase } from "../../../domain/workflow/next-phase.ts";
import { NO_PROGRESS } from "../../../domain/workflow/progress.ts";
import type { RunEvent } from "../../../domain/workflow/run-event.ts";
import {
  describeResume,
  type ResumeDescription,
} from "../../../operations/resume/describe-resume.ts";
import type { ResumePlan } from "../../../operations/resume/plan-resume.ts";
import {
  takeUpSession,
  type RollbackWish,
  type TakenUp,
} from "../../../operations/resume/take-up-session.ts";
import type { RollbackPlan } from "../../../operations/plan-rollback.ts";
import type { Project } from "../../../operations/project.ts";
import { rolledBackEvents } from "../../../operations/run/rolled-back-events.ts";
import { viewSessions } from "../../../operations/session-view.ts";
import type { Context } from "../command-spec.ts";
import { confirmPlan } from "../confirm.ts";
import type { Output } from "../output.ts";
import { explainingFailure } from "../rollback-failed.ts";
import type { RunFlags } from "../run/run-flags.ts";
import { runSession } from "../run/run-session.ts";
import { counted, relativeTime } from "../units.ts";
import { wayBack } from "../way-back.ts";

export interface GoOnFlags extends RunFlags {
  /** The rollback is confirmed by what was said already. */
  isConfirmed?: boolean;
  discardCommits?: boolean;
  evenIfExpired?: boolean;
}

/** The exit code. */
export async function goOn(
  context: Context,
  project: Project,
  plan: ResumePlan,
  flags: GoOnFlags,
): Promise<number> {
  const { output } = context;
  const description = await describeResume(project, plan);
  const taken = await takeUp(project, output, plan, flags);
  const document = { dry_run: false, resumed: true, ...tookUp(taken), ...description };
  if (taken.from !== undefined) output.say(takenOverText(taken.from, project.clock.now()));
  if (plan.run === undefined) return phasesGoOn(project, output, taken, document);
  if (output.options.json) output.line("resume_plan", document);
  return runSession(
    context,
    project,
    {
      owned: taken.owned,
      workflow: plan.run.workflow,
      isResumed: true,
      events: eventsOf(project, taken),
    },
    flags,
  );
}

/** What the document says about it, beside the plan. */
function tookUp({ owned, from, rollback }: TakenUp) {
  return {
    token: owned.token,
    taken_over_from: from?.holder ?? null,
    undo_checkpoint_id: rollback?.safety.id ?? null,
  };
}

function takenOverText({ holder, renewed_at }: NonNullable<TakenUp["from"]>, now: Date): string {
  const who = holder === null ? "its process" : `process ${holder.pid} on ${holder.host}`;
  return `${who} has ended (last heartbeat ${renewed_at === null ? "never" : relativeTime(renewed_at, now)}): taken over`;
}

async function takeUp(
  project: Project,
  output: Output,
  plan: ResumePlan,
  flags: GoOnFlags,
): Promise<TakenUp> {
  const { target } = plan;
  const wish: RollbackWish = {
    confirmed: flags.isConfirmed === true || flags.yes === true,
    confirm: (rollback) => confirmRollback(project, output, rollback),
    discardCommits: flags.discardCommits === true,
    evenIfExpired: flags.evenIfExpired === true,
  };
  if (target === undefined) return takeUpSession(project, plan, wish);
  return explainingFailure({ project, output, target }, () => takeUpSession(project, plan, wish));
}

async function confirmRollback(
  project: Project,
  output: Output,
  plan: RollbackPlan,
): Promise<boolean> {
  const { documents, standing } = await viewSessions(project, plan.target.session_id);
  const later = leftBehind(documents, standing, project.workTree.id, plan.target);
  const behind = later.map(({ id }) => id);
  return confirmPlan(output, { command: "rollback", plan, expected: true, leftBehind: behind });
}

/** What happened before it runs. */
function eventsOf(project: Project, { owned, rollback, ended }: TakenUp): RunEvent[] {
  const moment = { at: project.clock.now().toISOString(), session_id: owned.id };
  const nowhere = { phase: null, step: null };
  const events: RunEvent[] = [];
  if (ended > 0) {
    const message = `ended ${counted(ended, "process", "processes")} left running by a killed run`;
    events.push({ event: "warning", ...moment, ...nowhere, message });
  }
  if (rollback !== undefined) {
    const told = rolledBackEvents(rollback, { reason: "resume", phase: undefined });
    events.push(...told.map((event) => ({ ...moment, ...event })));
  }
  return events;
}

/** Waymark has nothing to run: it says what comes next, and with which command. */
async function phasesGoOn(
  project: Project,
  output: Output,
  { owned, rollback }: TakenUp,
  document: ResumeDescription,
): Promise<number> {
  await owned.release();
  const { workflow = NO_PROGRESS } = owned.document;
  const next = nextPhase(workflow, project.config.phases.order);
  const lines = [
    `session ${owned.id} is active again`,
    ...(rollback === undefined
      ? []
      : [`rolled back to ${rollback.plan.target.id}; undo with: waymark undo`]),
    ...(next === null
      ? ["next: waymark phase NAME -- COMMAND, or waymark session complete"]
      : [
          `next: phase ${next.phase} (${next.why})`,
          `  waymark phase ${next.phase} -- ${next.command ?? "COMMAND"}`,
        ]),
    ...(next?.checkpoint_before === null || next?.checkpoint_before === undefined
      ? []
      : [`  ${wayBack(restoreCommand(next.checkpoint_before))}`]),
  ];
  output.result("resume_plan", { ...document, next_phase: next }, lines);
  return 0;
}
