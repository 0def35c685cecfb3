/** Tasks of the real Backlog.md come back with a rollback, and go again with its undo. */
import { chmod, mkdir, rename, rm, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { canKill, killed } from "../spec/killed.ts";
import { items, text } from "../support/json.ts";
import {
  backlogProblem,
  type BacklogProject,
  BacklogProject as Scene,
  taskIn,
  withBacklog,
} from "./backlog-project.ts";

const FILE = "task-1 - Add-auth.md";
const AT_WORK = `backlog/tasks/${FILE}`;
const DONE = `backlog/completed/${FILE}`;
const IGNORED = { ignored: ["/backlog/"] };

/** Done and put away by Backlog.md, as an agent would. */
async function complete(scene: BacklogProject): Promise<void> {
  await scene.backlog("task", "edit", "1", "-s", "Done", "-l", "api,workflow:Validated");
  await scene.backlog("task", "complete", "1");
}

const title =
  backlogProblem === undefined
    ? "a task of Backlog.md"
    : `a task of Backlog.md (skipped: ${backlogProblem})`;

describe.skipIf(backlogProblem !== undefined)(title, () => {
  for (const [where, options] of [
    ["in git", {}],
    ["ignored", IGNORED],
    [
      "in a hidden folder that is ignored",
      { init: ["--backlog-dir", ".backlog"], ignored: ["/.backlog/"] },
    ],
    [
      "in a folder of its own, untracked",
      { init: ["--backlog-dir", "docs/plan"], isCommitted: false },
    ],
  ] as const) {
    it(`[R85] comes back to its folder, status and workflow label, once, and goes again with undo: ${where}`, async () => {
      await withBacklog(options, async (scene) => {
        const { project } = scene;
        await scene.backlog("task", "edit", "1", "-s", "In Progress");
        const before = await scene.view();
        const id = await project.create("--task", "1", "--phase", "implement");
        await complete(scene);
        const done = await scene.view();
        expect(done).toMatchObject({ status: "Done", path: expect.stringContaining("completed/") });
        const doneText = await scene.content(done.path);

        const result = await project.rollBack(id);
        expect(taskIn(result.json)).toMatchObject({
          id: "TASK-1",
          status_before: "Done",
          status_after: "In Progress",
          labels_after: ["api", "workflow:Planned"],
          folder_before: "completed",
          folder_after: "tasks",
          problems: [],
        });
        // It does not answer when the task is there twice.
        expect(await scene.view()).toEqual(before);
        expect(await scene.backlog("task", "list", "--plain")).toMatch(
          /In Progress:\n\s+TASK-1 - Add auth\n/,
        );

        const undone = await project.ok("undo", "--yes", "--discard-commits");
        expect(taskIn(undone.json)).toMatchObject({ status_after: "Done", problems: [] });
        expect(await scene.view()).toEqual(done);
        expect(await scene.content(done.path)).toBe(doneText);

        await project.ok("redo", "--yes", "--discard-commits");
        expect(await scene.view()).toEqual(before);
      });
    });
  }

  it("is in the checkpoint, fills the workflow's state, and is in the journal", async () => {
    await withBacklog(IGNORED, async (scene) => {
      const { project } = scene;
      const made = await project.ok("create", "--task", "task-01");
      expect(made.json).toMatchObject({
        warnings: [],
        checkpoint: {
          task_id: "task-01",
          workflow_state: "Planned",
          task: { id: "TASK-1", path: AT_WORK, folder: "tasks", status: "To Do", assignee: [] },
        },
      });
      const given = await project.ok("create", "--task", "1", "--workflow-state", "mine");
      expect(given.json).toMatchObject({ checkpoint: { workflow_state: "mine" } });
      await scene.backlog("task", "edit", "1", "-s", "Done", "-l", "api");
      const plain = await project.ok("create", "--task", "1");
      expect(plain.json).toMatchObject({ checkpoint: { workflow_state: "Done" } });
      const shown = await project.ok("show", text(made.json, "checkpoint", "id"));
      expect(shown.json).toMatchObject({ checkpoint: { task: { status: "To Do" } } });

      await project.rollBack(text(made.json, "checkpoint", "id"));
      const [entry] = items((await project.ok("log")).json, "entries");
      expect(entry).toMatchObject({
        kind: "rollback",
        details: { task: { id: "TASK-1", status_before: "Done", status_after: "To Do" } },
      });
    });
  });

  it("of a session comes back with its checkpoints", async () => {
    await withBacklog(IGNORED, async (scene) => {
      const { project } = scene;
      await project.ok("session", "start", "--type", "implement", "--task", "1");
      const before = await scene.view();
      const id = await project.create();
      await complete(scene);
      await project.rollBack(id);
      expect(await scene.view()).toEqual(before);
    });
  });

  it("is shown in the plan, and a dry run leaves it", async () => {
    await withBacklog(IGNORED, async (scene) => {
      const { project } = scene;
      const id = await project.create("--task", "1");
      await complete(scene);
      const plan = await project.ok("rollback", id, "--dry-run");
      expect(plan.json).toMatchObject({
        plan: {
          keep: [],
          task: {
            id: "TASK-1",
            status_before: "Done",
            status_after: "To Do",
            changes: [
              "Done -> To Do",
              "workflow:Validated -> workflow:Planned",
              "in completed -> in tasks",
            ],
          },
        },
      });
      expect(await scene.view()).toMatchObject({ status: "Done", path: DONE });
    });
  });

  for (const options of [{}, IGNORED]) {
    it(`stays with --keep-task, its file too: ${JSON.stringify(options)}`, async () => {
      await withBacklog(options, async (scene) => {
        const { project } = scene;
        const id = await project.create("--task", "1");
        await complete(scene);
        await project.repo.write("new.txt", "new\n");
        const result = await project.ok(
          "rollback",
          id,
          "--yes",
          "--discard-commits",
          "--keep-task",
        );
        expect(taskIn(result.json)).toMatchObject({ status_after: "Done", problems: [] });
        expect(await scene.view()).toMatchObject({ status: "Done", path: DONE });
        expect(await scene.files()).toEqual([`completed/${FILE}`]);
        await expect(project.repo.read("new.txt")).rejects.toThrow("ENOENT");
        await project.ok("undo", "--yes");
        expect(await scene.view()).toMatchObject({ status: "Done", path: DONE });
      });
    });
  }

  it("stays with --files-only and --paths where it is ignored; --keep-task without a task is refused", async () => {
    await withBacklog(IGNORED, async (scene) => {
      const { project } = scene;
      const without = await project.create();
      const id = await project.create("--task", "1");
      await complete(scene);
      await project.repo.write("b.txt", "changed\n");
      for (const args of [["--files-only"], ["--paths", "b.txt"]]) {
        const result = await project.ok("rollback", id, "--yes", ...args);
        expect(taskIn(result.json)).toBeNull();
      }
      expect(await scene.view()).toMatchObject({ status: "Done", path: DONE });
      const refused = await project.run("rollback", without, "--yes", "--keep-task");
      expect(refused.code).toBe(2);
    });
  });

  it("keeps what was edited otherwise since, with its comments and line ends, and says so", async () => {
    await withBacklog(IGNORED, async (scene) => {
      const { project } = scene;
      const id = await project.create("--task", "1");
      const head = [
        "---",
        "id: TASK-1",
        "title: Add auth",
        "# a comment",
        "status: 'Done' # done",
        "assignee: [bob]",
      ];
      const rest = [
        "labels: [new, 'workflow:Validated', api] # labels",
        "x_own: {a: 1}",
        "---",
        "",
        "Body: edited",
        "",
      ];
      await project.repo.write(AT_WORK, [...head, ...rest].join("\r\n"));
      const result = await project.rollBack(id);
      expect(taskIn(result.json)).toMatchObject({
        problems: [],
        kept: [
          "the assignee is kept: bob (was none)",
          "other labels are kept: new, api (were: api)",
          "other edits of the task since then are kept",
        ],
      });
      expect(await scene.content(AT_WORK)).toBe(
        [...head, ...rest]
          .join("\r\n")
          .replace("'Done'", "'To Do'")
          .replace("workflow:Validated", "workflow:Planned"),
      );
      expect(await scene.view()).toMatchObject({
        status: "To Do",
        labels: ["new", "workflow:Planned", "api"],
      });
    });
  });

  it("comes back with commits of auto_commit, which stay where --keep-head leaves them", async () => {
    await withBacklog({}, async (scene) => {
      const { project } = scene;
      await scene.backlog("config", "set", "autoCommit", "true");
      await project.repo.git("commit", "-qam", "settings");
      const head = (await project.repo.git("rev-parse", "HEAD")).trim();
      const id = await project.create("--task", "1");
      await complete(scene);
      const ahead = (await project.repo.git("rev-parse", "HEAD")).trim();
      expect(ahead).not.toBe(head);
      const refused = await project.run("rollback", id, "--yes");
      expect(refused.code).toBe(5);
      expect(await scene.view()).toMatchObject({ status: "Done" });

      await project.ok("rollback", id, "--yes", "--keep-head");
      expect(await scene.view()).toMatchObject({ status: "To Do", path: AT_WORK });
      expect((await project.repo.git("rev-parse", "HEAD")).trim()).toBe(ahead);
      await project.ok("undo", "--yes");
      expect(await scene.view()).toMatchObject({ status: "Done", path: DONE });

      await project.rollBack(id);
      expect(await scene.view()).toMatchObject({ status: "To Do", path: AT_WORK });
      expect((await project.repo.git("rev-parse", "HEAD")).trim()).toBe(head);
    });
  });

  it("is found by every way of writing its id, also padded, below another, and with another prefix", async () => {
    await withBacklog(
      { init: ["--task-prefix", "PB", "--zero-padded-ids", "3"] },
      async (scene) => {
        const { project } = scene;
        await scene.backlog("task", "create", 'Über: die "Ö" & Café?', "-p", "1");
        for (const [given, found] of [
          ["1", "PB-001"],
          ["pb-1", "PB-001"],
          ["PB-0001", "PB-001"],
          ["1.1", "PB-001.01"],
          ["PB-001.01", "PB-001.01"],
        ] as const) {
          const made = await project.ok("create", "--force", "--task", given);
          expect(text(made.json, "checkpoint", "task", "id")).toBe(found);
        }
        for (const given of ["2", "task-1", "JIRA-1", "1.2", "../1", ""]) {
          const made = await project.ok("create", "--force", "--task", given);
          expect(made.json).not.toHaveProperty("checkpoint.task");
        }
      },
    );
  });

  it("with an odd title comes back where it is ignored", async () => {
    await withBacklog(IGNORED, async (scene) => {
      const { project } = scene;
      await scene.backlog(
        "task",
        "create",
        "Ü: 'q' \"d\" #1 [x] {y} & – 日本 %s",
        "-l",
        "it's: odd,workflow:In Implementation",
      );
      const before = await scene.view("2");
      const id = await project.create("--task", "2");
      await scene.backlog("task", "edit", "2", "-s", "Done", "-l", "other");
      await scene.backlog("task", "complete", "2");
      const done = await scene.view("2");
      await project.rollBack(id);
      expect(await scene.view("2")).toEqual({
        ...before,
        labels: ["other", "workflow:In Implementation"],
      });
      await project.ok("undo", "--yes");
      expect(await scene.view("2")).toEqual(done);
    });
  });

  it("that is gone where git ignores it is a loud problem, and the files are rolled back", async () => {
    await withBacklog(IGNORED, async (scene) => {
      const { project } = scene;
      await project.repo.write("file.txt", "one\n");
      const id = await project.create("--task", "1");
      await project.repo.write("file.txt", "two\n");
      await rm(join(project.repo.root, AT_WORK));
      const result = await project.rollBack(id);
      const [problem] = items(taskIn(result.json), "problems");
      expect(problem).toContain("TASK-1 was not restored: its file no longer exists");
      expect(problem).toContain("backlog task edit TASK-1 -s 'To Do' --add-label workflow:Planned");
      expect(items(result.json, "warnings")).toContain(problem);
      expect((await project.repo.read("file.txt")).toString()).toBe("one\n");
    });
  });

  it("that was deleted comes back where git sees it", async () => {
    await withBacklog({}, async (scene) => {
      const { project } = scene;
      const before = await scene.view();
      const id = await project.create("--task", "1");
      await rm(join(project.repo.root, AT_WORK));
      const result = await project.rollBack(id);
      expect(taskIn(result.json)).toMatchObject({
        status_before: null,
        status_after: "To Do",
        problems: [],
      });
      expect(await scene.view()).toEqual(before);
    });
  });

  it("whose front matter is broken is left, and said", async () => {
    await withBacklog(IGNORED, async (scene) => {
      const { project } = scene;
      const id = await project.create("--task", "1");
      const broken = "---\nid: TASK-1\nstatus: [Done\nlabels: x\n---\nbody\n";
      await project.repo.write(AT_WORK, broken);
      const made = await project.ok("create", "--task", "1");
      expect(items(made.json, "warnings").join()).toContain(
        "the status of task 1 is not in the checkpoint",
      );
      const result = await project.rollBack(id);
      expect(items(taskIn(result.json), "problems").join()).toContain("its status cannot be read");
      expect(await scene.content(AT_WORK)).toBe(broken);
      await project.repo.write(AT_WORK, "no front matter\n");
      const again = await project.rollBack(id);
      expect(items(taskIn(again.json), "problems").join()).toContain(
        "does not begin with front matter",
      );
    });
  });

  it("with two files keeps the one whose content no checkpoint holds, and says so", async () => {
    await withBacklog({ ignored: ["/backlog/completed/", "/backlog/archive/"] }, async (scene) => {
      const { project } = scene;
      const id = await project.create("--task", "1");
      // The second one is held by the safety checkpoint, so it may go.
      await project.repo.write(DONE, "---\nid: TASK-1\nstatus: Done\n---\nanother text\n");
      const result = await project.rollBack(id);
      expect(taskIn(result.json)).toMatchObject({ problems: [] });
      expect(await scene.files()).toEqual([`tasks/${FILE}`]);
      await project.ok("undo", "--yes");
      expect(await scene.content(DONE)).toContain("another text");
    });
  });

  it("that is read-only comes back and stays so; a folder that leads out of the project is left", async () => {
    await withBacklog(IGNORED, async (scene) => {
      const { project } = scene;
      const at = join(project.repo.root, AT_WORK);
      const id = await project.create("--task", "1");
      await scene.backlog("task", "edit", "1", "-s", "Done");
      await chmod(at, 0o444);
      await project.rollBack(id);
      expect(await scene.view()).toMatchObject({ status: "To Do" });
      expect((await stat(at)).mode & 0o777).toBe(0o444);

      await scene.backlog("task", "edit", "1", "-s", "Done");
      const outside = join(project.repo.base, "outside");
      await rename(join(project.repo.root, "backlog/tasks"), outside);
      await symlink(outside, join(project.repo.root, "backlog/tasks"));
      const result = await project.rollBack(id);
      expect(items(taskIn(result.json), "problems").join()).toContain("points outside the project");
      expect(await scene.view()).toMatchObject({ status: "Done" });
    });
  });

  it("is not looked for when backlog.enabled is false, and missed when it is true", async () => {
    await withBacklog(IGNORED, async (scene) => {
      const { project } = scene;
      await project.repo.write("waymark.yml", "backlog: {enabled: true}\n");
      const missed = await project.ok("create", "--task", "99");
      expect(items(missed.json, "warnings").join()).toContain("no task 99");
      const id = await project.create("--task", "1");
      await project.repo.write("waymark.yml", "backlog: {enabled: false}\n");
      const off = await project.ok("create", "--task", "1");
      expect(off.json).not.toHaveProperty("checkpoint.task");
      await scene.backlog("task", "edit", "1", "-s", "Done");
      expect(taskIn((await project.rollBack(id)).json)).toBeNull();
      expect(await scene.view()).toMatchObject({ status: "Done" });
    });
  });

  it.skipIf(!canKill)(
    "[R86] is at the one side or the other after a kill and a recovery",
    { timeout: 300_000 },
    async () => {
      await withBacklog(IGNORED, async (scene) => {
        const { project } = scene;
        await project.repo.write("file.txt", "one\n");
        const id = await project.create("--task", "1");
        await project.repo.write("file.txt", "two\n");
        await complete(scene);
        await mkdir(join(project.repo.root, "backlog/tasks"), { recursive: true });
        await killed(project, ["rollback", id, "--yes"], async (copy) => {
          const recovered = await copy.ok("recover");
          expect(items(recovered.json, "problems")).toEqual([]);
          const there = new Scene(copy);
          const isBack = (await copy.repo.read("file.txt")).toString() === "one\n";
          expect(await there.view()).toMatchObject(
            isBack ? { status: "To Do", path: AT_WORK } : { status: "Done", path: DONE },
          );
          expect(await there.files()).toEqual([isBack ? `tasks/${FILE}` : `completed/${FILE}`]);
        });
      });
    },
  );
});
