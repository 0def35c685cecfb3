/** Copies of files whose checkpoints are gone: reported, removed by cleanup, and nothing else with them. */
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openGitProject } from "../../src/app.ts";
import { Failure } from "../../src/domain/failure.ts";
import { cleanUp, planCleanup } from "../../src/operations/clean-up.ts";
import { createCheckpoint } from "../../src/operations/create-checkpoint.ts";
import { discardParts } from "../../src/operations/part-work.ts";
import { projectChecks } from "../../src/operations/project-checks.ts";
import type { Project } from "../../src/operations/project.ts";
import { validateCheckpoints } from "../../src/operations/validate-checkpoints.ts";
import { HOUR, type TimedProject, withTimedProject } from "./project.ts";

const REQUEST = { limits: {}, now: false };

async function take({ project }: TimedProject): Promise<string> {
  const request = { force: true, scope: ["*.txt", "*.log"], name: "held" };
  return (await createCheckpoint(project, request)).checkpoint.id;
}

/** With a copied file, as whoever works in that folder would. */
async function takeIn(directory: string): Promise<string> {
  writeFileSync(join(directory, ".gitignore"), "*.log\n");
  writeFileSync(join(directory, "local.log"), directory);
  const project = await openGitProject({ directory });
  try {
    const request = { force: true, scope: ["local.log"], name: "held" };
    const { id } = (await createCheckpoint(project, request)).checkpoint;
    expect(existsSync(join(directory, ".checkpoints", id))).toBe(true);
    return id;
  } finally {
    project.close();
  }
}

/** As if the process had been killed between removing the ref and removing the copies. */
async function orphan(timed: TimedProject): Promise<string> {
  const id = await take(timed);
  await timed.repo.store("update-ref", "-d", `refs/waymark/cp/${id}`);
  return id;
}

const clean = (project: Project) => cleanUp(project, REQUEST, () => Promise.resolve(true));

const reported = async (project: Project): Promise<string[]> => {
  const check = projectChecks(project).find(({ name }) => name === "copies");
  return ((await check?.look()) ?? []).map(({ status }) => status);
};

describe("copies of checkpoints that are gone", () => {
  it("are left alone for an hour, then reported, shown and removed; others stay", async () => {
    await withTimedProject({}, async (timed) => {
      const { repo, project, wait } = timed;
      const lost = await orphan(timed);
      const held = await take(timed);
      const folder = (id: string): string => join(repo.root, ".checkpoints", id);
      expect((await clean(project))?.orphans).toEqual([]);
      expect(await reported(project)).toEqual(["ok"]);
      expect(existsSync(folder(lost))).toBe(true);
      wait(2 * HOUR);
      expect(await reported(project)).toEqual(["warning"]);
      expect((await planCleanup(project, REQUEST)).orphans).toEqual([lost]);
      expect(existsSync(folder(lost))).toBe(true);
      expect((await clean(project))?.orphans).toEqual([lost]);
      expect(existsSync(folder(lost))).toBe(false);
      expect(existsSync(folder(held))).toBe(true);
      const log = await repo.store(
        "log",
        "-1",
        "--format=%B",
        "refs/waymark/session/worktree-main",
      );
      expect(log).toContain(lost);
      expect(await reported(project)).toEqual(["ok"]);
    });
  });

  it("are not those of a checkpoint in the trash", async () => {
    await withTimedProject({}, async (timed) => {
      const { repo, project, wait } = timed;
      const id = await take(timed);
      await take(timed);
      expect(await project.checkpoints.trash([id])).toEqual([id]);
      wait(2 * HOUR);
      expect((await clean(project))?.orphans).toEqual([]);
      expect(existsSync(join(repo.root, ".checkpoints", id))).toBe(true);
    });
  });

  it("are found in every work tree, and none is taken for one because another work tree made it", async () => {
    await withTimedProject({}, async (timed) => {
      const { repo, project, wait } = timed;
      const lost = await orphan(timed);
      const held = await take(timed);
      const other = join(repo.base, "linked");
      await repo.git("worktree", "add", "-q", "--detach", other);
      mkdirSync(join(other, ".checkpoints"));
      for (const id of [lost, held]) {
        renameSync(join(repo.root, ".checkpoints", id), join(other, ".checkpoints", id));
      }
      wait(2 * HOUR);
      expect((await clean(project))?.orphans).toEqual([lost]);
      expect(existsSync(join(other, ".checkpoints", lost))).toBe(false);
      expect(existsSync(join(other, ".checkpoints", held))).toBe(true);
    });
  });

  it("are not those of another project where a linked work tree was, nor of the one that this is a copy of", async () => {
    await withTimedProject({}, async (timed) => {
      const { repo, wait } = timed;
      const side = repo.at("side");
      await repo.git("worktree", "add", "-q", "--detach", side.root);
      const shared = await takeIn(side.root);
      cpSync(repo.root, join(repo.base, "copy"), { recursive: true });
      const later = await takeIn(side.root);
      const folder = (id: string): string => join(side.root, ".checkpoints", id);
      wait(2 * HOUR);
      const copy = await openGitProject({ directory: join(repo.base, "copy") });
      const now = timed.project.clock.now();
      try {
        const ahead = { ...copy, clock: { ...copy.clock, now: () => now } };
        expect((await clean(ahead))?.orphans).toEqual([]);
        await discardParts(ahead, [shared, later]);
      } finally {
        copy.close();
      }
      expect([shared, later].filter((id) => existsSync(folder(id)))).toEqual([shared, later]);

      rmSync(side.root, { recursive: true });
      mkdirSync(side.root);
      await side.git("init", "-q");
      const others = await takeIn(side.root);
      expect((await clean(timed.project))?.orphans).toEqual([]);
      await discardParts(timed.project, [others]);
      expect(existsSync(folder(others))).toBe(true);
    });
  });

  it("stay in a linked work tree that names the old place of the repository, and those of others are read there", async () => {
    await withTimedProject({}, async ({ repo }) => {
      const side = repo.at("side");
      await repo.git("worktree", "add", "-q", "--detach", side.root);
      const id = await takeIn(side.root);
      const moved = join(repo.base, "moved");
      renameSync(repo.root, moved);
      const project = await openGitProject({ directory: moved });
      try {
        const { results } = await validateCheckpoints(project, { selectors: [id] }, () => []);
        expect(results).toMatchObject([{ overall: true, problems: [] }]);
        await discardParts(project, [id]);
        expect(existsSync(join(side.root, ".checkpoints", id))).toBe(true);
      } finally {
        project.close();
        renameSync(moved, repo.root);
      }
    });
  });

  it("stay where checkpoints from before git may need them, and where nobody knows which are there", async () => {
    await withTimedProject({}, async (timed) => {
      const { repo, project, wait } = timed;
      const lost = await orphan(timed);
      wait(2 * HOUR);
      const earlier = join(repo.root, ".checkpoints", "before-git-20261115-184530.git");
      mkdirSync(earlier);
      expect((await clean(project))?.orphans).toEqual([]);
      rmSync(earlier, { recursive: true });
      writeFileSync(join(repo.root, ".git", "packed-refs"), "garbage\n");
      await expect(clean(project)).rejects.toBeInstanceOf(Failure);
      expect(existsSync(join(repo.root, ".checkpoints", lost))).toBe(true);
    });
  });
});
