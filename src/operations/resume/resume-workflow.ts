/** All of a resume: looks, refuses what somebody has to decide first, takes the session up and runs it. */
import { Failure } from "../../domain/failure.ts";
import type { Project } from "../project.ts";
import { rolledBackEvents } from "../run/rolled-back-events.ts";
import type { RunOptions } from "../run/run-options.ts";
import { runWorkflow, type RunResult } from "../run/run-workflow.ts";
import { planResume, type ResumeRequest } from "./plan-resume.ts";
import { refusalOf } from "./refuse-resume.ts";
import { takeUpSession } from "./take-up-session.ts";

export interface WorkflowResume extends ResumeRequest, RunOptions {
  /** Commits that a rollback takes off their branch stay in its safety checkpoint. */
  readonly discardCommits?: boolean;
}

/** What the command asks about is said beforehand, or is a failure. */
export async function resumeWorkflow(
  project: Project,
  request: WorkflowResume = {},
): Promise<RunResult> {
  const plan = await planResume(project, request);
  const refusal = refusalOf(project, plan, { session_id: plan.session.id });
  if (refusal !== undefined) throw refusal;
  if (plan.run === undefined) {
    throw new Failure("usage", `session ${plan.session.id} has no workflow file`, {
      hint: "If it was run from a value, pass that as `workflow`; `openSession` continues a session of phases. Nothing was changed.",
    });
  }
  const { owned, rollback } = await takeUpSession(project, plan, {
    confirm: () => Promise.resolve(true),
    confirmed: true,
    discardCommits: request.discardCommits === true,
  });
  if (rollback !== undefined) {
    const moment = { at: project.clock.now().toISOString(), session_id: owned.id };
    const told = rolledBackEvents(rollback, { reason: "resume", phase: undefined });
    for (const event of told) request.onEvent?.({ ...moment, ...event });
  }
  return runWorkflow(project, owned, plan.run.workflow, { ...request, isResumed: true });
}
