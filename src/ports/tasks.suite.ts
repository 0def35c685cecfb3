/** What every keeper of tasks has to do. Each adapter's test runs it. */
import { beforeEach, describe, expect, it } from "vitest";
import type { TaskSnapshot } from "../domain/task.ts";
import { NOTHING_HELD, type Tasks } from "./tasks.ts";

export interface TasksSubject {
  readonly tasks: Tasks;
  /** Makes a task that is to be done, with the labels `api` and `workflow:Planned`; answers with its id. */
  add(): Promise<string>;
  /** What people do to it. */
  edit(id: string, change: { status?: string; labels?: readonly string[] }): Promise<void>;
  finish(id: string): Promise<void>;
  remove(id: string): Promise<void>;
  /** A second one with the same id and another text. */
  duplicate(id: string): Promise<void>;
  /** Everything that is kept about tasks, to see that nothing changed. */
  everything(): Promise<unknown>;
}

export function tasksSuite(make: () => Promise<TasksSubject>): void {
  describe("the contract of tasks", () => {
    let subject: TasksSubject;
    let tasks: Tasks;
    let id: string;
    let then: TaskSnapshot;

    const look = async (): Promise<TaskSnapshot> => {
      const found = await tasks.snapshot(id);
      if (found.kind !== "found") throw new Error(`it is ${found.kind}`);
      return found.task;
    };

    beforeEach(async () => {
      subject = await make();
      ({ tasks } = subject);
      id = await subject.add();
      then = await look();
    });

    it("remembers where a task stands, and changes nothing by looking", async () => {
      const before = await subject.everything();
      expect(then).toMatchObject({
        id,
        folder: "tasks",
        status: "To Do",
        labels: ["api", "workflow:Planned"],
      });
      await tasks.preview(then);
      expect(await tasks.snapshot("no-such-task")).toEqual({ kind: "none" });
      expect(await subject.everything()).toEqual(before);
    });

    it("does nothing when it stands where it stood", async () => {
      const before = await subject.everything();
      const done = await tasks.restore(then, NOTHING_HELD);
      expect(done).toMatchObject({ kind: "unchanged", changes: [], notes: [], problems: [] });
      expect(await subject.everything()).toEqual(before);
    });

    it("brings it back to its folder, status and workflow label; other labels stay", async () => {
      await subject.edit(id, { status: "Done", labels: ["other", "workflow:Validated", "api"] });
      await subject.finish(id);
      const moved = await subject.everything();
      const done = await tasks.restore(then, NOTHING_HELD);
      expect(done).toMatchObject({ kind: "restored", problems: [] });
      expect(done.notes).toEqual(["other labels are kept: other, api (were: api)"]);
      expect(await look()).toMatchObject({
        folder: "tasks",
        status: "To Do",
        labels: ["other", "workflow:Planned", "api"],
      });
      const again = await tasks.restore(then, NOTHING_HELD);
      expect(again).toMatchObject({ kind: "unchanged", problems: [] });
      expect(await done.takeBack()).toEqual([]);
      expect(await subject.everything()).toEqual(moved);
    });

    it("says what it would touch", async () => {
      await subject.finish(id);
      const { now, paths } = await tasks.preview(then);
      expect(now).toMatchObject({ kind: "found", task: { folder: "completed" } });
      expect(paths).toHaveLength(1);
    });

    it("says so when there is no such task any more", async () => {
      await subject.remove(id);
      const done = await tasks.restore(then, NOTHING_HELD);
      expect(done.kind).toBe("kept");
      expect(done.problems.join()).toContain("To restore it manually:");
    });

    it("removes a second one only when it is held", async () => {
      await subject.duplicate(id);
      const before = await subject.everything();
      const { paths } = await tasks.preview(then);
      expect(paths).toHaveLength(2);
      const done = await tasks.restore(then, NOTHING_HELD);
      expect(done.kind).toBe("kept");
      expect(done.problems.join()).toContain("second file");
      expect(await subject.everything()).toEqual(before);
    });
  });
}
