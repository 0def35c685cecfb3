import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openAt, openedRepository } from "./temp-repository.fixture.ts";
import { otherWorkTrees, recordedWorkTrees } from "./work-tree-roots.ts";

async function withLinked() {
  const { repo, repository } = await openedRepository();
  await repo.commit("base");
  const side = join(repo.base, "side");
  await repo.git("worktree", "add", "-q", "--detach", side);
  return { repo, repository, side };
}

const seenFrom = async (folder: string): Promise<string[]> =>
  otherWorkTrees((await openAt(folder)).repository);

describe("otherWorkTrees", () => {
  it("are linked ones and the main one, without the one that asks", async () => {
    const { repo, repository, side } = await withLinked();
    expect(otherWorkTrees(repository)).toEqual([side]);
    expect(await seenFrom(side)).toEqual([repo.root]);
  });

  it("are not what has come to the place of one", async () => {
    const { repo, repository, side } = await withLinked();
    rmSync(side, { recursive: true });
    expect(otherWorkTrees(repository)).toEqual([]);
    mkdirSync(side);
    expect(otherWorkTrees(repository)).toEqual([]);
    await repo.at("side").git("init", "-q");
    expect(otherWorkTrees(repository)).toEqual([]);
  });

  it("are not a linked one of another repository in the place of ours", async () => {
    const { repo, repository, side } = await withLinked();
    rmSync(side, { recursive: true });
    mkdirSync(join(repo.base, "stranger"));
    const stranger = repo.at("stranger");
    await stranger.git("init", "-q");
    await stranger.git("commit", "-q", "--allow-empty", "-m", "base");
    await stranger.git("worktree", "add", "-q", "--detach", side);
    expect(otherWorkTrees(repository)).toEqual([]);
  });

  it("are not those of the repository that this one is a copy of", async () => {
    const { repo, side } = await withLinked();
    const copy = join(repo.base, "copy");
    cpSync(repo.root, copy, { recursive: true });
    expect(await seenFrom(copy)).toEqual([]);
    expect(await seenFrom(side)).toEqual([repo.root]);
  });

  it("may be named by relative paths, and reached through links", async () => {
    const { repo, repository, side } = await withLinked();
    const own = join(repository.commonDir, "worktrees", "side");
    await writeFile(join(own, "gitdir"), "../../../../side/.git\n");
    await writeFile(join(side, ".git"), "gitdir: ../project/.git/worktrees/side\n");
    expect(otherWorkTrees(repository)).toEqual([side]);
    expect(recordedWorkTrees(repository)).toEqual([side]);
    expect(await seenFrom(side)).toEqual([repo.root]);
    symlinkSync(repo.root, join(repo.base, "by-link"));
    await writeFile(join(side, ".git"), `gitdir: ${repo.base}/by-link/.git/worktrees/side\n`);
    expect(otherWorkTrees(repository)).toEqual([side]);
  });

  it("have a main one only where its git folder is there", async () => {
    const { repo, side } = await withLinked();
    await repo.git("init", "-q", "--bare", join(repo.base, "bare/.git"));
    const bare = repo.at("bare/.git");
    await bare.git("fetch", "-q", repo.root, "HEAD:refs/heads/kept");
    await bare.git("worktree", "add", "-q", join(repo.base, "of-bare"), "kept");
    expect(await seenFrom(join(repo.base, "of-bare"))).toEqual([join(repo.base, "bare")]);
    // As with `git init --separate-git-dir`: the main tree has a file that names the folder, and linked ones do not know of it.
    const apart = join(repo.base, "apart.git");
    renameSync(join(repo.root, ".git"), apart);
    await writeFile(join(repo.root, ".git"), `gitdir: ${apart}\n`);
    await repo.git("worktree", "repair", side);
    expect(await readFile(join(side, ".git"), "utf8")).toContain(apart);
    expect(await seenFrom(repo.root)).toEqual([side]);
    expect(await seenFrom(side)).toEqual([]);
  });
});

describe("recordedWorkTrees", () => {
  it("are also those that name the place where the repository was", async () => {
    const { repo, side } = await withLinked();
    const moved = join(repo.base, "moved");
    renameSync(repo.root, moved);
    const { repository } = await openAt(moved);
    expect(otherWorkTrees(repository)).toEqual([]);
    expect(recordedWorkTrees(repository)).toEqual([side]);
  });
});
