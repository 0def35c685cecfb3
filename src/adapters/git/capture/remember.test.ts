import { statSync, utimesSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { asBytePath } from "../../../domain/byte-path.ts";
import { DEFAULT_POLICY } from "../../../domain/capture-policy.ts";
import { draftOf } from "../../../ports/checkpoint-store.suite.ts";
import { loadCache } from "../capture-cache.ts";
import { GitCheckpointStore } from "../git-checkpoint-store.ts";
import { GitWorkTree } from "../git-work-tree.ts";
import { indexIdentity } from "../index-snapshot.ts";
import { openedRepository } from "../temp-repository.fixture.ts";

/** A repository with a file, and one checkpoint of it, after a while. */
async function withCheckpoint(whileMs = 0) {
  const opened = await openedRepository();
  const { repo, repository, reader } = opened;
  await repo.write("file", "one");
  if (whileMs > 0) await repo.settle("file");
  await repo.git("add", "-A");
  await repo.commit("a commit");
  await setTimeout(whileMs);
  const workTree = new GitWorkTree(repository, reader);
  const store = new GitCheckpointStore(repository, reader);
  await store.publish(draftOf("cp-1", await workTree.capture({ policy: DEFAULT_POLICY })));
  const look = async (): Promise<string> => {
    const capture = await workTree.capture({ policy: DEFAULT_POLICY });
    workTree.remember(capture);
    capture.discard();
    return capture.part.worktree;
  };
  return { ...opened, workTree, store, look };
}

describe("a capture that is not published", () => {
  it("makes an index known that git wrote anew, so that it is not gone through each time", async () => {
    const { repo, repository, reader, look } = await withCheckpoint();
    const before = loadCache(repository);
    utimesSync(repo.path("file"), 1_700_000_000, 1_700_000_000);
    await repo.git("status");
    expect(indexIdentity(repository)).not.toBe(before.pathsIdentity);
    await look();
    const after = loadCache(repository);
    expect(after.pathsIdentity).toBe(indexIdentity(repository));
    expect(after.examined?.identity).toMatch(indexIdentity(repository));
    expect([after.checkpoint, [...after.held]]).toEqual([before.checkpoint, [...before.held]]);
    reader.close();
  });

  it("leaves trees behind only when the last checkpoint holds all of them", async () => {
    const { repo, repository, reader, look } = await withCheckpoint();
    await look();
    expect(loadCache(repository).trees?.key).toBeDefined();
    await repo.write("new", "not in any checkpoint");
    await look();
    expect(loadCache(repository).trees).toBeUndefined();
    reader.close();
  });
});

describe("[R11] trees that are known", () => {
  it("are made again when the checkpoint that held them is gone", async () => {
    const { repo, repository, reader, workTree, store, look } = await withCheckpoint();
    await repo.write("folder/new", "only in checkpoints");
    await store.publish(draftOf("cp-2", await workTree.capture({ policy: DEFAULT_POLICY })));
    const tree = await look();
    expect(loadCache(repository).trees?.worktree).toBe(tree);
    await store.remove(["cp-2"]);
    await repo.git("gc", "-q", "--prune=now");
    const again = draftOf("cp-3", await workTree.capture({ policy: DEFAULT_POLICY }));
    expect(await store.publish(again)).toEqual({ kind: "published" });
    expect(await repo.git("fsck", "--connectivity-only")).not.toMatch("missing");
    expect((await repo.store("ls-tree", "-r", tree)).split("\n")).toHaveLength(3);
    const verdicts = await store.verify();
    expect(verdicts.map(({ id, problems }) => [id, problems])).toEqual([
      ["cp-1", []],
      ["cp-3", []],
    ]);
    reader.close();
  });

  it("are not believed after a commit, a change of a file or of the index", async () => {
    const { repo, repository, reader, look } = await withCheckpoint();
    const keys = new Set<string | undefined>();
    const key = async (): Promise<void> => {
      await look();
      keys.add(loadCache(repository).trees?.key);
    };
    await key();
    await repo.write("file", "two");
    expect(await look()).not.toBe(loadCache(repository).trees?.worktree);
    await repo.git("add", "file");
    await repo.write("file", "one");
    expect(await look()).toBe((await repo.git("rev-parse", "HEAD^{tree}")).trim());
    await repo.git("commit", "-q", "-m", "another");
    await key();
    expect(keys.size).toBe(2);
    reader.close();
  });
});

describe("[R20] the mode of a clean file", () => {
  it("is held when the default modes are others than those of the last checkpoint", async () => {
    // So long after its last change that it is not looked at again for that alone.
    const { repo, reader, workTree } = await withCheckpoint(2100);
    const mask = process.umask(0o077);
    try {
      const capture = await workTree.capture({ policy: DEFAULT_POLICY });
      capture.discard();
      const mode = statSync(repo.path("file")).mode & 0o777;
      const held = capture.details.modes.get(asBytePath("file")) ?? capture.details.defaults.plain;
      expect(held).toBe(mode);
    } finally {
      process.umask(mask);
    }
    reader.close();
  });
});
