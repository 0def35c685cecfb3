/** Export and import, killed at any moment: the file is whole or not there, and so are the checkpoints. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { canKill, killed } from "../spec/killed.ts";
import { type RuleProject, withDirty } from "../spec/project.ts";
import { items } from "../support/json.ts";
import { strayPackFiles } from "../support/stray-pack-files.ts";

async function expectTidy(project: RuleProject): Promise<void> {
  expect(await readdir(await project.repo.gitPath("waymark/quarantine")).catch(() => [])).toEqual(
    [],
  );
  expect(await strayPackFiles(project.repo)).toEqual([]);
  expect((await project.repo.tryGit(["fsck", "--connectivity-only"])).code).toBe(0);
  expect((await project.repo.tryStore(["fsck", "--connectivity-only"])).code).toBe(0);
}

describe.skipIf(!canKill)("killed anywhere", () => {
  it("[R34] an export leaves a whole file or none, and the next one works", async () => {
    await withDirty(async (project) => {
      await project.create();
      const reader = project.at("reader");
      await project.repo.git("init", "-q", reader.repo.root);
      await killed(project, ["export"], async (copy) => {
        const folder = join(copy.repo.root, ".git/waymark/exports");
        const files = await readdir(folder).catch(() => []);
        for (const name of files.filter((file) => file.endsWith(".bundle"))) {
          await reader.ok("import", join(folder, name), "--dry-run");
        }
        await copy.ok("export");
        expect((await readdir(folder)).filter((name) => !name.endsWith(".bundle"))).toEqual([]);
        await expectTidy(copy);
      });
    });
  }, 240_000);

  it("[R34] an import brings all checkpoints or none, and the next one works", async () => {
    await withDirty(async (project) => {
      const ids = [await project.create(), await project.create(), await project.create()];
      const file = join(project.repo.base, "three.bundle");
      await project.ok("export", "-o", file);
      const clone = project.at("clone");
      await project.repo.git("clone", "-q", project.repo.root, clone.repo.root);
      await killed(clone, ["import", file], async (copy) => {
        await copy.ok("recover");
        const listed = items((await copy.ok("list", "--all")).json, "checkpoints");
        expect([0, ids.length]).toContain(listed.length);
        await copy.ok("import", file);
        expect(items((await copy.ok("validate")).json, "checkpoints")).toHaveLength(ids.length);
        await expectTidy(copy);
      });
    });
  }, 240_000);
});
