import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY } from "../../../domain/capture-policy.ts";
import { draftOf } from "../../../ports/checkpoint-store.suite.ts";
import { loadCache } from "../capture-cache.ts";
import { GitCheckpointStore } from "../git-checkpoint-store.ts";
import { GitWorkTree } from "../git-work-tree.ts";
import { openedRepository } from "../temp-repository.fixture.ts";

const FILES = ["a/b/one", "a/b/two", "a/c/one", "d/one", "d/e/f/one", "root"];

/** A repository in which something is staged and something is not, so that there are trees that HEAD has not. */
async function scene() {
  const opened = await openedRepository();
  const { repo, repository, reader } = opened;
  for (const file of FILES) await repo.write(file, `first ${file}`);
  await repo.git("add", "-A");
  await repo.commit("a commit");
  await repo.write("a/c/one", "staged");
  await repo.write("a/b/one", "changed");
  await repo.write("d/new/one", "untracked");
  await repo.git("add", "a/c/one");
  const workTree = new GitWorkTree(repository, reader);
  const store = new GitCheckpointStore(repository, reader);
  const take = () => workTree.capture({ policy: DEFAULT_POLICY });
  let number = 0;
  const checkpoint = async (): Promise<string> => {
    const id = `cp-${++number}`;
    expect(await store.publish(draftOf(id, await take()))).toEqual({ kind: "published" });
    return id;
  };
  /** What it is for somebody who knows nothing. */
  const forget = () => rmSync(join(repository.privateDir, "capture-cache.json"), { force: true });
  const trees = async () => {
    const capture = await take();
    const { worktree, index } = capture.part;
    const { stats } = capture.git;
    capture.discard();
    return { worktree, index, stats };
  };
  return { ...opened, store, checkpoint, forget, trees };
}

type Step = (given: Awaited<ReturnType<typeof scene>>) => Promise<unknown>;

const STEPS: Readonly<Record<string, Step>> = {
  "nothing changes": () => Promise.resolve(),
  "a file beside a changed one changes": ({ repo }) => repo.write("a/b/two", "now too"),
  "a changed file changes again": ({ repo }) => repo.write("a/b/one", "again"),
  "a changed file is as it was": ({ repo }) => repo.write("a/b/one", "first a/b/one"),
  "a file in another folder changes": ({ repo }) => repo.write("d/e/f/one", "changed"),
  "a folder goes": ({ repo }) => repo.remove("d/e"),
  "a file takes the place of a folder": async ({ repo }) => {
    await repo.remove("d/new");
    await repo.write("d/new", "a file");
  },
  "what was changed is staged": ({ repo }) => repo.git("add", "a/b/one"),
  "what was staged is not any more": ({ repo }) => repo.git("reset", "-q"),
  "what was staged is committed": ({ repo }) =>
    repo.git("commit", "-q", "--allow-empty", "-m", "second"),
};

describe("[R11] trees of which a part is known", () => {
  it.each(Object.keys(STEPS))("are those that all of it gives, when %s", async (name) => {
    const given = await scene();
    await given.checkpoint();
    await STEPS[name]?.(given);
    const found = await given.trees();
    given.forget();
    expect(found).toEqual(await given.trees());
    given.reader.close();
  });

  it("are used where only another folder changed", async () => {
    const { repo, repository, reader, checkpoint } = await scene();
    await checkpoint();
    const before = loadCache(repository).trees;
    await repo.write("d/e/f/one", "changed");
    await checkpoint();
    const after = loadCache(repository).trees;
    expect(after?.base).toEqual(before?.base);
    const folderOf = (trees: typeof after, folder: string) =>
      trees?.folders.find(([name]) => name === folder);
    expect(folderOf(before, "a/b")).toBeDefined();
    expect(folderOf(after, "a/b")).toEqual(folderOf(before, "a/b"));
    expect(folderOf(after, "d")).not.toEqual(folderOf(before, "d"));
    reader.close();
  });

  it("are all held by each checkpoint, also when those before it are gone", async () => {
    const given = await scene();
    const { repo, store, reader, checkpoint } = given;
    let last = await checkpoint();
    for (const step of Object.values(STEPS)) {
      await step(given);
      const id = await checkpoint();
      await store.remove([last]);
      await repo.git("gc", "-q", "--prune=now");
      const verdicts = await store.verify();
      expect(verdicts.map(({ id, problems }) => [id, problems])).toEqual([[id, []]]);
      last = id;
    }
    reader.close();
  });
});
