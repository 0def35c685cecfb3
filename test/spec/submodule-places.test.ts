/** A path that is a submodule at one time and a file at another. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectExit, waymarkArguments } from "../support/cli.ts";
import { runCommand } from "../support/run-command.ts";
import { withSeed, type RuleProject } from "./project.ts";

async function addSubmodule({ repo }: RuleProject): Promise<void> {
  const from = join(repo.base, "library");
  await repo.git("init", "-q", from);
  await repo.git("-C", from, "commit", "-q", "--allow-empty", "-m", "library");
  await repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", from, "lib");
  await repo.git("commit", "-qm", "with a submodule");
}

describe("a file in the place of a submodule", () => {
  it("[R1] comes back", () =>
    withSeed(async (project) => {
      const { repo } = project;
      await addSubmodule(project);
      await repo.remove("lib");
      await repo.write("lib", "by hand\n");
      const id = await project.create();
      await repo.remove("lib");
      await project.rollBack(id);
      expect(String(await repo.read("lib"))).toBe("by hand\n");
      await repo.remove("lib");
      await repo.folder("lib");
      await project.rollBack(id);
      expect(String(await repo.read("lib"))).toBe("by hand\n");
    }));

  it("[R3] is not put in the place of one that has files, which is refused", () =>
    withSeed(async (project) => {
      const { repo } = project;
      await repo.write("lib", "by hand\n");
      await repo.git("add", "lib");
      await repo.git("commit", "-qm", "a file");
      const id = await project.create();
      await repo.git("rm", "-q", "lib");
      await addSubmodule(project);
      const result = await project.run("rollback", id, "--yes", "--discard-commits");
      expectExit(result, 1);
      expect(result.json).toMatchObject({ error: { code: "obstructed" } });
      expect(await repo.exists("lib/.git")).toBe(true);
    }));

  it("[R3] stays, and is named, when the checkpoint has a submodule there", () =>
    withSeed(async (project) => {
      const { repo } = project;
      await addSubmodule(project);
      const id = await project.create();
      await repo.remove("lib");
      await repo.write("lib", "by hand\n");
      const { json } = await project.ok("rollback", id, "--yes");
      expect(json).toMatchObject({ kept: [{ path: "lib", reason: "submodule" }] });
      expect(String(await repo.read("lib"))).toBe("by hand\n");
    }));
});

describe("the folder of a submodule that was not initialised", () => {
  it("[R182] comes back, and is not taken away by the undo of another rollback", () =>
    withSeed(async (project) => {
      const { repo } = project;
      await addSubmodule(project);
      await repo.git("submodule", "--quiet", "deinit", "--force", "lib");
      const id = await project.create();
      await repo.write("b.txt", "changed since\n");
      await project.rollBack(id);
      await project.ok("undo", "--yes");
      expect(await repo.git("status", "--porcelain")).toBe(" M b.txt\n");
      await repo.remove("lib");
      await project.rollBack(id);
      expect(await repo.git("status", "--porcelain")).toBe("");
    }));

  it("[R182] does not stop a checkpoint in a conflict, which comes back with all its stages", () =>
    withSeed(async (project) => {
      const { repo } = project;
      const stages = [1, 2, 3].map((stage) => `160000 ${String(stage).repeat(40)} ${stage}\tlib\n`);
      await repo.gitWithInput(stages.join(""), "update-index", "--index-info");
      await repo.folder("lib");
      const id = await project.create();
      await repo.git("reset", "-q", "--hard");
      await project.rollBack(id);
      expect(await repo.git("ls-files", "-u")).toBe(stages.join(""));
      await project.ok("validate", id);
    }));
});

describe("work in a submodule", () => {
  it("[R17] is named as not captured, and create does not say that nothing changed", () =>
    withSeed(async (project) => {
      const { repo } = project;
      await addSubmodule(project);
      await project.create();
      await repo.git("-C", "lib", "commit", "-q", "--allow-empty", "-m", "more");
      expect(await repo.git("status", "--short")).toBe(" M lib\n");
      const args = waymarkArguments(repo.root, "create");
      const { stdout, stderr } = await runCommand(process.execPath, args, { env: repo.env });
      expect(String(stdout)).toMatch(/^Nothing that is captured changed since cp-/);
      expect(stderr).toContain("not captured: lib/ (a submodule)");
    }));
});
