import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openedRepository } from "../temp-repository.fixture.ts";
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
