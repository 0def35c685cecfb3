import { describe, expect, it } from "vitest";
import type { TempRepository } from "../../../test/support/temp-repository.ts";
import { GitBranches } from "./git-branches.ts";
import { openAt, tempRepository } from "./temp-repository.fixture.ts";

/** `base.txt` differs on `main` and `feature`; `part` is on the way to `feature`. */
async function twoBranches(): Promise<{ main: TempRepository; linked: TempRepository }> {
  const main = await tempRepository();
  const commit = async (content: string) => {
    await main.write("base.txt", content);
    await main.git("add", "-A");
    await main.git("commit", "-q", "-m", content);
  };
  await commit("base\n");
  await main.git("checkout", "-q", "-b", "feature");
  await commit("part\n");
  await main.git("branch", "part");
  await commit("feature\n");
  await main.git("checkout", "-q", "main");
  await commit("main\n");
  await main.git("worktree", "add", "-q", "../linked", "feature");
  return { main, linked: main.at("linked") };
}

async function useOf(repo: TempRepository, branch: string): Promise<unknown> {
  const { repository } = await openAt(repo.root);
  return new GitBranches(repository).inUseElsewhere(`refs/heads/${branch}`);
}

const OPERATIONS = [
  ["a rebase", ["rebase", "main"], "being rebased"],
  ["a rebase by patches", ["rebase", "--apply", "main"], "being rebased"],
  ["a bisect", ["bisect", "start", "HEAD", "HEAD~2"], "being bisected"],
] as const;

describe("branches that another work tree uses", () => {
  it("are those that are checked out there, and no others", async () => {
    const { main, linked } = await twoBranches();
    expect(await useOf(main, "feature")).toEqual({ folder: linked.root, use: "checked out" });
    expect(await useOf(linked, "main")).toEqual({ folder: main.root, use: "checked out" });
    expect(await useOf(main, "main")).toBeUndefined();
    expect(await useOf(main, "part")).toBeUndefined();
  });

  it.each(OPERATIONS)("are those of %s in a linked one", async (_name, args, use) => {
    const { main, linked } = await twoBranches();
    await linked.tryGit(args);
    expect(await useOf(main, "feature")).toEqual({ folder: linked.root, use });
    expect(await useOf(main, "part")).toBeUndefined();
    expect(await useOf(linked, "feature")).toBeUndefined();
  });

  it.each(OPERATIONS)("are those of %s in the main one", async (_name, args, use) => {
    const { main, linked } = await twoBranches();
    await linked.git("checkout", "-q", "--detach");
    await main.git("checkout", "-q", "feature");
    await main.tryGit(args);
    expect(await useOf(linked, "feature")).toEqual({ folder: main.root, use });
    expect(await useOf(main, "feature")).toBeUndefined();
  });

  it("are those that a rebase moves on its way", async () => {
    const { main, linked } = await twoBranches();
    await linked.gitStops("rebase", "--update-refs", "main");
    expect(await useOf(main, "part")).toEqual({ folder: linked.root, use: "being rebased" });
  });
});
