/** `waymark stash`: what git's own `stash apply --index` makes of the entry. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RuleProject, withDirty, withSeed } from "../spec/project.ts";
import { expectExit } from "../support/cli.ts";
import { strictDifferences } from "../support/fingerprint-diff.ts";
import { type Fingerprint, takeFingerprint } from "../support/fingerprint.ts";
import { field, items, text } from "../support/json.ts";
import { type TempRepository, withTempRepository } from "../support/temp-repository.ts";

/** All that a stash entry can hold: content, kind and executable bit of files, and the index. */
async function stashable(repo: TempRepository) {
  const { paths, git } = await takeFingerprint(repo);
  return {
    files: [...paths]
      .filter(([, entry]) => entry.type !== "folder")
      .map(([key, entry]) => [key, entry.type, (entry.mode & 0o100) !== 0, entry.content]),
    index: git?.index,
    status: git?.status.filter((line) => !line.startsWith("# stash")),
  };
}

async function cleanTree(repo: TempRepository): Promise<void> {
  await repo.git("reset", "-q", "--hard");
  await repo.git("clean", "-qfd");
}

/** Everything but the stash, its objects and its reflog is as it was. */
function onlyTheStash(after: Fingerprint, before: Fingerprint): string[] {
  return strictDifferences(after, before).filter(
    (line) => !/refs\/stash|^stash:|logs\/refs\/stash|# stash|^objects: has/.test(line),
  );
}

async function stash(project: RuleProject, id: string, ...args: string[]): Promise<unknown> {
  return (await project.ok("stash", id, ...args)).json;
}

/** Takes a checkpoint, cleans the tree, applies the entry, and compares. */
async function expectExact(project: RuleProject): Promise<void> {
  const { repo } = project;
  const id = await project.create();
  const expected = await stashable(repo);
  const result = await stash(project, id);
  expect(items(result, "not_exact")).toEqual([]);
  await cleanTree(repo);
  await repo.git("stash", "apply", "-q", "--index");
  expect(await stashable(repo)).toEqual(expected);
}

