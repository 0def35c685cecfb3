/**
 * Takes back what one session did and keeps what others did since. What the project would be without it is worked out and published as a
 * checkpoint; the rollback's own machinery makes the files equal to it. So a safety checkpoint comes first, what others save meanwhile
 * stays, a kill is taken back, and `undo` brings everything back.
 */
import type { BytePath } from "../../domain/byte-path.ts";
import { filesTreeOf, type CheckpointDocument } from "../../domain/checkpoint.ts";
import { cancelled, Failure } from "../../domain/failure.ts";
import { sameFile } from "../../domain/file-state.ts";
import type { SelectiveRecord } from "../../domain/session.ts";
import type { FileHistory } from "../../ports/file-histories.ts";
import type { Capture } from "../../ports/work-tree.ts";
import { createCheckpoint } from "../create-checkpoint.ts";
import type { RollbackPlan } from "../plan-rollback.ts";
import type { Project } from "../project.ts";
import { recover } from "../recover.ts";
import { rollBack, type RollbackResult } from "../roll-back.ts";
import { rollbackId } from "../rollback-id.ts";
import { viewSessions, type SessionView } from "../session-view.ts";
import { findWork, type FoundWork } from "./find-work.ts";
import { planTakeBack, type TakeBackPlan, type TakeBackRequest } from "./plan-take-back.ts";

export interface TakeBackOrder extends TakeBackRequest {
  /** A session of an agent or of Waymark, or a part of its id. */
  readonly worker: string;
  /** The session that the rollback is written down in. */
  readonly sessionId: string;
  readonly reason: string | null;
  /** Shown the plan. */
  readonly confirm: (plan: TakeBackPlan) => Promise<boolean>;
}

export type TakenBack =
  | { readonly kind: "nothing"; readonly plan: TakeBackPlan }
  | { readonly kind: "done"; readonly plan: TakeBackPlan; readonly result: RollbackResult };

/** The project may change while it is looked at; each try starts from what is there. */
const TRIES = 5;

export async function takeBack(project: Project, order: TakeBackOrder): Promise<TakenBack> {
  project.sweep();
  await project.sweepKept();
  await recover(project);
  let agreed: string | undefined;
  for (let tries = 0; tries < TRIES; tries++) {
    const { plan, capture, history } = await lookAt(project, order.worker, order);
    try {
      if (plan.files.size === 0) return { kind: "nothing", plan };
      const what = summaryOf(plan);
      if (agreed !== what) await ask(order, plan);
      agreed = what;
      const result = await carryOut(project, order, plan, { capture, history });
      if (result !== undefined) return { kind: "done", plan, result };
    } finally {
      history.close();
      capture.discard();
    }
  }
  throw new Failure("repository_busy", "the files kept changing while the result was computed", {
    hint: "Wait for the programs that write to them, then run the command again. Nothing was changed.",
  });
}

/** Only says what it would be. */
export async function previewTakeBack(
  project: Project,
  worker: string,
  request: TakeBackRequest,
): Promise<TakeBackPlan> {
  const { plan, capture, history } = await lookAt(project, worker, request);
  history.close();
  capture.discard();
  return plan;
}

interface Look {
  readonly plan: TakeBackPlan;
  readonly capture: Capture;
  readonly history: FileHistory;
}

async function lookAt(project: Project, worker: string, request: TakeBackRequest): Promise<Look> {
  const view = await viewSessions(project, undefined);
  const found = await findWork(project, view, worker);
  warnOfLostSteps(project, view, found, request);
  const capture = await project.workTree.capture({ policy: project.policy });
  try {
    const history = await project.fileHistories.open(capture);
    const plan = await planTakeBack(project, view, found, request, { capture, history });
    return { plan, capture, history };
  } catch (error) {
    capture.discard();
    throw error;
  }
}

