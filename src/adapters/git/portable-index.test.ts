import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listIndexEntriesArgs, parseIndexEntries } from "../../../test/support/index-entries.ts";
import { makeDirty, seedRepository } from "../../../test/support/seed-repository.ts";
import type { TempRepository } from "../../../test/support/temp-repository.ts";
import type { HashName } from "./object-hash.ts";
import { portableIndex } from "./portable-index.ts";
import { tempRepository } from "./temp-repository.fixture.ts";

const entries = async (repo: TempRepository) =>
  parseIndexEntries(
    await repo.git(...listIndexEntriesArgs(await readFile(await repo.gitPath("index")))),
  );
const extensions = (bytes: Buffer): string[] =>
  ["TREE", "REUC", "UNTR", "FSMN", "EOIE", "IEOT", "sdir"].filter((name) => bytes.includes(name));

/** Replaces the index by its portable form; returns that. */
async function makePortable(repo: TempRepository, hash: HashName = "sha1"): Promise<Buffer> {
  const path = await repo.gitPath("index");
  const bytes = portableIndex(await readFile(path), hash);
  await writeFile(path, bytes);
  return bytes;
}

describe("a portable index", () => {
  it.each([
    ["sha1", 2],
    ["sha1", 4],
    ["sha256", 2],
    ["sha256", 4],
  ] as const)("has the same entries and flags (%s, version %i)", async (hash, version) => {
    const repo = await tempRepository(`--object-format=${hash}`);
    await seedRepository(repo);
    await makeDirty(repo);
    await repo.git("update-index", "--index-version", String(version));
    await repo.git("update-index", "--assume-unchanged", "b.txt");
    await repo.git("update-index", "--skip-worktree", "run.sh");
    await repo.git("add", "-N", "untracked.txt");
    const before = await entries(repo);
    const status = await repo.git("status", "--porcelain=v2");
    expect(status).not.toBe("");
    await makePortable(repo, hash);
    expect(await entries(repo)).toEqual(before);
    expect(await repo.git("status", "--porcelain=v2")).toBe(status);
    expect(await repo.git("fsck")).toBe("");
  });

  it("keeps conflicts and what git needs to undo a resolution", async () => {
    const repo = await tempRepository();
    for (const [branch, text] of [
      ["main", "base"],
      ["theirs", "theirs"],
      ["main", "ours"],
    ] as const) {
      await repo.tryGit(["switch", "-q", branch]);
      if (text === "theirs") await repo.git("switch", "-q", "-c", branch);
      await repo.write("one", `${text}\n`);
      await repo.write("two", `${text}\n`);
      await repo.git("add", "-A");
      await repo.commit(text);
    }
    await repo.gitStops("merge", "-q", "theirs");
    await repo.git("add", "one");
    const [before, undo] = [await entries(repo), await repo.git("ls-files", "--resolve-undo")];
    expect(before.size).toBe(4);
    const bytes = await makePortable(repo);
    expect(extensions(bytes)).toContain("REUC");
    expect(await entries(repo)).toEqual(before);
    expect(await repo.git("ls-files", "--resolve-undo")).toBe(undo);
  });

  it("says nothing that is only true where it was read", async () => {
    const repo = await tempRepository();
    await seedRepository(repo);
    await repo.git("config", "core.untrackedCache", "true");
    await repo.git("update-index", "--untracked-cache");
    await repo.git("status");
    expect(extensions(await readFile(await repo.gitPath("index")))).toContain("UNTR");
    const bytes = await makePortable(repo);
    expect(extensions(bytes)).toEqual(["TREE"]);
    const debug = await repo.git("ls-files", "--debug");
    expect(debug).toContain("a.txt");
    expect([...debug.matchAll(/(?:mtime|ctime): (\S+)/g)].filter(([, at]) => at !== "0:0")).toEqual(
      [],
    );
    expect(debug).not.toMatch(/(?:ino|uid|size): [1-9]/);
  });

  it("works in another work tree, where files have other time stamps", async () => {
    const repo = await tempRepository();
    await seedRepository(repo);
    await repo.git("worktree", "add", "-q", join(repo.base, "linked"), "-b", "linked");
    const linked = repo.at("linked");
    await repo.write("b.txt", "staged");
    await repo.git("add", "b.txt");
    const bytes = portableIndex(await readFile(await repo.gitPath("index")), "sha1");
    await writeFile(await linked.gitPath("index"), bytes);
    expect(await entries(linked)).toEqual(await entries(repo));
    expect(await linked.git("status", "--porcelain")).toBe("MM b.txt\n");
    await linked.write("a.txt", "alpha\nsecond LINE\n");
    expect(await linked.git("status", "--porcelain")).toBe(" M a.txt\nMM b.txt\n");
  });

  it("keeps the folders of a sparse index", async () => {
    const repo = await tempRepository();
    for (const name of ["in/a", "out/a", "out/b", "root"]) await repo.write(name, name);
    await repo.git("add", "-A");
    await repo.commit("all");
    await repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "in");
    const before = await entries(repo);
    expect([...before.keys()]).toContain("out/");
    expect(extensions(await makePortable(repo))).toContain("sdir");
    expect(await entries(repo)).toEqual(before);
    expect(await repo.git("status", "--porcelain")).toBe("");
  });
});
