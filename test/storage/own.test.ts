/** `waymark store own`: after it no checkpoint needs anything of the project. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, rename, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { RuleProject, withDirty, withSeed } from "../spec/project.ts";
import { cliEnvironment, errorMessage, expectExit, waymarkArguments } from "../support/cli.ts";
import { differences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { field, items } from "../support/json.ts";
import { withTempRepository } from "../support/temp-repository.ts";

const ALTERNATES = ".git/waymark/store/objects/info/alternates";

const borrows = ({ repo }: RuleProject): boolean => existsSync(join(repo.root, ALTERNATES));

/** Everything that the user has but the work tree is gone, as after the worst rewrite. */
async function loseHistory({ repo }: RuleProject): Promise<void> {
  await repo.git("update-ref", "--no-deref", "HEAD", (await repo.git("rev-parse", "HEAD")).trim());
  await repo.git("checkout", "-q", "--orphan", "another");
  await repo.git("rm", "-rqf", "--cached", ".");
  const refs = (await repo.git("for-each-ref", "--format=%(refname)")).split("\n").filter(Boolean);
  for (const ref of refs) await repo.git("update-ref", "-d", ref);
  await repo.commit("nothing of before");
  await repo.git("reflog", "expire", "--expire=now", "--all");
  await repo.git("gc", "-q", "--prune=now");
}

async function expectIntact(project: RuleProject, count: number): Promise<void> {
  const { json } = await project.ok("validate");
  const checkpoints = items(json, "checkpoints");
  expect(checkpoints).toHaveLength(count);
  for (const one of checkpoints) expect(field(one, "overall")).toBe(true);
}

/** A checkpoint of before, one with new commits and staged files, and what the project was like at the second one. */
async function owned(project: RuleProject) {
  const { repo } = project;
  const first = await project.create();
  await project.ok("store", "own");
  await repo.write("later.txt", "committed after the copy\n");
  await repo.git("add", "later.txt");
  await repo.commit("after the copy");
  await repo.write("staged.txt", "staged, and only in the index\n");
  await repo.git("add", "staged.txt");
  const second = await project.create();
  return { first, second, at: await takeFingerprint(repo) };
}