/** What was there before a step is not known without the checkpoint that it began with. */
function warnOfLostSteps(
  project: Project,
  { stored }: Pick<SessionView, "stored">,
  { worker, steps }: FoundWork,
  { since }: TakeBackRequest,
): void {
  const problems = new Map(
    stored.flatMap((one) => (one.kind === "damaged" ? [[one.id, one.problem] as const] : [])),
  );
  const lost = new Set(
    steps
      .filter(({ session, at }) => session === worker.id && at >= (since?.created_at ?? ""))
      .flatMap(({ checkpointId }) => checkpointId ?? [])
      .filter((id) => problems.has(id)),
  );
  const [first] = lost;
  if (first === undefined) return;
  const others = lost.size === 1 ? "" : ` (and ${lost.size - 1} more)`;
  project.warn(
    `checkpoint ${first} is damaged: ${problems.get(first) ?? ""}${others}; what ${worker.id} changed after it may not be reverted (\`waymark rebuild ${first}\` may repair it)`,
  );
}

async function ask(order: TakeBackOrder, plan: TakeBackPlan): Promise<void> {
  if (await order.confirm(plan)) return;
  throw cancelled();
}

/** What somebody agreed to: the same files with the same content. */
function summaryOf({ files, kept }: TakeBackPlan): string {
  const lines = [...files].map(([path, file]) => `${path} ${JSON.stringify(file)}`);
  return [...lines, ...kept.map(({ path, reason }) => `${path} ${reason}`)].toSorted().join("\n");
}

/** Undefined: the files changed meanwhile, and nothing was done. */
async function carryOut(
  project: Project,
  order: TakeBackOrder,
  plan: TakeBackPlan,
  { history }: Pick<Look, "capture" | "history">,
): Promise<RollbackResult | undefined> {
  const { files } = plan;
  const target = await publish(project, order, plan, await history.withFiles(files, plan.since));
  if (target === undefined) return undefined;
  const selective: SelectiveRecord = {
    session: plan.worker.id,
    by: plan.by,
    since_id: plan.since.id,
    steps: plan.steps,
  };
  let hasMoved = false;
  try {
    return await rollBack(project, {
      kind: "rollback",
      id: rollbackId(project),
      target,
      sessionId: order.sessionId,
      scope: { filesOnly: true, keepHead: true, paths: [...files.keys()] },
      discardCommits: false,
      reason: order.reason,
      selective,
      confirm: () => Promise.resolve(true),
      confirmed: true,
      check: (actual) => {
        hasMoved = !isAsSeen(actual, plan);
        if (hasMoved) throw new Failure("repository_busy", "the files changed", { hint: "" });
      },
    });
  } catch (error) {
    await withdraw(project, target.id);
    if (hasMoved) return undefined;
    throw error;
  }
}

async function publish(
  project: Project,
  order: TakeBackOrder,
  { worker }: TakeBackPlan,
  capture: Capture,
): Promise<CheckpointDocument | undefined> {
  const { worktree } = capture.part;
  const { checkpoint } = await createCheckpoint(project, {
    sessionId: order.sessionId,
    trigger: "auto",
    name: "selective-undo",
    isWorkedOut: true,
    reason: `reverted the changes of ${worker.agent === null ? worker.id : `${worker.agent} ${worker.id.slice(0, 8)}`}`,
    force: true,
    capture,
  });
  if (filesTreeOf(checkpoint) === worktree) return checkpoint;
  // A rollback came in between, and what is on the disk was captured instead.
  await project.checkpoints.remove([checkpoint.id]);
  return undefined;
}

/** It never was a moment of the project. One that a rollback has yet to be taken back from is needed for that. */
async function withdraw(project: Project, id: string): Promise<void> {
  if (project.restorer.unfinished() !== undefined) return;
  await project.checkpoints.remove([id]);
}

/** The files that are about to change are what they were when it was worked out, and are all of them. */
function isAsSeen({ files }: RollbackPlan, plan: TakeBackPlan): boolean {
  const steps = [...files.write, ...files.remove, ...files.mode];
  const seen = new Map<BytePath, (typeof steps)[number]>();
  for (const step of [...plan.filePlan.write, ...plan.filePlan.remove, ...plan.filePlan.mode]) {
    seen.set(step.path, step);
  }
  return (
    steps.length === seen.size &&
    steps.every((step) => {
      const expected = seen.get(step.path);
      return expected !== undefined && sameFile(step.before, expected.before);
    })
  );
}
