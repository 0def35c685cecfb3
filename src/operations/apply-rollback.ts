/** Carries a prepared rollback out and checks that the project is what it should be. */
import { parsePath, showPath, type BytePath } from "../domain/byte-path.ts";
import { gitPartOf, type CheckpointDocument } from "../domain/checkpoint.ts";
import { Failure } from "../domain/failure.ts";
import type { TaskRecord } from "../domain/task.ts";
import type { HeldPart, PartKept } from "../ports/part-keeper.ts";
import type { ForeignSave, Restore } from "../ports/restorer.ts";
import type { Capture } from "../ports/work-tree.ts";
import { filesOfDatabases } from "./part-work.ts";
import type { RollbackPlan } from "./plan-rollback.ts";
import type { Project } from "./project.ts";
import type { RollbackOrder, Verification } from "./rollback-order.ts";
import type { RollbackParts } from "./rollback-parts.ts";
import type { RollbackTask } from "./rollback-task.ts";
import { stopIfAsked } from "./stop-if-asked.ts";

/** Everything that a rollback has begun. */
export interface UnderWay {
  readonly restore: Restore;
  readonly parts: RollbackParts;
  readonly task: RollbackTask;
}

export interface Done {
  readonly foreign: readonly ForeignSave[];
  readonly keptParts: readonly PartKept[];
  readonly task: TaskRecord | null;
  readonly verification: Verification;
  /** What the project looks like now, for undo. */
  readonly result: string;
}

export async function applyAndVerify(
  project: Project,
  order: RollbackOrder,
  { restore, parts, task }: UnderWay,
  plan: RollbackPlan,
  safety: CheckpointDocument,
): Promise<Done> {
  const applied = await restore.apply(safety);
  const keptParts = await parts.apply();
  const taskRecord = await task.apply(plan.task, safety);
  const late = await restore.lateSaves();
  const foreign = [...applied.foreign, ...late];
  const leaveOut = filesOfDatabases(parts.target);
  const { policy } = project;
  const capture = await project.workTree.capture({
    policy,
    leaveOut,
    onlyLook: true,
    stopIfAsked: () => stopIfAsked(project),
  });
  project.workTree.remember(capture);
  capture.discard();
  const wrong = [
    ...differences(order, plan, capture, await restore.mismatches(), foreign),
    ...(await parts.mismatches()),
  ];
  if (wrong.length > 0) {
    throw new Failure(
      "restore_failed",
      `the result differs from the checkpoint: ${wrong.join("; ")}`,
      {
        hint: "Close programs that write to these files, run `waymark validate`, then try again.",
      },
    );
  }
  return {
    foreign,
    keptParts,
    task: taskRecord,
    result: capture.sameness,
    verification: {
      match: foreign.length + keptParts.length === 0,
      pre_state_hash: safety.content_hash,
      post_state_hash: await hashAfter(project, order.target, capture, parts.target),
      checkpoint_hash: order.target.content_hash,
    },
  };
}

/** Of everything that the checkpoint holds, as it is now. What was restored beside the work tree was verified by then. */
export async function hashAfter(
  project: Project,
  target: CheckpointDocument,
  capture: Capture,
  parts: readonly HeldPart[],
): Promise<string> {
  const hashOf = (moment: Capture): Promise<string> | string =>
    parts.length > 0 ? project.workTree.contentHashWith(moment, target) : moment.contentHash;
  const hash = await hashOf(capture);
  if (hash === target.content_hash) return hash;
  // The usual rules leave out what the checkpoint holds all the same: secrets that were named, ignored files in the way.
  const leftOut = capture.details.excluded.map(({ path }) => parsePath(path));
  const held = await project.workTree.pathsIn(target, leftOut);
  if (held.length === 0) return hash;
  const whole = await project.workTree.capture({
    policy: project.policy,
    include: new Set(held),
    leaveOut: filesOfDatabases(parts),
    onlyLook: true,
  });
  whole.discard();
  return hashOf(whole);
}

/** Compares what was planned with what is there. What others wrote meanwhile is theirs and no error. */
function differences(
  order: RollbackOrder,
  plan: RollbackPlan,
  capture: Capture,
  mismatches: readonly BytePath[],
  foreign: readonly ForeignSave[],
): string[] {
  const theirs = new Set(foreign.map((save) => save.path));
  const wrong = mismatches
    .filter((path) => !theirs.has(path))
    .map((path) => `${showPath(path)} differs`);
  const part = gitPartOf(order.target);
  if (plan.restoresIndex && !plan.isPartial) {
    const same =
      capture.part.index === part?.index &&
      capture.part.conflicts === part.conflicts &&
      capture.part.index_flags === part.index_flags;
    if (!same) wrong.push("the index differs");
  }
  if (plan.head !== null) {
    const { branch, commit } = plan.head.to;
    if (capture.git.branch !== branch || capture.git.commit !== commit) {
      wrong.push("HEAD differs from the checkpoint");
    }
  }
  if (plan.restoresOperation && capture.part.operation !== part?.operation) {
    wrong.push("the state of the operation in progress differs");
  }
  return wrong;
}
