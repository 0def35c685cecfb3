/** What no checkpoint can hold stands where something has to come back: the rollback is refused, and nothing changes. */
import { execFileSync } from "node:child_process";
import { chmod, stat } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { bin, expectExit } from "../support/cli.ts";
import { differences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { runCommand } from "../support/run-command.ts";
import type { TempRepository } from "../support/temp-repository.ts";
import { type RuleProject, withSeed } from "./project.ts";

/** Root reads everything, unless it gives that up. */
const WITHOUT_POWER =
  process.getuid?.() === 0
    ? [
        "setpriv",
        "--bounding-set",
        "-dac_override,-dac_read_search",
        "--inh-caps",
        "-dac_override,-dac_read_search",
      ]
    : [];

describe("a rollback is refused before the first write", () => {
  it("[R2] where a fifo is in the place of a file", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const id = await project.create();
      await repo.remove("a.txt");
      makeFifo(repo, "a.txt");
      await expectRefused(
        project,
        id,
        "a.txt",
        "checkpoints never contain fifos, sockets and devices",
      );
    });
  });

  it("[R2] where a fifo is in the place of an empty folder", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.folder("empty");
      const id = await project.create();
      await repo.remove("empty");
      makeFifo(repo, "empty");
      await expectRefused(project, id, "empty", "it is not a folder");
    });
  });

  it("[R2] where a fifo is in the place of a folder with files", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("held/x", "x\n");
      const id = await project.create();
      await repo.remove("held");
      makeFifo(repo, "held");
      await expectRefused(project, id, "held", "it is not a folder");
    });
  });

  it("[R2] where a file cannot be read", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const id = await project.create();
      await repo.write("b.txt", "wrecked\n");
      await chmod(repo.path("a.txt"), 0);
      const words = [bin, "-C", repo.root, "rollback", id, "--yes", "--json"];
      const [program = "", ...args] = [...WITHOUT_POWER, process.execPath, ...words];
      const refused = await runCommand(program, args, { cwd: repo.root, env: repo.env });
      expect(refused.code).toBe(1);
      expect(JSON.parse(String(refused.stdout))).toMatchObject({
        error: {
          code: "obstructed",
          message: "a.txt is in the way: it cannot be read, so no checkpoint contains it",
          details: { paths: ["a.txt"] },
        },
      });
      expect((await stat(repo.path("a.txt"))).mode & 0o7777).toBe(0);
      expect(String(await repo.read("b.txt"))).toBe("wrecked\n");
    });
  });
});

describe("a folder", () => {
  it("[R20] that no checkpoint knows the mode of keeps it, through a rollback and its undo", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.folder("private");
      const id = await project.create();
      await chmod(repo.path("private"), 0o700);
      await repo.folder("private/sub");
      await project.rollBack(id);
      await project.ok("undo", "--yes");
      expect((await stat(repo.path("private"))).mode & 0o7777).toBe(0o700);
    });
  });
});

/** And everything is as it was. */
async function expectRefused(
  project: RuleProject,
  id: string,
  path: string,
  why: string,
): Promise<void> {
  const { repo } = project;
  await repo.write("b.txt", "wrecked\n");
  const before = await takeFingerprint(repo);
  const refused = await project.run("rollback", id, "--yes");
  expectExit(refused, 1);
  expect(refused.json).toMatchObject({
    error: {
      code: "obstructed",
      message: expect.stringContaining(`${path} is in the way: ${why}`) as unknown,
      details: { paths: [path] },
    },
  });
  expect(differences(await takeFingerprint(repo), before)).toEqual([]);
}

function makeFifo(repo: TempRepository, name: string): void {
  execFileSync("mkfifo", [name], { cwd: repo.root });
}
