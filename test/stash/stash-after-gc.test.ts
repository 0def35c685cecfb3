/** `waymark stash` of checkpoints whose objects are only in the store. */
import { describe, expect, it } from "vitest";
import { type RuleProject, withDirty } from "../spec/project.ts";
import { items, text } from "../support/json.ts";

async function expire({ repo }: RuleProject): Promise<void> {
  await repo.git("reflog", "expire", "--expire=now", "--all");
  await repo.git("gc", "-q", "--prune=now");
}

async function cleanTree({ repo }: RuleProject): Promise<void> {
  await repo.git("reset", "-q", "--hard");
  await repo.git("clean", "-qfd");
}

/** The index and the status of every file. */
async function state({ repo }: RuleProject): Promise<string> {
  return (await repo.git("ls-files", "--stage")) + (await repo.git("status", "--porcelain"));
}

describe("[R41] waymark stash after git has pruned everything", () => {
  it.each([
    ["of a store that borrows", false],
    ["of a store that owns its objects", true],
  ])("brings objects %s into the repository, where they stay", async (_, isOwned) => {
    await withDirty(async (project) => {
      const { repo } = project;
      await repo.write("staged only.txt", "staged\n");
      await repo.git("add", "staged only.txt");
      await repo.write("staged only.txt", "changed after that\n");
      await repo.write("untracked/deep.txt", "untracked\n");
      const id = await project.create();
      if (isOwned) await project.ok("store", "own");
      const before = await state(project);
      const staged = (await repo.git("rev-parse", ":staged only.txt")).trim();
      await cleanTree(project);
      await expire(project);
      expect((await repo.tryGit(["cat-file", "-e", staged])).code).not.toBe(0);
      const { json } = await project.ok("stash", id);
      expect(items(json, "not_exact")).toEqual([]);
      await repo.git("fsck", "--strict", "--no-dangling");
      await repo.git("gc", "-q", "--prune=now");
      await repo.git("stash", "apply", "-q", "--index");
      expect(await state(project)).toBe(before);
      expect(await repo.git("show", ":staged only.txt")).toBe("staged\n");
    });
  });

  it("brings the commit that it builds on, where the user has dropped that", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      await project.create();
      await repo.git("add", "-A");
      const dropped = await repo.commit("to be dropped");
      await repo.write("a.txt", "on the dropped commit\n");
      const id = await project.create();
      await repo.git("reset", "-q", "--hard", "HEAD~1");
      await project.create();
      await expire(project);
      expect((await repo.tryGit(["cat-file", "-e", dropped])).code).not.toBe(0);
      const { json } = await project.ok("stash", id);
      await repo.git("gc", "-q", "--prune=now");
      await repo.git("fsck", "--strict", "--no-dangling");
      expect((await repo.git("rev-parse", `${text(json, "stash_commit")}^1`)).trim()).toBe(dropped);
      expect(await repo.git("show", "stash@{0}:a.txt")).toBe("on the dropped commit\n");
    });
  });
});