describe("waymark store own", () => {
  it("copies what was borrowed and lets go of it", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      await project.create();
      expect(borrows(project)).toBe(true);
      const { json } = await project.ok("store", "own");
      expect(field(json, "changed")).toBe(true);
      expect(items(json, "released")).toHaveLength(1);
      expect(borrows(project)).toBe(false);
      expect(await repo.git("for-each-ref", "refs/waymark")).toBe("");
      expect((await project.ok("store")).json).toMatchObject({ borrows: false, borrowed: [] });
      await expectIntact(project, 1);
      expect(field((await project.ok("store", "own")).json, "changed")).toBe(false);
      await project.ok("git", "fsck", "--strict", "--no-dangling");
    });
  });

  it("leaves every checkpoint intact when the user's history is gone, and rolls back to each", async () => {
    await withDirty(async (project) => {
      const { first, second, at } = await owned(project);
      await loseHistory(project);
      await expectIntact(project, 2);
      await project.rollBack(first);
      await project.rollBack(second);
      const now = await takeFingerprint(project.repo);
      const ofFiles = differences(now, at).filter((line) => !/ref|reflog|branch/i.test(line));
      expect(ofFiles).toEqual([]);
      expect(await project.repo.git("show", "HEAD:later.txt")).toBe("committed after the copy\n");
      expect(await project.repo.git("show", ":staged.txt")).toContain("only in the index");
      await project.repo.git("fsck", "--strict", "--no-dangling");
      await project.ok("cleanup", "--keep", "2");
      await project.ok("undo", "--yes");
    });
  });

  it("stays like that when the repository is moved", async () => {
    await withDirty(async (before) => {
      await owned(before);
      const project = before.at("moved");
      await rename(before.repo.root, project.repo.root);
      await expectIntact(project, 2);
      await project.repo.write("moved.txt", "moved\n");
      await project.repo.git("add", "moved.txt");
      await project.repo.commit("moved");
      const third = await project.create();
      await loseHistory(project);
      await expectIntact(project, 3);
      await project.rollBack(third);
      expect(await project.repo.git("show", "HEAD:moved.txt")).toBe("moved\n");
    });
  });

  it("is proved by validate, which reads nothing of the project then", async () => {
    await withDirty(async (project) => {
      await owned(project);
      const packs = join(project.repo.root, ".git/waymark/store/objects/pack");
      const sizes = (await readdir(packs)).filter((name) => name.endsWith(".pack"));
      for (const name of sizes) await truncate(join(packs, name), 40);
      const result = await project.run("validate");
      expectExit(result, 4);
    });
  });

  it("is rebuilt from the repository, as long as that has the objects", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("untracked.txt", "only in the checkpoint\n");
      const id = await project.create();
      const packs = join(repo.root, ".git/waymark/store/objects/pack");
      const before = await readdir(packs);
      await project.ok("store", "own");
      const copied = (await readdir(packs)).filter((name) => !before.includes(name));
      for (const name of copied) await rm(join(packs, name));
      expectExit(await project.run("validate"), 4);
      await project.ok("rebuild", id);
      await expectIntact(project, 1);
    });
  });

  it("works with sha256 and from a linked work tree", async () => {
    await withTempRepository(
      async (repo) => {
        const project = new RuleProject(repo);
        await repo.write("a.txt", "one\n");
        await repo.git("add", "-A");
        await repo.commit("one");
        await repo.git("worktree", "add", "-q", "../linked");
        const linked = project.at("linked");
        await linked.repo.write("a.txt", "changed in the linked one\n");
        const id = await linked.create();
        await linked.ok("store", "own");
        await linked.repo.git("commit", "-qam", "committed in the linked one");
        await linked.create();
        await loseHistory(project);
        await linked.repo.git("checkout", "-q", "-f", "--detach", "another");
        await repo.git("reflog", "expire", "--expire=now", "--all");
        await repo.git("gc", "-q", "--prune=now");
        await expectIntact(linked, 2);
        await linked.rollBack(id);
        expect(String(await linked.repo.read("a.txt"))).toBe("changed in the linked one\n");
      },
      ["--object-format=sha256"],
    );
  });

  it("refuses where git has not fetched all objects, and changes nothing", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("gone.txt", "in the history only\n");
      await repo.git("add", "gone.txt");
      await repo.commit("with a file");
      await repo.git("rm", "-q", "gone.txt");
      await repo.commit("without it");
      await repo.git("config", "uploadpack.allowFilter", "true");
      const partial = project.at("partial");
      const url = `file://${repo.root}`;
      await repo.git("clone", "-q", "--filter=blob:none", url, partial.repo.root);
      await partial.create();
      const result = await partial.run("store", "own");
      expectExit(result, 2);
      expect(errorMessage(result)).toContain("partial clone");
      expect(borrows(partial)).toBe(true);
      await expectIntact(partial, 1);
    });
  });

  it("can be killed at any moment and run again, with creates beside it", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      for (let at = 0; at < 3; at++) {
        await repo.write("a.txt", `${at}\n`);
        await repo.commit(`commit ${at}`);
        await project.create();
      }
      let checkpoints = 3;
      for (let after = 60; borrows(project) && after < 4000; after += 45) {
        const child = spawn(process.execPath, waymarkArguments(repo.root, "store", "own"), {
          env: cliEnvironment(repo.env),
          stdio: "ignore",
        });
        const ended = new Promise((resolve) => child.on("close", resolve));
        await repo.write("b.txt", `${after}\n`);
        if (checkpoints < 8) {
          await repo.git("commit", "-qam", `beside ${after}`);
          await project.create();
          checkpoints += 1;
        } else await wait(after);
        child.kill("SIGKILL");
        await ended;
        if (checkpoints % 4 === 0) await expectIntact(project, checkpoints);
      }
      await project.ok("store", "own");
      await loseHistory(project);
      await expectIntact(project, checkpoints);
    });
  });

  it("copies what is left of a damaged checkpoint, and names it", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("lost.txt", "lost\n");
      const lost = (await repo.git("hash-object", "-w", "lost.txt")).trim();
      await repo.git("add", "lost.txt");
      await repo.commit("with a blob that will be lost");
      await repo.commit("on top of it");
      const id = await project.create();
      await rename(
        join(repo.root, `.git/objects/${lost.slice(0, 2)}/${lost.slice(2)}`),
        join(repo.base, "lost"),
      );
      await rm(join(repo.root, "lost.txt"));
      await repo.git("reset", "-q", "HEAD~2");
      await repo.git("update-ref", "-d", "ORIG_HEAD");
      await repo.commit("without it");
      const whole = await project.create();
      const { json } = await project.ok("store", "own");
      expect(items(json, "damaged")).toEqual([`refs/waymark/cp/${id}`]);
      expect(borrows(project)).toBe(false);
      await loseHistory(project);
      expectExit(await project.run("validate", whole), 0);
    });
  });
});
