/** Files with several names. Their mode is one, and a rollback changes that of the names it is asked for. */
import { chmod, link, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { flag } from "../support/json.ts";
import { type RuleProject, withSeed } from "./project.ts";

describe("a file with several names", () => {
  it("[R20] gets the mode it had without that of its other name", async () => {
    await withSeed(async (project) => {
      const id = await withTwo(project);
      await rollBackChecked(project, id);
      expect(await modes(project)).toEqual([0o644, 0o755]);
      await project.ok("undo", "--yes");
      expect(await modes(project)).toEqual([0o644, 0o644]);
      await project.ok("redo", "--yes");
      expect(await modes(project)).toEqual([0o644, 0o755]);
    });
  });

  it("[R20] gets the mode it had where all its names have another one", async () => {
    await withSeed(async (project) => {
      const id = await withTwo(project);
      await chmod(project.repo.path("p"), 0o600);
      await rollBackChecked(project, id);
      expect(await modes(project)).toEqual([0o644, 0o755]);
    });
  });

  it("[R20] stays one file where all its names are to have the same mode again", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("p", "same\n");
      await link(repo.path("p"), repo.path("q"));
      const id = await project.create();
      await chmod(repo.path("p"), 0o755);
      await rollBackChecked(project, id);
      expect(await modes(project)).toEqual([0o644, 0o644]);
      const [p, q] = await Promise.all(["p", "q"].map((name) => stat(repo.path(name))));
      expect(p?.ino).toBe(q?.ino);
    });
  });

  it("[R25] keeps the mode of its name outside the project", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("p", "same\n");
      await chmod(repo.path("p"), 0o755);
      const id = await project.create();
      const outside = join(repo.base, "outside");
      await link(repo.path("p"), outside);
      await chmod(outside, 0o600);
      await rollBackChecked(project, id);
      expect(await modeOf(repo.path("p"))).toBe(0o755);
      expect(await modeOf(outside)).toBe(0o600);
    });
  });

  it("[R25] keeps the mode of its name outside the project where a copy of it comes back", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write(".gitignore", "local/\n");
      await repo.write("waymark.yml", 'capture: {include_ignored: ["local/"]}\n');
      await repo.write("local/p", "same\n");
      await chmod(repo.path("local/p"), 0o755);
      const id = await project.create();
      const outside = join(repo.base, "outside");
      await link(repo.path("local/p"), outside);
      await chmod(outside, 0o600);
      await rollBackChecked(project, id);
      expect(await modeOf(repo.path("local/p"))).toBe(0o755);
      expect(await modeOf(outside)).toBe(0o600);
      await project.ok("undo", "--yes");
      expect(await modeOf(repo.path("local/p"))).toBe(0o600);
    });
  });
});

/** Two files with the same content and their own modes, that are one by the rollback. */
async function withTwo(project: RuleProject): Promise<string> {
  const { repo } = project;
  await repo.write("p", "same\n");
  await repo.write("q", "same\n");
  await chmod(repo.path("p"), 0o644);
  await chmod(repo.path("q"), 0o755);
  const id = await project.create();
  await repo.remove("q");
  await link(repo.path("p"), repo.path("q"));
  return id;
}

async function rollBackChecked(project: RuleProject, id: string): Promise<void> {
  const { json } = await project.rollBack(id);
  expect(flag(json, "verification", "match")).toBe(true);
}

async function modes({ repo }: RuleProject): Promise<number[]> {
  return await Promise.all(["p", "q"].map((name) => modeOf(repo.path(name))));
}

async function modeOf(path: Buffer | string): Promise<number> {
  return (await stat(path)).mode & 0o7777;
}
