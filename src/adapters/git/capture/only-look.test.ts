import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY } from "../../../domain/capture-policy.ts";
import type { CaptureOptions } from "../../../ports/work-tree.ts";
import { GitCapture } from "../git-capture.ts";
import { GitWorkTree } from "../git-work-tree.ts";
import { openedRepository } from "../temp-repository.fixture.ts";

const OPTIONS: CaptureOptions = { policy: DEFAULT_POLICY };

describe("a capture that is only looked at", () => {
  it("is the same moment, stores nothing, and cannot become a checkpoint", async () => {
    const { repo, repository, reader } = await openedRepository();
    await repo.write("tracked", "one");
    await repo.git("add", "-A");
    await repo.commit("one");
    await repo.write("tracked", "two");
    await repo.write("staged", randomBytes(9_000_000).toString("latin1"));
    await repo.git("add", "staged");
    await repo.write("untracked", randomBytes(9_000_000).toString("latin1"));
    const workTree = new GitWorkTree(repository, reader);
    const stored = await workTree.capture(OPTIONS);
    const looked = await workTree.capture({ ...OPTIONS, onlyLook: true });
    if (!(looked instanceof GitCapture) || !(stored instanceof GitCapture))
      throw new Error("no git");
    expect([looked.sameness, looked.contentHash]).toEqual([stored.sameness, stored.contentHash]);
    expect([looked.raw.spool.count, stored.raw.spool.count > 3]).toEqual([0, true]);
    expect(() => looked.raw.spool.finish(true)).toThrow("nothing is stored here");
    stored.discard();
    looked.discard();
  });
});
