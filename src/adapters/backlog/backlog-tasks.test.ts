import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TaskSnapshot } from "../../domain/task.ts";
import { NOTHING_HELD } from "../../ports/tasks.ts";
import { tasksSuite } from "../../ports/tasks.suite.ts";
import { tempFolder } from "../files/temp-folder.fixture.ts";
import { BacklogTasks } from "./backlog-tasks.ts";

const NAME = "task-12 - Add-auth.md";
const text = (status: string, labels: readonly string[], body = "what it is\n"): string =>
  [
    "---",
    "id: TASK-12",
    "title: Add auth",
    `status: ${status}`,
    `labels: [${labels.map((label) => `'${label}'`).join(", ")}]`,
    "---",
    "",
    body,
  ].join("\n");

class Folder {
  readonly root = tempFolder();
  readonly tasks = new BacklogTasks(this.root);

  constructor() {
    for (const folder of ["tasks", "completed"]) {
      mkdirSync(this.at("backlog", folder), { recursive: true });
    }
  }

  at(...path: readonly string[]): string {
    return join(this.root, ...path);
  }

  write(path: string, content: string | Buffer): void {
    writeFileSync(this.at(path), content);
  }

  all(): Record<string, string> {
    const names = readdirSync(this.root, { recursive: true, withFileTypes: true });
    const files = names.filter((entry) => entry.isFile());
    return Object.fromEntries(
      files.map(({ parentPath, name }) => [
        join(parentPath, name),
        readFileSync(join(parentPath, name), "latin1"),
      ]),
    );
  }

  async found(id = "12"): Promise<TaskSnapshot> {
    const look = await this.tasks.snapshot(id);
    if (look.kind !== "found") throw new Error(JSON.stringify(look));
    return look.task;
  }
}

tasksSuite(() => {
  const folder = new Folder();
  const file = `backlog/tasks/${NAME}`;
  return Promise.resolve({
    tasks: folder.tasks,
    add: () => {
      folder.write(file, text("To Do", ["api", "workflow:Planned"]));
      return Promise.resolve("TASK-12");
    },
    edit: (_id, { status = "To Do", labels = ["api"] }) => {
      folder.write(file, text(status, labels));
      return Promise.resolve();
    },
    finish: () =>
      Promise.resolve(renameSync(folder.at(file), folder.at("backlog/completed", NAME))),
    remove: () => Promise.resolve(rmSync(folder.at(file))),
    duplicate: () => {
      folder.write(`backlog/completed/${NAME}`, text("Done", [], "another text\n"));
      return Promise.resolve();
    },
    everything: () => Promise.resolve(folder.all()),
  });
});

describe("tasks of Backlog.md", () => {
  it("of a checkpoint from elsewhere lead nowhere else", async () => {
    const folder = new Folder();
    folder.write(`backlog/completed/${NAME}`, text("Done", []));
    const now = await folder.found();
    for (const path of [
      "../../../tmp/evil.md",
      "/etc/task-12.md",
      ".git/hooks/task-12 - x.md",
      "task-13.md",
    ]) {
      const then: TaskSnapshot = { ...now, path, folder: "tasks", status: "x: y\n# evil: '\"" };
      const done = await folder.tasks.restore(then, NOTHING_HELD);
      expect(done).toMatchObject({ kind: "restored", problems: [] });
      const { path: place, status } = await folder.found();
      expect(place).toMatch(/^backlog\/tasks\/task-12[^/]*\.md$/);
      expect(status).toBe(then.status);
      await done.takeBack();
      expect(await folder.found()).toEqual(now);
    }
  });

  it("that are links, too large or out of the project are left", async () => {
    const folder = new Folder();
    const then = {
      ...(folder.write(`backlog/tasks/${NAME}`, text("To Do", [])), await folder.found()),
      status: "Done",
    };
    rmSync(folder.at("backlog/tasks", NAME));
    folder.write("real.md", text("To Do", []));
    symlinkSync(folder.at("real.md"), folder.at("backlog/tasks", NAME));
    expect((await folder.tasks.restore(then, NOTHING_HELD)).problems.join()).toContain(
      "it is not a regular file",
    );
    rmSync(folder.at("backlog/tasks", NAME));
    folder.write(`backlog/tasks/${NAME}`, Buffer.alloc(9 * 1024 * 1024, "x"));
    expect(await folder.tasks.snapshot("12")).toMatchObject({ kind: "unreadable" });
    rmSync(folder.at("backlog"), { recursive: true });
    expect(await folder.tasks.snapshot("12")).toEqual({ kind: "none" });
    expect((await folder.tasks.restore(then, NOTHING_HELD)).problems.join()).toContain(
      "Backlog.md folder no longer exists",
    );
  });

  it("are put right after an exchange that was killed", async () => {
    const folder = new Folder();
    folder.write(`backlog/tasks/${NAME}`, text("To Do", []));
    const then = await folder.found();
    // Moved aside and not yet replaced; staged and not yet linked.
    renameSync(
      folder.at("backlog/tasks", NAME),
      folder.at("backlog/tasks", `${NAME}.waymark-old-1-a-1`),
    );
    folder.write(`backlog/completed/${NAME}.waymark-new-1-a-1`, text("Done", []));
    expect(await folder.tasks.restore(then, NOTHING_HELD)).toMatchObject({ problems: [] });
    expect(await folder.found()).toEqual(then);
    // In both places: only status and labels differ, so nothing is lost with one of them.
    folder.write(`backlog/completed/${NAME}`, text("Done", ["workflow:X"]));
    expect(await folder.tasks.restore(then, NOTHING_HELD)).toMatchObject({
      kind: "restored",
      problems: [],
    });
    expect(Object.keys(folder.all())).toEqual([folder.at("backlog/tasks", NAME)]);
  });
});
