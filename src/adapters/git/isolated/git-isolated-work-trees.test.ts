import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openGitProject } from "../../../app.ts";
import { createCheckpoint } from "../../../operations/create-checkpoint.ts";
import {
  isolatedWorkTreesSuite,
  type IsolatedSubject,
} from "../../../ports/isolated-work-trees.suite.ts";
import { TempRepository } from "../../../../test/support/temp-repository.ts";
import { tempRepository } from "../temp-repository.fixture.ts";

async function subject(...initArgs: string[]): Promise<IsolatedSubject & { repo: TempRepository }> {
  const repo = await tempRepository(...initArgs);
  await repo.write("a", "a\n");
  await repo.git("add", "a");
  await repo.commit("a");
  await repo.write("b", "b\n");
  const project = await openGitProject({ directory: repo.root });
  onTestFinished(() => project.close());
  return {
    repo,
    root: repo.root,
    trees: project.isolated,
    checkpoint: async () => (await createCheckpoint(project, {})).checkpoint,
    checkpointAt: async (folder) => {
      const other = await project.openAt(folder);
      try {
        return (await createCheckpoint(other, {})).checkpoint;
      } finally {
        other.close();
      }
    },
    capture: () => project.workTree.capture({ policy: project.policy }),
    write: (folder, name, content) => new TempRepository(repo.base, folder).write(name, content),
    read: (folder, name) => readFile(join(folder, name), "utf8").catch(() => undefined),
    names: async (folder) =>
      (await readdir(folder).catch(() => []))
        .filter((name) => name !== ".git" && name !== ".checkpoints")
        .toSorted(),
  };
}

describe("GitIsolatedWorkTrees", () => {
  isolatedWorkTreesSuite(() => subject());
});

describe("GitIsolatedWorkTrees with SHA-256", () => {
  isolatedWorkTreesSuite(() => subject("--object-format=sha256"));
});

describe("an isolated work tree of git", () => {
  it("has stat data in its index, so that git need not read every file again", async () => {
    const { repo, trees, checkpoint } = await subject();
    const { path } = await trees.make({ checkpoint: await checkpoint(), name: "x" });
    const node = new TempRepository(repo.base, path);
    expect(await node.git("diff-files", "--raw")).toBe("");
    await node.write("a", "b\n");
    expect(await node.git("diff-files", "--name-only")).toBe("a\n");
  });

  it("is locked, so that git does not prune it", async () => {
    const { repo, trees, checkpoint } = await subject();
    const tree = await trees.make({ checkpoint: await checkpoint(), name: "x" });
    const listed = await repo.git("worktree", "list", "--porcelain");
    expect(listed).toContain(`worktree ${tree.path}\n`);
    expect(listed).toContain("locked");
    expect((await repo.tryGit(["worktree", "remove", tree.path])).code).not.toBe(0);
  });

  it("is removed with what a killed git left of it", async () => {
    const { repo, trees, checkpoint } = await subject();
    const tree = await trees.make({ checkpoint: await checkpoint(), name: "x" });
    const known = join(repo.root, ".git/worktrees", tree.id);
    await rm(join(known, "gitdir"));
    await trees.remove(tree);
    expect(await readdir(join(repo.root, ".git/worktrees")).catch(() => [])).toEqual([]);
  });

  it("leaves nothing behind when it cannot be made", async () => {
    const { repo, trees, checkpoint } = await subject();
    const whole = await checkpoint();
    const damaged = {
      ...whole,
      parts: whole.parts.map((part) => ({ ...part, worktree: "0".repeat(40) })),
    };
    await expect(trees.make({ checkpoint: damaged, name: "x" })).rejects.toMatchObject({
      code: "checkpoint_damaged",
    });
    expect((await repo.git("worktree", "list")).trim().split("\n")).toHaveLength(1);
    expect(await readdir(join(repo.root, ".git/waymark/isolated"))).toEqual([]);
  });
});
