import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openRepository, type Repository } from "./repository.ts";
import { openedRepository, type OpenedRepository } from "./temp-repository.fixture.ts";
import { keepWorkTreeId } from "./work-tree-id.ts";

async function withCommit(): Promise<OpenedRepository & { readonly add: typeof addTree }> {
  const opened = await openedRepository();
  await opened.repo.git("commit", "-q", "--allow-empty", "-m", "first");
  return { ...opened, add: addTree };
}

async function addTree({ repo }: Pick<OpenedRepository, "repo">): Promise<Repository> {
  await repo.git("worktree", "add", "-q", "--detach", join(repo.base, "agent"));
  return openRepository(join(repo.base, "agent"));
}

describe("the id of a work tree", () => {
  it("is main, or the name with a digest", async () => {
    const { repo, repository, add } = await withCommit();
    const linked = await add({ repo });
    expect(repository.worktreeId).toBe("main");
    expect(linked.worktreeId).toMatch(/^agent-[0-9a-f]{6}$/);
    expect((await openRepository(linked.workTree)).worktreeId).toBe(linked.worktreeId);
    expect(existsSync(linked.privateDir)).toBe(false);
  });

  it("is another one for a work tree that got the name of a removed one", async () => {
    const { repo, add } = await withCommit();
    const first = await add({ repo });
    keepWorkTreeId(first, false);
    await repo.git("worktree", "remove", "--force", first.workTree);
    const second = await add({ repo });
    expect(second.gitDir).toBe(first.gitDir);
    expect(second.worktreeId).not.toBe(first.worktreeId);
  });

  it("stays when the work tree is moved, and when its git folder is copied", async () => {
    const { repo, add } = await withCommit();
    const { worktreeId, workTree, gitDir, privateDir } = await add({ repo });
    keepWorkTreeId({ worktreeId, privateDir }, true);
    const place = join(repo.base, "elsewhere");
    await repo.git("worktree", "move", workTree, place);
    rmSync(join(gitDir, "commondir"));
    writeFileSync(join(gitDir, "commondir"), "../..\n");
    expect((await openRepository(place)).worktreeId).toBe(worktreeId);
  });

  it("is the name alone where that was the id of earlier checkpoints", async () => {
    const { repo, add } = await withCommit();
    const { workTree, privateDir } = await add({ repo });
    mkdirSync(privateDir);
    writeFileSync(join(privateDir, "config-cache.json"), "{}");
    expect((await openRepository(workTree)).worktreeId).not.toBe("agent");
    writeFileSync(join(privateDir, "latest.json"), "{}");
    const opened = await openRepository(workTree);
    expect(opened.worktreeId).toBe("agent");
    keepWorkTreeId(opened, true);
    rmSync(join(privateDir, "latest.json"));
    expect((await openRepository(workTree)).worktreeId).toBe("agent");
  });
});
