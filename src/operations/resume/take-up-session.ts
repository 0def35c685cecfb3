/** Takes a session up again, as it was planned: its lease, the rollback that was wished for, and its progress. */
import { Failure } from "../../domain/failure.ts";
import type { SessionDocument } from "../../domain/session.ts";
import type { Lease } from "../../domain/workflow/lease.ts";
import { NO_PROGRESS, type WorkflowProgress } from "../../domain/workflow/progress.ts";
import { mayBecome } from "../../domain/workflow/session-status.ts";
import { resumeNodes, takenUp, UNANSWERED, withoutRunning } from "../../domain/workflow/take-up.ts";
import { refuseOtherRun } from "../other-run.ts";
import { acquireSession, type OwnedSession } from "../owned-session.ts";
import type { Project } from "../project.ts";
import { rollBack, type RollbackOrder, type RollbackResult } from "../roll-back.ts";
import { rollbackId } from "../rollback-id.ts";
import { withSessionEvent } from "../session-event.ts";
import { statusFailure } from "../session-status-failure.ts";
import type { ResumePlan } from "./plan-resume.ts";

export type RollbackWish = Pick<
  RollbackOrder,
  "confirm" | "confirmed" | "discardCommits" | "evenIfExpired"
>;

export interface TakenUp {
  readonly owned: OwnedSession;
  /** Whose place was taken: a process that ended without giving it back. */
  readonly from: Lease | undefined;
  readonly rollback: RollbackResult | undefined;
  /** How many processes a killed run had left, which were ended. */
  readonly ended: number;
}

/** Whatever fails, the session is given back; before the rollback nothing else was changed. */
export async function takeUpSession(
  project: Project,
  plan: ResumePlan,
  wish: RollbackWish,
): Promise<TakenUp> {
  const { session, run } = plan;
  if (run?.isTrusted === false) throw new Error("the commands of this session were not confirmed");
  const { owned, from } = await acquire(project, plan);
  try {
    refuseMeanwhile(session, owned);
    const ended = await endLeftOvers(project, session);
    const rollback = await goBackFirst(project, plan, wish);
    if (run?.source !== undefined) project.commandTrust.add(owned.id, run.source);
    await owned.update("the session is resumed", (now) => resumed(project, plan, now));
    project.currentSession.set(owned.id);
    return { owned, from, rollback, ended };
  } catch (error) {
    await owned.release();
    throw error;
  }
}

/** Nobody else starts or takes up a session in this work tree at the same time. */
async function acquire(
  project: Project,
  { session: { id }, answers: { takeOver } }: ResumePlan,
): ReturnType<typeof acquireSession> {
  const place = await project.runFiles.enter();
  try {
    await refuseOtherRun(project, id);
    return await acquireSession(project, id, {
      purpose: "resume",
      ...(takeOver === undefined ? {} : { takeOver }),
    });
  } finally {
    place.leave();
  }
}

/** Somebody else ran it, or ended it, after it was looked at: what was decided was about another state. */
function refuseMeanwhile(before: SessionDocument, { token, document }: OwnedSession): void {
  if (token === (before.lease?.token ?? 0) + 1 && document.status === before.status) return;
  throw new Failure(
    "session_held",
    `session ${before.id} was run by another process in the meantime`,
    { hint: "Run the same command again to see the new state. Nothing was changed." },
  );
}

/** What a killed run left running would go on writing into what is rolled back. */
async function endLeftOvers(
  project: Project,
  { commands_of: commands }: SessionDocument,
): Promise<number> {
  return typeof commands === "string" ? project.commands.endLeftOvers(commands) : 0;
}

async function goBackFirst(
  project: Project,
  { session, target, answers }: ResumePlan,
  wish: RollbackWish,
): Promise<RollbackResult | undefined> {
  if (target === undefined) return undefined;
  const order: RollbackOrder = {
    kind: "rollback",
    target,
    sessionId: session.id,
    scope: { filesOnly: false, keepHead: false, paths: null },
    reason:
      answers.from === undefined
        ? `resume ${session.id} with the files of its checkpoint`
        : `resume ${session.id} from ${target.id}`,
    id: rollbackId(project),
    ...wish,
  };
  try {
    return await rollBack(project, order);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "commits_would_leave") throw error;
    throw new Failure(error.code, error.message, {
      hint: "Add --discard-commits (the commits are kept in the safety checkpoint). Nothing was changed.",
      details: error.details,
    });
  }
}

function resumed(project: Project, plan: ResumePlan, now: SessionDocument): SessionDocument {
  if (!mayBecome(now.status, "active")) throw statusFailure(now, "be resumed");
  const { staleness, target, run } = plan;
  const { ended_at: _ended, archived_at: _archived, ...rest } = now;
  const { issue, report } = staleness;
  const changed: SessionDocument = {
    ...rest,
    status: "active",
    worktree_id: project.workTree.id,
    ...(run?.source === undefined ? {} : { definition: run.source }),
    ...(issue.kind === "taken" ? { issue_snapshot: issue.snapshot } : {}),
    workflow: {
      ...progressOf(plan, now.workflow ?? NO_PROGRESS),
      state_label: report.state_label,
    },
  };
  return withSessionEvent(project, changed, {
    reason: "resume",
    checkpointIds: target === undefined ? [] : [target.id],
    details: {
      became: "active",
      resumed_from: report.resume_from,
      warnings: report.warnings,
      nodes: plan.nodes.filter(({ what }) => what === "run_again" || what === "left"),
    },
  });
}

function progressOf({ run, answers }: ResumePlan, progress: WorkflowProgress): WorkflowProgress {
  if (run === undefined) return withoutRunning(progress);
  const answer = answers.rerun ?? UNANSWERED;
  const undecided = resumeNodes(progress, run, answer).find(({ what }) => what === "ask");
  if (undecided === undefined) return takenUp(progress, run, answer);
  throw new Failure("needs_confirmation", `${undecided.id} needs a decision first`, {
    hint: "Run `waymark resume` again, with --rerun-unknown.",
  });
}
