/** Records in a copied `.git` that name folders of the user: nothing there is deleted. */
import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorMessage, expectExit } from "../support/cli.ts";
import { deadIntent } from "../support/rollback-intent.ts";
import { withSeed, type RuleProject } from "../spec/project.ts";

async function userFolder({ repo }: RuleProject, ...names: string[]): Promise<string> {
  const folder = join(repo.base, "home", ...names);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "thesis.txt"), "years of work\n");
  return folder;
}

async function plantRollback(project: RuleProject, phase: string, staging: string): Promise<void> {
  const planted = { rollback_id: "photos", target_id: "cp-1", safety_id: null, phase, staging };
  const record = await project.repo.gitPath("waymark/rollback-intent.json");
  await writeFile(record, JSON.stringify(deadIntent(planted)));
}

describe("the record of an interrupted rollback that came with a copied .git", () => {
  it.each(["locking", "applying"])(
    "[R6] does not make a rollback delete a folder that it names (%s)",
    async (phase) => {
      await withSeed(async (project) => {
        await project.create();
        const folder = await userFolder(project, "restore", "photos");
        await plantRollback(project, phase, folder);
        await project.run("rollback", "latest", "--yes");
        await project.run("recover");
        expect(existsSync(join(folder, "thesis.txt"))).toBe(true);
      });
    },
  );

  it("[R6] does not make a rollback delete a folder that a link leads to", async () => {
    await withSeed(async (project) => {
      await project.create();
      const folder = await userFolder(project, "photos");
      await symlink(join(folder, ".."), await project.repo.gitPath("waymark/restore"));
      await plantRollback(project, "applying", "restore/photos");
      const refused = await project.run("recover");
      expectExit(refused, 1);
      expect(errorMessage(refused)).toContain("contains a symbolic link");
      expect(existsSync(join(folder, "thesis.txt"))).toBe(true);
    });
  });
});

describe("the record of a work tree that came with a copied .git", () => {
  async function plantTree(
    project: RuleProject,
    tree: { readonly path: string; readonly state: string },
  ): Promise<string> {
    const folder = await project.repo.gitPath("waymark/isolated");
    await mkdir(folder, { recursive: true });
    const record = join(folder, "photos.json");
    const planted = {
      version: 1,
      owner: { host: hostname(), boot: "another", pid: 1, started: "1" },
      name: "build",
      base_id: "cp-1",
      session_id: "s-1",
      since: new Date().toISOString(),
      ...tree,
    };
    await writeFile(record, JSON.stringify(planted));
    return record;
  }

  it.each(["making", "removing", "ready"])(
    "[R6] does not make doctor delete the folder that it names (%s)",
    async (state) => {
      await withSeed(async (project) => {
        await project.create();
        const path = await userFolder(project, "photos");
        const record = await plantTree(project, { path, state });
        const fixed = await project.run("doctor", "--fix");
        expect(existsSync(join(path, "thesis.txt"))).toBe(true);
        expect(fixed.stdout.toString()).toContain(record);
      });
    },
  );

  it("[R6] does not make doctor delete a folder in the place of work trees that is none of this repository", async () => {
    await withSeed(async (project) => {
      await project.create();
      const path = await project.repo.gitPath("waymark/isolated/photos");
      await mkdir(path, { recursive: true });
      await writeFile(join(path, "thesis.txt"), "years of work\n");
      await writeFile(join(path, ".git"), `gitdir: ${project.repo.base}/other/.git/worktrees/x\n`);
      await plantTree(project, { path, state: "removing" });
      await project.run("doctor", "--fix");
      expect(existsSync(join(path, "thesis.txt"))).toBe(true);
    });
  });

  it("[R6] does not make doctor delete what a link in the place of git's records leads to", async () => {
    await withSeed(async (project) => {
      await project.create();
      const folder = await userFolder(project, "photos");
      await symlink(join(folder, ".."), await project.repo.gitPath("worktrees"));
      const path = await project.repo.gitPath("waymark/isolated/photos");
      await plantTree(project, { path, state: "removing" });
      await project.run("doctor", "--fix");
      expect(existsSync(join(folder, "thesis.txt"))).toBe(true);
    });
  });
});

describe("the record of a process that was killed while it wrote objects, in a copied .git", () => {
  it("[R6] does not make a command delete the files that it names", async () => {
    await withSeed(async (project) => {
      const folder = await userFolder(project, "photos");
      const thesis = join(folder, "thesis.txt");
      const other = join(folder, "other.txt");
      const lock = join(folder, "yarn.lock");
      for (const path of [other, lock]) await writeFile(path, "abc\n");
      const left = await project.repo.gitPath("waymark/quarantine/left");
      await mkdir(left, { recursive: true });
      const planted = {
        host: hostname(),
        boot: "another",
        pid: 1,
        started: "1",
        keeps: [thesis],
        refLocks: [other, lock].map((path) => ({ path, oid: "abc" })),
      };
      await writeFile(join(left, "owner.json"), JSON.stringify(planted));
      await project.create();
      await project.run("doctor", "--fix");
      expect([thesis, other, lock].map((path) => existsSync(path))).toEqual([true, true, true]);
      expect(existsSync(left)).toBe(false);
    });
  });
});

describe("a link in the place of .checkpoints that came with the project", () => {
  it("is no place for anything of a checkpoint, and nothing is written behind it", async () => {
    await withSeed(async (project) => {
      const folder = await userFolder(project, "photos");
      await symlink(folder, join(project.repo.root, ".checkpoints"));
      await project.repo.write("trace.log", "ignored\n");
      await project.create("--scope", "*.log");
      expect(await readdir(folder)).toEqual(["thesis.txt"]);
    });
  });
});
