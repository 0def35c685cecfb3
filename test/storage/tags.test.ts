/** `git.tags`: checkpoints as annotated tags in the user's own repository. */
import { describe, expect, it } from "vitest";
import { type RuleProject, withDirty } from "../spec/project.ts";

async function tagged({ repo }: RuleProject): Promise<string[]> {
  const names = await repo.git("for-each-ref", "--format=%(refname)", "refs/tags/waymark");
  return names.split("\n").flatMap((name) => (name === "" ? [] : [name.split("/").at(-1) ?? ""]));
}

let takes = 0;

async function take(project: RuleProject, ...args: string[]): Promise<string> {
  await project.repo.write("a.txt", `take ${takes++}\n`);
  return project.create(...args);
}

describe("git.tags", () => {
  it("[R42] milestones: phases, manual and pinned checkpoints, and no others", async () => {
    await withDirty(async (project) => {
      await project.agreeTo("git: {tags: milestones}\n");
      const manual = await take(project, "--name", "one");
      const phase = await take(project, "--phase", "plan", "--trigger", "pre_phase");
      const auto = await take(project, "--trigger", "auto");
      expect((await tagged(project)).toSorted()).toEqual([manual, phase].toSorted());
      await project.ok("pin", auto);
      const pinned = await take(project, "--trigger", "auto", "--pin");
      const all = [manual, phase, auto, pinned];
      expect((await tagged(project)).toSorted()).toEqual(all.toSorted());
      await project.ok("unpin", auto, pinned);
      await project.ok("delete", manual, "--yes");
      await project.ok("delete", phase, "--now", "--yes");
      expect((await tagged(project)).toSorted()).toEqual([auto, pinned].toSorted());
      await project.ok("delete", manual, "--undo");
      expect(await tagged(project)).toContain(manual);
      await project.ok("cleanup", "--keep", "0", "--yes");
      expect(await tagged(project)).toEqual([]);
    });
  });

  it("[R42] all: every checkpoint but safety checkpoints, whole in the user's repository", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      await project.agreeTo("git: {tags: all}\n");
      const first = await take(project, "-m", "first");
      const auto = await take(project, "--trigger", "auto");
      await project.rollBack(first);
      expect((await tagged(project)).toSorted()).toEqual([auto, first].toSorted());
      await repo.git("gc", "-q", "--prune=now");
      await repo.git("clone", "-q", "--mirror", "--no-local", ".", "../mirror.git");
      const mirror = project.at("mirror.git").repo;
      await mirror.git("fsck", "--strict");
      const tag = (await mirror.git("tag", "-l", `*/${first}`)).trim();
      expect(await mirror.git("ls-tree", "-r", "--name-only", `${tag}:worktree`)).toContain(
        "a.txt",
      );
      await project.ok("purge", "a.txt", "--yes");
      expect(await tagged(project)).toEqual([]);
    });
  });
});
