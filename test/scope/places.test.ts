// Copied files whose places changed: an empty folder, a file where their folder comes.
import { lstat } from "node:fs/promises";
import { expect, test } from "vitest";
import { text } from "../support/json.ts";
import { withSeed, type RuleProject } from "../spec/project.ts";

const COPIES = 'capture: {include_ignored: ["*.log"]}\n';

async function withCopies(body: (project: RuleProject) => Promise<void>): Promise<void> {
  await withSeed(async (project) => {
    const { repo } = project;
    await repo.write(".gitignore", "*.log\n/ig/\n");
    await repo.write("waymark.yml", COPIES);
    await repo.git("add", ".");
    await repo.git("commit", "-qm", "settings");
    await body(project);
  });
}

test("[R46] a copied file comes back into a folder that is empty by now", () =>
  withCopies(async (project) => {
    const { repo } = project;
    await repo.write("logs/one.log", "one\n");
    const id = await project.create();
    await repo.remove("logs/one.log");
    await project.rollBack(id);
    expect((await repo.read("logs/one.log")).toString()).toBe("one\n");
  }));

test("[R20] undo brings a copied file back whose folder the rollback left empty", () =>
  withCopies(async (project) => {
    const { repo } = project;
    const id = await project.create();
    await repo.write("logs/one.log", "precious\n");
    await project.rollBack(id);
    expect(await repo.exists("logs/one.log")).toBe(false);
    await project.ok("undo", "--yes");
    expect((await repo.read("logs/one.log")).toString()).toBe("precious\n");
  }));

test("[R20] undo puts a file back that stood where a folder of copied files came", () =>
  withCopies(async (project) => {
    const { repo } = project;
    await repo.write("ig/f", "one\n");
    const id = await project.create("--scope", "ig/**");
    await repo.remove("ig");
    await repo.write("ig", "precious\n");
    await project.rollBack(id);
    expect((await repo.read("ig/f")).toString()).toBe("one\n");
    const { json } = await project.ok("undo", "--yes");
    expect(text(json, "restored_to")).toContain("pre-rollback");
    expect((await lstat(repo.path("ig"))).isFile()).toBe(true);
    expect((await repo.read("ig")).toString()).toBe("precious\n");
  }));
