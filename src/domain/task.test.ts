import { describe, expect, it } from "vitest";
import {
  editsThatStay,
  isBetween,
  keyOfFile,
  labelsBack,
  standingChanges,
  taskKey,
  workflowStateOf,
  type TaskSnapshot,
} from "./task.ts";

const TASK: TaskSnapshot = {
  id: "TASK-1",
  path: "backlog/tasks/task-1 - One.md",
  folder: "tasks",
  status: "To Do",
  labels: ["api"],
  assignee: [],
  file_digest: "sha256:1",
  rest_digest: "sha256:2",
};

describe("a task", () => {
  it.each([
    ["12", "task-12"],
    ["task-12", "task-12"],
    [" TASK-012 ", "task-12"],
    ["task-12.01", "task-12.1"],
    ["000", "task-0"],
    ["PB-3", "pb-3"],
  ])("has one key for every way of writing its id: %s", (id, key) => {
    expect(taskKey(id, "task")).toBe(key);
  });

  it.each(["", "task", "task-", "12.", "a b-1", "task-1/../2", "-1", "1e3"])(
    "%j is no id",
    (id) => {
      expect(taskKey(id, "task")).toBeUndefined();
    },
  );

  it.each([
    ["task-1 - One.md", "task-1"],
    ["TASK-001.md", "task-1"],
    ["task-1.2 - Sub - x.md", "task-1.2"],
    ["draft-3-short.md", "draft-3"],
    ["task-12.md.waymark-old-1", undefined],
    ["task-12 notes.md", undefined],
    ["readme.md", undefined],
  ])("is told by the name of its file: %s", (name, key) => {
    expect(keyOfFile(name)).toBe(key);
  });

  it("says the state of the workflow by its label, or by its status", () => {
    expect(workflowStateOf(TASK)).toBe("To Do");
    expect(
      workflowStateOf({ ...TASK, labels: ["workflow:Planned", "x", "Workflow: In Work"] }),
    ).toBe("In Work");
    expect(workflowStateOf({ ...TASK, labels: ["workflow:"] })).toBe("To Do");
    expect(workflowStateOf({ ...TASK, status: null })).toBeUndefined();
  });

  it("gets the workflow labels of then, and keeps its others", () => {
    expect(labelsBack(["workflow:B", "api"], ["api", "workflow:A"])).toEqual(["api", "workflow:A"]);
    expect(labelsBack(["x", "workflow:B", "y"], ["api", "workflow:A"])).toEqual([
      "x",
      "workflow:A",
      "y",
    ]);
    expect(labelsBack(["x"], ["workflow:A", "workflow:C"])).toEqual([
      "x",
      "workflow:A",
      "workflow:C",
    ]);
    expect(labelsBack(["x", "workflow:B"], [])).toEqual(["x"]);
  });

  it("is somebody's when it is on neither side", () => {
    const done = { ...TASK, status: "Done", folder: "completed" as const };
    expect(isBetween(TASK, TASK, done)).toBe(true);
    expect(isBetween({ ...done, folder: "tasks" }, TASK, done)).toBe(true);
    expect(isBetween({ ...TASK, status: "Blocked" }, TASK, done)).toBe(false);
    expect(isBetween({ ...TASK, labels: ["workflow:Z"] }, TASK, done)).toBe(false);
  });

  it("says what changes and what stays", () => {
    const now: TaskSnapshot = {
      ...TASK,
      status: "Done",
      folder: "archive",
      labels: ["b", "workflow:X"],
      assignee: ["bob"],
      rest_digest: "sha256:3",
    };
    expect(standingChanges(now, { ...TASK, status: null })).toEqual([
      "Done -> no status",
      "workflow:X -> no workflow label",
      "in archive -> in tasks",
    ]);
    expect(editsThatStay(now, TASK)).toHaveLength(3);
    expect(standingChanges(TASK, TASK)).toEqual([]);
    expect(editsThatStay(TASK, TASK)).toEqual([]);
  });
});
