/** Local halves whose checkpoints are gone: reported, removed by cleanup, and nothing else with them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Failure } from "../../src/domain/failure.ts";
import { cleanUp, planCleanup } from "../../src/operations/clean-up.ts";
import { createCheckpoint } from "../../src/operations/create-checkpoint.ts";
import { projectChecks } from "../../src/operations/project-checks.ts";
import type { Project } from "../../src/operations/project.ts";
import { HOUR, type TimedProject, withTimedProject } from "./project.ts";

const REQUEST = { limits: {}, now: false };

async function take({ project }: TimedProject): Promise<string> {
  const request = { force: true, scope: ["*.txt", "*.log"], name: "held" };
  return (await createCheckpoint(project, request)).checkpoint.id;
}

/** As after somebody removed the ref by hand. */
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

async function halves({ repo }: TimedProject): Promise<string[]> {
  const refs = await repo.store(
    "for-each-ref",
    "--format=%(refname:lstrip=3)",
    "refs/waymark/local",
  );
  return refs.split("\n").filter(Boolean);
}

describe("local halves of checkpoints that are gone", () => {
  it("are left alone for an hour, then reported, shown and removed; others stay", async () => {
    await withTimedProject({}, async (timed) => {
      const { repo, project, wait } = timed;
      const lost = await orphan(timed);
      const held = await take(timed);
      expect((await clean(project))?.orphans).toEqual([]);
      expect(await reported(project)).toEqual(["ok"]);
      expect((await halves(timed)).toSorted()).toEqual([held, lost].toSorted());
      wait(2 * HOUR);
      expect(await reported(project)).toEqual(["warning"]);
      expect((await planCleanup(project, REQUEST)).orphans).toEqual([lost]);
      expect((await clean(project))?.orphans).toEqual([lost]);
      expect(await halves(timed)).toEqual([held]);
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

  it("are not those of a checkpoint in the trash, and go when that is emptied", async () => {
    await withTimedProject({}, async (timed) => {
      const { project, wait } = timed;
      const id = await take(timed);
      const other = await take(timed);
      expect(await project.checkpoints.trash([id])).toEqual([id]);
      wait(2 * HOUR);
      expect((await clean(project))?.orphans).toEqual([]);
      expect(await halves(timed)).toContain(id);
      expect(await project.checkpoints.purge([id])).toEqual([id]);
      expect(await halves(timed)).toEqual([other]);
      expect(await project.checkpoints.remove([other])).toEqual([other]);
      expect(await halves(timed)).toEqual([]);
    });
  });

  it("are not those of a checkpoint whose ref is damaged, and stay where nobody knows which are there", async () => {
    await withTimedProject({}, async (timed) => {
      const { repo, project, wait } = timed;
      const broken = await take(timed);
      await orphan(timed);
      wait(2 * HOUR);
      writeFileSync(join(repo.storeDir, "refs/waymark/cp", broken), "garbage\n");
      expect(await project.checkpoints.strays(project.clock.now())).not.toContain(broken);
      writeFileSync(join(repo.storeDir, "packed-refs"), "garbage\n");
      await expect(clean(project)).rejects.toBeInstanceOf(Failure);
    });
  });
});
