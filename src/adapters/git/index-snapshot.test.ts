import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TempRepository } from "../../../test/support/temp-repository.ts";
import { IndexFile } from "./index-file.ts";
import { indexIdentity, readIndex, withIndexCopy } from "./index-snapshot.ts";
import { openedRepository } from "./temp-repository.fixture.ts";

async function gitPaths(repo: TempRepository): Promise<string[]> {
  return (await repo.git("ls-files", "-s", "-z")).split("\0").filter(Boolean);
}

function pathsOf(index: IndexFile | undefined): string[] {
  return Array.from({ length: index?.length ?? 0 }, (_, entry) => {
    const mode = index?.mode(entry).toString(8).padStart(6, "0");
    return `${mode} ${index?.oid(entry)} ${index?.stage(entry)}\t${index?.path(entry)}`;
  });
}

describe("readIndex", () => {
  it("says that there is none in a new repository", async () => {
    const { repository } = await openedRepository();
    expect(await readIndex(repository)).toEqual({
      index: undefined,
      mtimeNs: 0n,
      identity: "none",
    });
    expect(indexIdentity(repository)).toBe("none");
  });

  it("reads the index and when it was written, and does not touch it", async () => {
    const { repo, repository } = await openedRepository();
    await repo.write("a", "a");
    await repo.git("add", "-A");
    const path = join(repo.root, ".git/index");
    const [before, bytes] = [await stat(path, { bigint: true }), await readFile(path)];
    const snapshot = await readIndex(repository);
    expect(pathsOf(snapshot.index)).toEqual(await gitPaths(repo));
    expect(snapshot.mtimeNs).toBe(before.mtimeNs);
    expect(snapshot.identity).toBe(indexIdentity(repository));
    expect(await readFile(path)).toEqual(bytes);
    await repo.write("b", "b");
    await repo.git("add", "-A");
    expect(indexIdentity(repository)).not.toBe(snapshot.identity);
  });

  it.each(["as the user left it", "always"])("joins an index that is split %s", async (when) => {
    const { repo, repository } = await openedRepository();
    for (let at = 0; at < 30; at++) await repo.write(`dir/${at}`, String(at));
    await repo.git("add", "-A");
    if (when === "always") await repo.git("config", "core.splitIndex", "true");
    await repo.git("config", "splitIndex.maxPercentChange", "100");
    await repo.git("update-index", "--split-index");
    await repo.write("new", "new");
    await repo.write("dir/3", "edited");
    await repo.git("add", "-A");
    await repo.git("rm", "-q", "--cached", "dir/7");
    await repo.git("update-index", "--skip-worktree", "dir/9");
    const path = join(repo.root, ".git/index");
    const bytes = await readFile(path);
    expect(new IndexFile(bytes, "sha1").isSplit).toBe(true);
    const { index } = await readIndex(repository);
    expect(pathsOf(index)).toEqual(await gitPaths(repo));
    expect(index?.isSplit).toBe(false);
    expect(index?.special.map((entry) => index.path(entry))).toEqual(["dir/9"]);
    expect(await readFile(path)).toEqual(bytes);
  });

  it("reads an index that was split once and no longer is", async () => {
    const { repo, repository } = await openedRepository();
    await repo.write("a", "a");
    await repo.git("add", "-A");
    await repo.git("update-index", "--split-index");
    await repo.git("update-index", "--no-split-index");
    expect(pathsOf((await readIndex(repository)).index)).toEqual(await gitPaths(repo));
  });
});

describe("withIndexCopy", () => {
  it("gives git a copy, and leaves neither the copy nor its lock behind", async () => {
    const { repo, repository } = await openedRepository();
    await repo.write("a", "a");
    await repo.git("add", "-A");
    let copy = "";
    await withIndexCopy(repository, async (path) => {
      copy = path;
      expect(await readFile(path)).toEqual(await readFile(join(repo.root, ".git/index")));
    });
    await expect(stat(copy)).rejects.toThrow("ENOENT");
    const failing = withIndexCopy(repository, () => Promise.reject(new Error("stop")));
    await expect(failing).rejects.toThrow("stop");
  });
});
