/** Records in a copied `.git` that name folders of the user: nothing there is deleted. */
import { existsSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
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
      expect(errorMessage(refused)).toContain("a link is on the way");
      expect(existsSync(join(folder, "thesis.txt"))).toBe(true);
    });
  });
});