describe("waymark stash", () => {
  it("[R41] makes an entry that brings staged, unstaged and untracked changes back", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      const id = await project.create("-m", "half done");
      const before = await takeFingerprint(repo);
      const result = await stash(project, id);
      expect(result).toMatchObject({
        kind: "stash",
        checkpoint_id: id,
        message: `waymark ${id}: half done`,
        not_exact: [],
      });
      expect(onlyTheStash(await takeFingerprint(repo), before)).toEqual([]);
      expect(await repo.git("stash", "list")).toBe(
        `stash@{0}: On main: waymark ${id}: half done\n`,
      );
      expect((await repo.git("rev-parse", "stash@{0}")).trim()).toBe(text(result, "stash_commit"));
      const expected = await stashable(repo);
      await cleanTree(repo);
      await repo.git("stash", "apply", "-q", "--index");
      expect(await stashable(repo)).toEqual(expected);
      await repo.git("stash", "drop", "-q");
      await repo.git("fsck", "--strict", "--no-dangling");
    });
  });

  it("[R41] puts it before the entries of the user, with the message that was given", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      const id = await project.create();
      await repo.git("stash", "push", "-q", "-u", "-m", "the user's");
      await stash(project, id, "-m", "two\nlines");
      expect((await repo.git("stash", "list", "--format=%gs")).split("\n")).toEqual([
        "On main: two lines",
        "On main: the user's",
        "",
      ]);
    });
  });

  it.each<[string, (repo: TempRepository) => Promise<unknown>]>([
    ["only staged changes", (repo) => repo.write("a.txt", "x\n").then(() => repo.git("add", "-A"))],
    ["only unstaged changes", (repo) => repo.write("a.txt", "x\n")],
    ["only untracked files", (repo) => repo.write("new/deep/file", "x\n")],
    ["a file that is staged and deleted on disk", stagedAndDeleted],
    [
      "a file that the index no longer has and the disk does",
      (repo) => repo.git("rm", "-q", "--cached", "b.txt"),
    ],
    ["links and modes", linksAndModes],
    ["odd names", oddNames],
    ["a rename with a change", renamed],
    [
      "a detached HEAD",
      (repo) => repo.git("checkout", "-q", "--detach").then(() => repo.write("a.txt", "x\n")),
    ],
    ["line ends that git converts", lineEnds],
  ])("[R41] is exact for %s", async (_, prepare) => {
    await withSeed(async (project) => {
      await prepare(project.repo);
      await expectExact(project);
    });
  });

  it("[R41] is exact where a file took the place of a folder, or a folder that of a file, beside something staged", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("staged.txt", "staged\n");
      await repo.git("add", "staged.txt");
      await repo.remove("b.txt");
      await repo.write("b.txt/inside", "x\n");
      await repo.remove("dir");
      await repo.write("dir", "now a file\n");
      await expectExact(project);
    });
  });

  it("[R41] names files with a filter, runs none, and keeps what the index has of them", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const fired = join(repo.base, "fired");
      await repo.git("config", "filter.f.clean", `touch '${fired}'; cat`);
      await repo.git("config", "filter.f.smudge", `touch '${fired}'; cat`);
      await repo.write(".gitattributes", "*.big filter=f\n");
      await repo.write("one.big", "first\n");
      await repo.git("add", "-A");
      await repo.commit("with a filter");
      await repo.write("one.big", "changed\n");
      await repo.write("two.big", "untracked\n");
      await repo.write("a.txt", "plain\n");
      await repo.remove("../fired");
      const id = await project.create();
      const result = await stash(project, id);
      expect(items(result, "not_exact")).toEqual(["one.big", "two.big"]);
      await expect(readFile(fired)).rejects.toThrow("ENOENT");
      expect(await repo.git("cat-file", "blob", "stash@{0}:one.big")).toBe("first\n");
      expect(await repo.git("cat-file", "blob", "stash@{0}^3:two.big")).toBe("untracked\n");
      expect(await repo.git("cat-file", "blob", "stash@{0}:a.txt")).toBe("plain\n");
    });
  });

  it("[R41] names line ends that git would not bring back", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write(".gitattributes", "*.txt text eol=lf\n");
      await repo.git("add", "-A");
      await repo.commit("attributes");
      await repo.write("crlf.txt", "one\r\ntwo\r\n");
      await repo.write("b.txt", "edited\r\n");
      await repo.write("fine.txt", "edited\n");
      const result = await stash(project, await project.create());
      expect(items(result, "not_exact")).toEqual(["b.txt", "crlf.txt"]);
    });
  });

  it("[R41] deletes nothing that the checkpoint knows nothing about", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.git("rm", "-q", "--cached", "run.sh");
      await repo.remove("b.txt");
      await repo.fifo("b.txt");
      const result = await stash(project, await project.create());
      expect(items(result, "not_exact")).toEqual(["b.txt"]);
      expect(await repo.git("cat-file", "blob", "stash@{0}:b.txt")).toBe("beta\n");
    });
  });

  it("leaves files outside of a sparse checkout alone", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.git("sparse-checkout", "set", "--no-cone", "/*", "!dir/");
      await repo.write("a.txt", "edited\n");
      const id = await project.create();
      await stash(project, id);
      expect(await repo.git("diff", "--name-only", "stash@{0}^1", "stash@{0}")).toBe("a.txt\n");
    });
  });

  it("names files that are to be added and have no content in the index", async () => {
    await withSeed(async (project) => {
      await project.repo.write("later.txt", "x\n");
      await project.repo.git("add", "-N", "later.txt");
      const result = await stash(project, await project.create());
      expect(items(result, "not_exact")).toEqual(["later.txt"]);
    });
  });

  it("refuses what a stash entry cannot hold, and leaves the list as it is", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const clean = await project.create();
      await repo.write("a.txt", "ours\n");
      await repo.git("commit", "-qam", "ours");
      await repo.git("checkout", "-q", "other");
      await repo.write("a.txt", "theirs\n");
      await repo.git("commit", "-qam", "theirs");
      await repo.gitStops("merge", "-q", "main");
      const conflicted = await project.create();
      for (const [id, why] of [
        [clean, "it has no changes compared with its commit"],
        [conflicted, "conflicts"],
      ] as const) {
        const refused = await project.run("stash", id);
        expectExit(refused, 1);
        expect(field(refused.json, "error")).toMatchObject({
          code: "cannot_stash",
          message: expect.stringContaining(why),
        });
      }
      expectExit(await project.run("stash", "cp-none"), 3);
      expect(await repo.git("stash", "list")).toBe("");
    });
  });

  it("refuses a checkpoint from before the first commit", async () => {
    await withTempRepository(async (repo) => {
      await repo.write("a", "x");
      const project = new RuleProject(repo);
      const refused = await project.run("stash", await project.create());
      expectExit(refused, 1);
      expect(text(refused.json, "error", "message")).toContain("first commit");
    });
  });
});

async function stagedAndDeleted(repo: TempRepository): Promise<void> {
  await repo.write("new.txt", "x\n");
  await repo.git("add", "new.txt");
  await repo.remove("new.txt");
}

async function linksAndModes(repo: TempRepository): Promise<void> {
  await repo.link("link", "b.txt");
  await repo.link("untracked-link", "nowhere");
  await repo.chmod("run.sh", 0o644);
  await repo.chmod("b.txt", 0o755);
  await repo.write("tool", "#!/bin/sh\n", 0o755);
}

async function oddNames(repo: TempRepository): Promise<void> {
  await repo.write("ünïcödé 日本", "x\n");
  await repo.write('quo"te\nand newline', "x\n");
  await repo.write("-n", "x\n");
  await repo.write(Buffer.from("caf\xe9", "latin1"), "x\n");
  await repo.stage(["ünïcödé 日本", "-n"]);
  await repo.write("-n", "changed\n");
}

async function renamed(repo: TempRepository): Promise<void> {
  await repo.git("mv", "a.txt", "c.txt");
  await repo.write("c.txt", "changed since\n");
}

async function lineEnds(repo: TempRepository): Promise<void> {
  await repo.write(".gitattributes", "*.win text eol=crlf\n*.auto text=auto\n");
  await repo.write("one.win", "one\r\ntwo\r\n");
  await repo.write("two.win", "one\r\ntwo\r\n");
  await repo.write("x.auto", "one\n");
  await repo.git("add", "-A");
  await repo.commit("line ends");
  await repo.write("one.win", "one\r\nchanged\r\n");
  await repo.write("new.win", "untracked\r\n");
  await repo.write("x.auto", "changed\n");
}
