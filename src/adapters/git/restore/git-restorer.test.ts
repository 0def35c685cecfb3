import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openGitProject } from "../../../app.ts";
import { createCheckpoint } from "../../../operations/create-checkpoint.ts";
import { planRollback } from "../../../operations/plan-rollback.ts";
import { openedRepository, tempRepository } from "../temp-repository.fixture.ts";
import { GitRestorer } from "./git-restorer.ts";

async function restorer() {
  const { repository, reader } = await openedRepository();
  return { repository, restorer: new GitRestorer(repository, reader) };
}

describe("the activity of a restorer", () => {
  it("changes while a rollback runs, and with one that began and ended in between", async () => {
    const { restorer: own } = await restorer();
    const before = own.activity();
    const restore = await own.begin("rb-1", "cp-1");
    const during = own.activity();
    await restore.takeBack();
    const after = own.activity();
    expect(new Set([before, during, after]).size).toBe(3);
    const again = await own.begin("rb-2", "cp-1");
    await again.takeBack();
    expect(own.activity()).not.toBe(after);
  });

  it("does not change when files that an old rollback had moved away are swept", async () => {
    const { repository, restorer: own } = await restorer();
    const kept = join(repository.privateDir, "restore", "kept-rb-0");
    mkdirSync(kept, { recursive: true });
    const before = own.activity();
    rmSync(kept, { recursive: true });
    expect(own.activity()).toBe(before);
  });
});

describe("a rollback that is taken back", () => {
  it("leaves an empty folder that was there, and that git ignores by now", async () => {
    const repo = await tempRepository();
    const folder = join(repo.root, "dir", "deep");
    mkdirSync(folder, { recursive: true });
    await repo.write("a", "a\n");
    const project = await openGitProject({ directory: repo.root });
    onTestFinished(() => project.close());
    const { checkpoint: target } = await createCheckpoint(project, { force: true });
    await repo.write(".gitignore", "dir/\n");
    const scope = { filesOnly: false, keepHead: false, paths: null };
    const { plan, capture } = await planRollback(project, target, scope);
    const { checkpoint: safety } = await createCheckpoint(project, { force: true });
    const restore = await project.restorer.begin("rb-1", target.id);
    await restore.prepare({
      rollbackId: "rb-1",
      target,
      before: capture,
      files: plan.files,
      head: null,
      refs: [],
      index: { kind: "none" },
      operation: false,
      parts: [],
      partPaths: null,
    });
    await restore.apply(safety);
    expect(existsSync(join(repo.root, ".gitignore"))).toBe(false);
    await restore.takeBack();
    expect(existsSync(join(repo.root, ".gitignore"))).toBe(true);
    expect(existsSync(folder)).toBe(true);
  });
});
