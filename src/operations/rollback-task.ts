/** The task of Backlog.md in one rollback: planned, brought back after the files, and taken back with them. */
import { parsePath, type BytePath } from "../domain/byte-path.ts";
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import { Failure } from "../domain/failure.ts";
import {
  isBetween,
  isSameStanding,
  standingChanges,
  type TaskRecord,
  type TaskSnapshot,
} from "../domain/task.ts";
import type { HeldFiles, TaskLook, TaskRestored } from "../ports/tasks.ts";
import type { PartScope } from "./part-work.ts";
import type { Project } from "./project.ts";

export interface TaskScope extends PartScope {
  /** Leave the task as it is, its file too. */
  readonly keepTask?: boolean;
}

export interface PlannedTask {
  /** False: it stays as it is, because somebody said so. */
  readonly isRestored: boolean;
  /** What the checkpoint holds. */
  readonly snapshot: TaskSnapshot;
  readonly now: TaskLook;
  /** Files of the task, now and then. */
  readonly paths: readonly BytePath[];
  /** In words; empty: it stands where it stood. */
  readonly changes: readonly string[];
}

/** Undefined: the checkpoint holds none, or the rollback is about something else. */
export async function planTask(
  project: Project,
  { task }: CheckpointDocument,
  scope: TaskScope,
): Promise<PlannedTask | undefined> {
  if (task === undefined || !isAbout(project, scope)) return undefined;
  const { now, paths } = await project.tasks.preview(task);
  const isRestored = scope.keepTask !== true;
  return {
    isRestored,
    snapshot: task,
    now,
    paths: [...new Set([...paths, parsePath(task.path)])],
    changes: isRestored && now.kind === "found" ? standingChanges(now.task, task) : [],
  };
}

/** False as well where that cannot be told: the rollback says why. */
export function isAsItWas({ isRestored, now, changes }: PlannedTask): boolean {
  if (!isRestored) return true;
  return now.kind === "found" && now.duplicates.length + changes.length === 0;
}

function isAbout(project: Project, { filesOnly, stateOnly, paths }: TaskScope): boolean {
  const isPart = filesOnly || stateOnly === true || paths !== null;
  return !isPart && project.config.backlog.enabled !== false;
}

/** True when the task stands where a checkpoint has it, or it is not about one. */
export async function taskIsAsLeft(
  project: Project,
  document: CheckpointDocument,
  scope: TaskScope,
): Promise<boolean> {
  const planned = await planTask(project, document, scope);
  if (planned === undefined || planned.now.kind !== "found") return true;
  return isSameStanding(planned.now.task, planned.snapshot);
}

export class RollbackTask {
  readonly #project: Project;
  #restored: TaskRestored | undefined;

  constructor(project: Project) {
    this.#project = project;
  }

  /** Called when the files are in place. Whatever goes wrong is in the record: it does not undo the rollback. */
  async apply(
    planned: PlannedTask | undefined,
    safety: CheckpointDocument,
  ): Promise<TaskRecord | null> {
    if (planned === undefined) return null;
    const before = planned.now.kind === "found" ? planned.now.task : undefined;
    const { snapshot: then } = planned;
    const problems: string[] = [];
    const kept: string[] = [];
    if (!planned.isRestored) kept.push("all of it: --keep-task was given");
    else if (await this.#isChangedMeanwhile(then, safety.task)) {
      problems.push(
        `${then.id} was changed by another program during the rollback and was not restored`,
      );
    } else {
      this.#restored = await this.#project.tasks.restore(then, heldFiles(this.#project, safety));
      kept.push(...this.#restored.notes);
      problems.push(...this.#restored.problems);
    }
    const look = await this.#project.tasks.snapshot(then.id);
    const after = look.kind === "found" ? look.task : undefined;
    return {
      id: then.id,
      status_before: before?.status ?? null,
      status_after: after?.status ?? null,
      labels_before: before?.labels ?? null,
      labels_after: after?.labels ?? null,
      folder_before: before?.folder ?? null,
      folder_after: after?.folder ?? null,
      kept,
      problems,
    };
  }

  /** Before the files are taken back. */
  async takeBack(): Promise<void> {
    const left = (await this.#restored?.takeBack()) ?? [];
    if (left.length === 0) return;
    throw new Failure("recovery_failed", `the task could not be reverted: ${left.join("; ")}`, {
      hint: "Look at the file, then run `waymark recover`, which reverts everything else.",
    });
  }

  async #isChangedMeanwhile(
    then: TaskSnapshot,
    before: TaskSnapshot | undefined,
  ): Promise<boolean> {
    if (before === undefined) return false;
    const now = await this.#project.tasks.snapshot(then.id);
    return now.kind === "found" && !isBetween(now.task, before, then);
  }
}

/** After a killed rollback, when the files are back: answers with what is wrong. */
export async function takeBackTask(
  project: Project,
  safety: CheckpointDocument,
  target: CheckpointDocument,
): Promise<readonly string[]> {
  const { task } = safety;
  if (task === undefined || target.task === undefined) return [];
  const now = await project.tasks.snapshot(task.id);
  if (now.kind === "found" && !isBetween(now.task, task, target.task)) {
    return [`${task.id} was changed since the rollback was interrupted and is left as it is`];
  }
  const { problems } = await project.tasks.restore(task, heldFiles(project, safety));
  return problems;
}

/** What the safety checkpoint holds of the work tree. */
function heldFiles(project: Project, safety: CheckpointDocument): HeldFiles {
  return {
    taskPath: safety.task?.path,
    read: async (path) => {
      const file = parsePath(path);
      if (!(await project.workTree.holds(safety, file))) return undefined;
      return project.checkpoints.entry(safety.id, `worktree/${file}`);
    },
  };
}
