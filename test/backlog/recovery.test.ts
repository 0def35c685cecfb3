/** A killed rollback leaves the task where the files are. */
import { describe, expect, it } from "vitest";
import { leaveHalfRollback } from "../spec/half-rollback.ts";
import { type RuleProject, withDirty } from "../spec/project.ts";
import { items } from "../support/json.ts";

const AT_WORK = "backlog/tasks/task-1 - One.md";
const DONE = "backlog/completed/task-1 - One.md";
const task = (status: string): string =>
  `---\nid: TASK-1\nstatus: ${status} # s\nlabels: ['workflow:${status}']\n---\ntext\n`;

/** Killed after it had brought back the task, or in the middle of that. */
async function killedWith(
  files: Readonly<Record<string, string>>,
  judge: (project: RuleProject, problems: readonly unknown[]) => Promise<void>,
): Promise<void> {
  await withDirty(async (project) => {
    const { repo } = project;
    await repo.write(".git/info/exclude", "/backlog/\n");
    await repo.write(AT_WORK, task("Open"));
    const id = await project.create("--task", "1");
    await repo.remove(AT_WORK);
    await repo.write(DONE, task("Done"));
    await leaveHalfRollback(project, id, "--task", "1");
    await repo.remove(DONE);
    for (const [path, content] of Object.entries(files)) await repo.write(path, content);
    const recovered = await project.ok("recover");
    expect(recovered.json).toMatchObject({ outcome: "taken_back" });
    await judge(project, items(recovered.json, "problems"));
  });
}

describe("a killed rollback", () => {
  it.each([
    ["all of it was done", { [AT_WORK]: task("Open") }],
    ["nothing was done", { [DONE]: task("Done") }],
    ["it was in both places", { [AT_WORK]: task("Open"), [DONE]: task("Done") }],
    [
      "it was moved aside",
      { [`${DONE}.waymark-old-1-a-1`]: task("Done"), [AT_WORK]: task("Open") },
    ],
  ])("[R86] is taken back with the task: %s", async (_when, files) => {
    await killedWith(files, async ({ repo }, problems) => {
      expect(problems).toEqual([]);
      expect((await repo.read(DONE)).toString()).toBe(task("Done"));
      await expect(repo.read(AT_WORK)).rejects.toThrow("ENOENT");
    });
  });

  it("[R86] leaves a task that somebody changed since, and says so", async () => {
    await killedWith({ [AT_WORK]: task("Blocked") }, async ({ repo }, problems) => {
      expect(problems.join()).toContain("TASK-1 was changed since");
      expect((await repo.read(AT_WORK)).toString()).toBe(task("Blocked"));
    });
  });

  it("says so when the task is gone", async () => {
    await killedWith({}, async (_project, problems) => {
      expect(problems.join()).toContain("TASK-1 was not restored");
    });
  });
});
