/** The task of Backlog.md that a new checkpoint holds. It never keeps anybody from a checkpoint: what is wrong is a warning. */
import { redact } from "../domain/secrets/redact.ts";
import type { TaskSnapshot } from "../domain/task.ts";
import type { Project } from "./project.ts";

export interface TaskToHold {
  readonly task: TaskSnapshot | undefined;
  readonly warnings: readonly string[];
}

export const NO_TASK: TaskToHold = { task: undefined, warnings: [] };

export async function taskOf(project: Project, id: string): Promise<TaskToHold> {
  const { enabled } = project.config.backlog;
  if (enabled === false) return NO_TASK;
  const without = (why: string): TaskToHold => ({
    task: undefined,
    warnings: [`the status of task ${id} is not in the checkpoint: ${why}`],
  });
  const look = await project.tasks.snapshot(id);
  switch (look.kind) {
    case "found":
      if (hasSecret(look.task))
        return without("something in its status or labels looks like a secret");
      return {
        task: look.task,
        warnings:
          look.duplicates.length === 0
            ? []
            : [
                `${look.task.id} has more than one file, ${[look.task.path, ...look.duplicates].join(" and ")}; the first one is used (\`backlog doctor\` helps)`,
              ],
      };
    case "unreadable":
      return without(look.problem);
    default:
      return {
        task: undefined,
        warnings:
          enabled === true
            ? [
                `Backlog.md has no task ${id} here (backlog.enabled is true): its status is not in the checkpoint`,
              ]
            : [],
      };
  }
}

function hasSecret({ id, path, status, labels, assignee }: TaskSnapshot): boolean {
  return [id, path, status ?? "", ...labels, ...assignee].some((text) => redact(text) !== text);
}

/** Also true when nobody asked about a task. */
export function isSameTask(last: TaskSnapshot | undefined, now: TaskSnapshot | undefined): boolean {
  return now === undefined || (last?.path === now.path && last.file_digest === now.file_digest);
}
