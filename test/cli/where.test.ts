/** Commands from a folder that is gone, and paths that name nothing. */
import { spawnSync } from "node:child_process";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bin, cliEnvironment, expectExit, waymark } from "../support/cli.ts";
import { field, text } from "../support/json.ts";
import { RuleProject, withSeed } from "../spec/project.ts";
import { withTempProject } from "../support/temp-repository.ts";

it("[R50] a folder that a rollback took away is an error with a hint, also in JSON", async () => {
  await withSeed(async (project) => {
    const { root } = project.repo;
    const inNoFolder = 'mkdir "$1/gone" && cd "$1/gone" && rmdir "$1/gone" && shift && exec "$@"';
    const { status, stdout } = spawnSync(
      "sh",
      ["-c", inNoFolder, "sh", root, process.execPath, bin, "undo", "--yes", "--json"],
      { env: cliEnvironment(project.repo.env), encoding: "utf8" },
    );
    expect(status).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: "error",
      error: { code: "not_a_repository", hint: expect.stringContaining("-C") },
    });
  });
});

it("a plain folder whose repository was deleted is told where its checkpoints were, also from a folder in it", async () => {
  await withTempProject(async (repo) => {
    const project = new RuleProject(repo);
    await project.create();
    const { root } = repo;
    await rm(join(root, ".checkpoints/repo.git"), { recursive: true });
    await mkdir(join(root, "in"));
    for (const folder of [root, join(root, "in")]) {
      const refused = await waymark(folder, ["list"], { env: project.repo.env });
      expectExit(refused, 3);
      expect(text(refused.json, "error", "message")).toBe(
        `the git repository of ${root} no longer exists; its checkpoints were in it`,
      );
    }
  });
});

it("inside the git folder it says so", async () => {
  await withSeed(async ({ repo }) => {
    for (const folder of [".git", ".git/objects"]) {
      const refused = await waymark(join(repo.root, folder), ["status"], { env: repo.env });
      expectExit(refused, 3);
      expect(text(refused.json, "error", "message")).toBe(
        `this is inside the git folder ${join(repo.root, ".git")}`,
      );
      expect(text(refused.json, "error", "hint")).toContain("the project's folder");
    }
  });
});

it("create where it was deleted warns that it begins anew, and one that fails keeps the audit log", async () => {
  await withTempProject(async (repo) => {
    const project = new RuleProject(repo);
    await project.create();
    const { root } = repo;
    await rm(join(root, ".checkpoints/repo.git"), { recursive: true });
    const log = join(root, ".checkpoints/audit.log");
    const before = await readFile(log, "utf8");
    expectExit(await project.run("create", "--database", "./missing.db"), 1, 2, 3, 4);
    expect(await readFile(log, "utf8")).toContain(before);
    const warning = `the git repository of ${root} no longer exists; its checkpoints were in it. New checkpoints are stored in ${root}/.checkpoints/repo.git`;
    expect(field((await project.ok("create")).json, "warnings")).toContain(warning);
    expect(field((await project.ok("create", "--force")).json, "warnings")).not.toContain(warning);
  });
});

it("an empty path is refused, and not taken for the whole project", async () => {
  await withSeed(async (project) => {
    const id = await project.create();
    await project.repo.write("a.txt", "mine\n");
    const refused = await project.run("rollback", id, "--yes", "--paths", "");
    expectExit(refused, 2);
    expect(text(refused.json, "error", "message")).toContain("empty path");
    expect((await project.repo.read("a.txt")).toString()).toBe("mine\n");
  });
});
