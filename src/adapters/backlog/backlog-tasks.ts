/** The Tasks port on the files of Backlog.md. Its command is never called: docs/decisions/0015-backlog-tasks.md says why. */
import { readProblem } from "../../domain/system-error.ts";
import { taskKey, type TaskSnapshot } from "../../domain/task.ts";
import type { HeldFiles, TaskLook, TaskPreview, TaskRestored, Tasks } from "../../ports/tasks.ts";
import { findBacklog } from "./backlog-folder.ts";
import { bytePath, filesOf, readTask, type TaskFile } from "./task-files.ts";
import { NoTask } from "./task-text.ts";
import { TaskRestore } from "./task-restore.ts";

export class BacklogTasks implements Tasks {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  snapshot(taskId: string): Promise<TaskLook> {
    return Promise.resolve(this.#look(taskId).look);
  }

  preview(then: TaskSnapshot): Promise<TaskPreview> {
    const { look, files } = this.#look(then.id);
    return Promise.resolve({ now: look, paths: files.map(({ path }) => bytePath(path)) });
  }

  restore(then: TaskSnapshot, held: HeldFiles): Promise<TaskRestored> {
    return new TaskRestore(this.#root, then, held).run();
  }

  #look(taskId: string): { look: TaskLook; files: readonly TaskFile[] } {
    let files: readonly TaskFile[] = [];
    try {
      const backlog = findBacklog(this.#root);
      const key = backlog === undefined ? undefined : taskKey(taskId, backlog.prefix);
      if (backlog === undefined || key === undefined) return { look: { kind: "none" }, files };
      files = filesOf(this.#root, backlog, key);
      const [first, ...others] = files;
      if (first === undefined) return { look: { kind: "none" }, files };
      const { task } = readTask(this.#root, first, key);
      const duplicates = others.map(({ path }) => path);
      return { look: { kind: "found", task, duplicates }, files };
    } catch (error) {
      return { look: { kind: "unreadable", problem: problemOf(error, files[0]) }, files };
    }
  }
}

function problemOf(error: unknown, file: TaskFile | undefined): string {
  if (!(error instanceof NoTask)) return readProblem(error);
  return `${file?.path ?? "its file"}: ${error.message}`;
}
