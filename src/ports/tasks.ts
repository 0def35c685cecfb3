/**
 * The tasks that work is about, as Backlog.md keeps them: one file each.
 *
 * Obligations, to which the contract suite beside this file holds every adapter:
 * - `snapshot` and `preview` change nothing.
 * - `restore` makes the task stand where it stood: in its folder, with its status and its workflow labels, and once. All
 *   else that is in its file stays, byte for byte.
 * - Nothing is removed but what the caller holds or what is also in the file that stays. Nothing outside of the project is touched.
 * - What cannot be done is a problem of the answer, with what to do by hand; it is never an error, and never silence.
 * - Done twice, the second time changes nothing. A kill at any point leaves what the next `restore`, to either side, puts right.
 */
import type { BytePath } from "../domain/byte-path.ts";
import type { TaskSnapshot } from "../domain/task.ts";

export type TaskLook =
  | {
      readonly kind: "found";
      readonly task: TaskSnapshot;
      /** Further files of the same task, from the root of the project: it should be there once. */
      readonly duplicates: readonly string[];
    }
  /** There is no such task, or no Backlog.md. */
  | { readonly kind: "none" }
  | { readonly kind: "unreadable"; readonly problem: string };

export interface TaskPreview {
  readonly now: TaskLook;
  /** Every file that restoring may change or remove. */
  readonly paths: readonly BytePath[];
}

/** What the caller holds of the moment before. Paths are from the root of the project. */
export interface HeldFiles {
  /** The file that the task had; undefined: it had none. */
  readonly taskPath: string | undefined;
  read(path: string): Promise<Uint8Array | undefined>;
}

export const NOTHING_HELD: HeldFiles = {
  taskPath: undefined,
  read: () => Promise.resolve(undefined),
};

export interface TaskRestored {
  /** kept: it is not where it should be; the problems say why. */
  readonly kind: "unchanged" | "restored" | "kept";
  /** In words. */
  readonly changes: readonly string[];
  /** What was edited besides since then, and stays. */
  readonly notes: readonly string[];
  readonly problems: readonly string[];
  /** Undoes exactly what was done, as long as nobody changed it since; answers with what it had to leave. */
  takeBack(): Promise<readonly string[]>;
}

export interface Tasks {
  /** By id, however it is written: `12`, `task-12`, `TASK-012`. */
  snapshot(taskId: string): Promise<TaskLook>;
  preview(then: TaskSnapshot): Promise<TaskPreview>;
  restore(then: TaskSnapshot, held: HeldFiles): Promise<TaskRestored>;
}
