/** The two halves of a checkpoint: made and removed together, stored once, and out of the way of what cleans a work tree. */
import { randomBytes } from "node:crypto";
import { lstat, readdir, readlink, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { prepareKillpoint, runTraced } from "../../scripts/faults/killpoint.mjs";
import { spread } from "../../scripts/faults/matrix.mjs";
import { cliEnvironment, expectExit, waymarkArguments } from "../support/cli.ts";
import { field } from "../support/json.ts";
import { points } from "../support/sample.ts";
import { type RuleProject, withSeed } from "../spec/project.ts";
import { OTHER_TOKEN, SECRET_FILE } from "../secrets/fake-secrets.ts";

const MB = 1_000_000;

async function idsOf({ repo }: RuleProject, half: "cp" | "local"): Promise<string[]> {
  const format = "--format=%(refname:lstrip=3)";
  const refs = await repo.store("for-each-ref", format, `refs/waymark/${half}`);
  return refs.split("\n").filter(Boolean).toSorted();
}

async function packedBytes({ repo }: RuleProject): Promise<number> {
  const folder = join(repo.storeDir, "objects/pack");
  const packs = (await readdir(folder)).filter((name) => name.endsWith(".pack"));
  const sizes = await Promise.all(packs.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

describe("the local half", () => {
  it("[R67] stores the same ignored file once, whatever checkpoints are between, and for undo too", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write(".gitignore", "/data/\n");
      await repo.write("data/model.bin", randomBytes(20 * MB));
      const first = await project.create("--scope", "data");
      await repo.write("a.txt", "another\n");
      await project.create();
      await repo.write("data/small.txt", "new\n");
      await project.create("--scope", "data");
      expect(await packedBytes(project)).toBeLessThan(21 * MB);
      await repo.remove("data");
      await project.rollBack(first);
      await project.ok("undo", "--yes");
      await project.ok("redo", "--yes");
      expect((await stat(repo.path("data/model.bin"))).size).toBe(20 * MB);
      expect(await packedBytes(project)).toBeLessThan(21 * MB);
    });
  });

  it("[R67] is untouched by git clean and by a removed .checkpoints, and brings modes and links back", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write(".gitignore", "/data/\n");
      await repo.write("data/run.sh", "#!/bin/sh\n", 0o750);
      await repo.write("data/private", "mine\n", 0o600);
      await repo.link("data/link", "run.sh");
      await repo.write("deploy.ts", SECRET_FILE, 0o640);
      const id = await project.create("--scope", ".");
      await repo.git("clean", "-qfdx");
      await repo.remove(".checkpoints");
      expect(await repo.exists("data")).toBe(false);
      await project.rollBack(id);
      const modes = async (path: string): Promise<number> =>
        (await lstat(repo.path(path))).mode & 0o777;
      expect([
        await modes("data/run.sh"),
        await modes("data/private"),
        await modes("deploy.ts"),
      ]).toEqual([0o750, 0o600, 0o640]);
      expect(await readlink(repo.path("data/link"))).toBe("run.sh");
      expect((await repo.read("deploy.ts")).toString()).toBe(SECRET_FILE);
      expectExit(await project.run("validate"), 0);
    });
  });

  it("[R9] is part of what makes two moments the same", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("deploy.ts", SECRET_FILE);
      const first = await project.create();
      expect(field((await project.ok("create")).json, "unchanged")).toBe(true);
      await repo.write("deploy.ts", SECRET_FILE.replace("token", "other"));
      const second = await project.create();
      expect(second).not.toBe(first);
      const trees = await Promise.all(
        [first, second].map((id) => repo.store("rev-parse", `refs/waymark/cp/${id}:worktree`)),
      );
      expect(trees[0]).toBe(trees[1]);
      await project.rollBack(first);
      expect((await repo.read("deploy.ts")).toString()).toBe(SECRET_FILE);
    });
  });

  it("[R175] that is lost where it was taken is damage: made again from its objects, or nothing is changed", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("deploy.ts", SECRET_FILE);
      await repo.write("key.ts", `const other = "${OTHER_TOKEN}";\n`);
      const id = await project.create();
      const ref = `refs/waymark/local/${id}`;
      await repo.store("update-ref", "-d", ref);
      expectExit(await project.run("validate", id), 4);
      await project.ok("rebuild", id);
      expectExit(await project.run("validate", id), 0);
      await repo.write("deploy.ts", "since\n");
      await repo.store("update-ref", "-d", ref);
      await project.rollBack(id);
      expect((await repo.read("deploy.ts")).toString()).toBe(SECRET_FILE);
      await project.ok("undo", "--yes");
      // Nor has the safety checkpoint.
      for (const other of await idsOf(project, "local")) {
        await repo.store("update-ref", "-d", `refs/waymark/local/${other}`);
      }
      await repo.store("repack", "-adq");
      await repo.store("prune", "--expire=now");
      expectExit(await project.run("rollback", id, "--yes"), 4);
      expect((await repo.read("deploy.ts")).toString()).toBe("since\n");
    });
  });
});

const killpoint = await prepareKillpoint();
const tracer = killpoint.kind === "ready" ? killpoint.path : "";
const KILLS = points(8);

describe.skipIf(tracer === "")("a create with two halves", () => {
  test("[R49] killed anywhere, leaves both or none once the next command has run", () =>
    withSeed(async (project) => {
      const { repo } = project;
      await repo.write(".gitignore", "/data/\n");
      await repo.write("data/a", "ignored\n");
      await repo.write("deploy.ts", SECRET_FILE);
      const args = waymarkArguments(repo.root, "create", "--force", "--scope", ".");
      const env = cliEnvironment(repo.env) as Record<string, string>;
      const create = (inject?: { at: number; action: "kill" }) =>
        runTraced(
          tracer,
          { root: join(repo.root, ".."), callClass: "name", ...(inject && { inject }) },
          [process.execPath, ...args],
          { cwd: repo.root, env },
        );
      const whole = await create();
      let killed = 0;
      for (const at of spread(whole.points, KILLS)) {
        const { died } = await create({ at, action: "kill" });
        killed += Number(died);
        await project.create("--force");
        const [checkpoints, halves] = [await idsOf(project, "cp"), await idsOf(project, "local")];
        expect([at, checkpoints]).toEqual([at, halves]);
        expectExit(await project.run("validate"), 0);
      }
      expect(killed).toBeGreaterThan(KILLS / 4);
    }));
});
