/** What a rollback brought from copies goes with its undo, also where no rule of now would look for it. */
import { describe, expect, it } from "vitest";
import { differences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { withSeed, type RuleProject } from "../spec/project.ts";

/** Undo leads back to what was there before the rollback, redo to what was there after it. */
async function thereAndBack(project: RuleProject, id: string): Promise<void> {
  const before = await takeFingerprint(project.repo);
  await project.rollBack(id);
  const after = await takeFingerprint(project.repo);
  await project.ok("undo", "--yes");
  expect(differences(await takeFingerprint(project.repo), before)).toEqual([]);
  await project.ok("redo", "--yes");
  expect(differences(await takeFingerprint(project.repo), after)).toEqual([]);
}

describe("[R46] undo of copied files", () => {
  it("takes a secret away that was named", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write(".gitignore", ".env\n");
      await repo.write(".env", "A=1\n");
      const id = await project.create("--scope", ".env", "--include-secrets", ".env");
      await repo.remove(".env");
      await thereAndBack(project, id);
    });
  });

  it("takes a file away in a folder that is a nested repository by now", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("build/d/b", "b\n");
      const id = await project.create("--scope", "build");
      await repo.remove("build/d/b");
      await repo.git("init", "-q", "build/d");
      await thereAndBack(project, id);
    });
  });

  it("is not refused where a file has to come back in the place of their folder", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write(".gitignore", ".env\n*.log\n");
      await repo.write("x/1.log", "1\n");
      await repo.write("x/.env", "A=1\n");
      const id = await project.create("--scope", "x", "--include-secrets", "x/.env");
      await repo.remove("x");
      await repo.write("x", "a file\n");
      await thereAndBack(project, id);
    });
  });

  it("leaves what somebody changed since", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write(".gitignore", ".env\n");
      await repo.write(".env", "A=1\n");
      const id = await project.create("--scope", ".env", "--include-secrets", ".env");
      await repo.remove(".env");
      await project.rollBack(id);
      await repo.write(".env", "A=2\n");
      await project.ok("undo", "--yes");
      expect(String(await repo.read(".env"))).toBe("A=2\n");
    });
  });
});
