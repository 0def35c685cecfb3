/** Rollbacks as programs ask for them, on real git. */
import { existsSync } from "node:fs";
import { readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  createCheckpoint,
  openProject,
  redo,
  rollBack,
  undo,
  type Project,
} from "../../src/index.ts";
import { withSeed } from "../spec/project.ts";

interface Scene {
  readonly project: Project;
  readonly id: string;
  readonly write: (path: string, text: string) => Promise<void>;
  readonly read: (path: string) => Promise<string>;
  readonly git: (...args: readonly string[]) => Promise<string>;
}

/** With a checkpoint, and `a.txt` and `later.txt` written after it. */
async function withLaterWork(work: (scene: Scene) => Promise<void>): Promise<void> {
  await withSeed(async ({ repo }) => {
    const project = await openProject({ directory: repo.root });
    const write = (path: string, text: string): Promise<void> =>
      writeFile(join(repo.root, path), text);
    try {
      const { checkpoint } = await createCheckpoint(project, { force: true });
      await write("a.txt", "changed\n");
      await write("later.txt", "later\n");
      await work({
        project,
        id: checkpoint.id,
        write,
        read: (path) => readFile(join(repo.root, path), "utf8"),
        git: (...args) => repo.git(...args),
      });
    } finally {
      project.close();
    }
  });
}

describe("rollBack", () => {
  it("goes to a checkpoint by its name; undo and redo take it back", async () => {
    await withLaterWork(async ({ project, id, read }) => {
      const { plan, safety } = await rollBack(project, "latest", { reason: "again" });
      expect(plan.target.id).toBe(id);
      expect(safety.trigger).toBe("pre_rollback");
      expect(existsSync(join(project.workTree.root, "later.txt"))).toBe(false);
      await undo(project);
      expect([await read("a.txt"), await read("later.txt")]).toEqual(["changed\n", "later\n"]);
      await redo(project, { confirm: (_plan, isAsLeft) => isAsLeft });
      expect(await read("a.txt")).not.toBe("changed\n");
    });
  });

  it("an undo that another rollback comes before is refused, and changes nothing", async () => {
    await withLaterWork(async ({ project, id, write, read }) => {
      await rollBack(project, id);
      await write("a.txt", "second\n");
      const overtaken = undo(project, {
        confirm: async () => {
          await rollBack(project, id);
          return true;
        },
      });
      await expect(overtaken).rejects.toMatchObject({ code: "repository_busy" });
      expect(existsSync(join(project.workTree.root, "later.txt"))).toBe(false);
      await undo(project);
      expect(await read("a.txt")).toBe("second\n");
      await undo(project);
      expect([await read("a.txt"), await read("later.txt")]).toEqual(["changed\n", "later\n"]);
    });
  });

  it("two undos at once never take back two rollbacks for one", async () => {
    await withLaterWork(async ({ project, id, write, read }) => {
      await rollBack(project, id);
      await write("a.txt", "second\n");
      await rollBack(project, id);
      const overtaken = undo(project, {
        confirm: async () => {
          await undo(project);
          return true;
        },
      });
      await expect(overtaken).rejects.toMatchObject({ code: "repository_busy" });
      expect(await read("a.txt")).toBe("second\n");
      await undo(project);
      expect(await read("a.txt")).toBe("changed\n");
    });
  });

  it("only says what would happen with dryRun, and asks who wants to be asked", async () => {
    await withLaterWork(async ({ project, id, read }) => {
      const preview = await rollBack(project, id, { dryRun: true });
      expect(preview.plan.files.remove).toHaveLength(1);
      const asked: string[] = [];
      const refused = rollBack(project, id, {
        confirm: ({ target }) => {
          asked.push(target.id);
          return false;
        },
      });
      await expect(refused).rejects.toMatchObject({ code: "cancelled" });
      expect(asked).toEqual([id]);
      expect(await read("a.txt")).toBe("changed\n");
    });
  });

  it("brings back the paths that are named, from the root or absolute", async () => {
    await withLaterWork(async ({ project, id, write, read }) => {
      const { root } = project.workTree;
      await rollBack(project, id, { paths: ["./a.txt"] });
      expect(await read("later.txt")).toBe("later\n");
      expect(await read("a.txt")).not.toBe("changed\n");
      await write("a.txt", "changed\n");
      await rollBack(project, id, { paths: [join(root, "a.txt")] });
      expect(await read("a.txt")).not.toBe("changed\n");
    });
  });

  it.each([
    ["../elsewhere", "is outside the project"],
    ["/etc/passwd", "is outside the project"],
    ["sub/../../x", "is outside the project"],
    [".git/config", "is in the git folder"],
    ["nowhere.txt", "exists neither now nor in the checkpoint"],
  ])("refuses the path %s", async (path, why) => {
    await withLaterWork(async ({ project, id, read }) => {
      const refused = rollBack(project, id, { paths: [path] });
      await expect(refused).rejects.toMatchObject({
        code: "usage",
        message: expect.stringContaining(why) as string,
      });
      expect(await read("a.txt")).toBe("changed\n");
    });
  });

  it.each(["--no-sparse-index", "--sparse-index"])(
    "of some paths leaves another file changed for git that was edited in the second of the index (%s)",
    async (format) => {
      await withLaterWork(async ({ project, id, write, git }) => {
        const { root } = project.workTree;
        const [young, index] = [join(root, "young.txt"), join(root, ".git/index")];
        await git("config", "core.trustctime", "false");
        await git("sparse-checkout", "set", "--cone", format, "nowhere");
        await write("young.txt", "one\n");
        await utimes(young, 1_700_000_000.2, 1_700_000_000.2);
        await git("add", "a.txt", "young.txt");
        await utimes(index, 1_700_000_000.4, 1_700_000_000.4);
        await write("young.txt", "two\n");
        await utimes(young, 1_700_000_000.3, 1_700_000_000.3);
        expect(await git("diff-files", "--name-only")).toContain("young.txt");
        await rollBack(project, id, { paths: ["a.txt"] });
        expect(await git("diff-files", "--name-only")).toContain("young.txt");
      });
    },
  );

  it("refuses what the checkpoint cannot give", async () => {
    await withLaterWork(async ({ project, id }) => {
      for (const options of [
        { stateOnly: true },
        { keepTask: true },
        { stateOnly: true, filesOnly: true },
      ]) {
        await expect(rollBack(project, id, options)).rejects.toMatchObject({ code: "usage" });
      }
      await expect(rollBack(project, "cp-nothing")).rejects.toMatchObject({
        code: "checkpoint_not_found",
      });
    });
  });

  it("lets commits leave their branch only when that is said", async () => {
    await withLaterWork(async ({ project, id, git }) => {
      await git("commit", "-qam", "later");
      const tip = await git("rev-parse", "HEAD");
      await expect(rollBack(project, id)).rejects.toMatchObject({ code: "commits_would_leave" });
      await rollBack(project, id, { keepHead: true });
      expect(await git("rev-parse", "HEAD")).toBe(tip);
      await rollBack(project, id, { discardCommits: true });
      expect(await git("rev-parse", "HEAD")).not.toBe(tip);
    });
  });
});
