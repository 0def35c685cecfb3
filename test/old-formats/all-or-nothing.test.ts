/** Imports that are killed, and several at once: a session is here with all of its checkpoints or not at all. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { canKill, killed } from "../spec/killed.ts";
import { withSeed } from "../spec/project.ts";
import { items } from "../support/json.ts";
import { strayPackFiles } from "../support/stray-pack-files.ts";
import { checkpointsOf, expectAllValid, importFrom } from "./imported.ts";
import { GO_TEAM_SESSION, writeGoTeam } from "./sources.ts";

describe.skipIf(!canKill)("killed anywhere", () => {
  it("[R88] an import brings a session with all of its checkpoints or nothing of it, and the next one works", async () => {
    await withSeed(async (project) => {
      const { path } = await writeGoTeam(project.repo);
      await killed(project, ["import", "--from", "go-team", path], async (copy) => {
        await copy.ok("recover");
        const refs = await copy.repo.storeRefs("refs/waymark/session", "refs/waymark/cp");
        const isHere = refs.includes(`refs/waymark/session/${GO_TEAM_SESSION}\n`);
        expect(refs.match(/refs\/waymark\/cp\//g) ?? []).toHaveLength(isHere ? 3 : 0);
        await importFrom(copy, "go-team", path);
        expect(await checkpointsOf(copy, GO_TEAM_SESSION)).toHaveLength(3);
        await expectAllValid(copy);
        const left = await readdir(await copy.repo.gitPath("waymark/quarantine")).catch(() => []);
        expect(left).toEqual([]);
        expect(await strayPackFiles(copy.repo)).toEqual([]);
      });
    });
  }, 240_000);
});

describe("several at once", () => {
  it("[R88] make each session once", async () => {
    await withSeed(async (project) => {
      const { path } = await writeGoTeam(project.repo);
      const all = await Promise.all(
        Array.from({ length: 4 }, () => importFrom(project, "go-team", path)),
      );
      const results = all.map(({ json }) => items(json, "sessions")[0]);
      expect(
        results.filter((one) => (one as { result: string }).result === "imported"),
      ).toHaveLength(1);
      expect(await checkpointsOf(project, GO_TEAM_SESSION)).toHaveLength(3);
      await expectAllValid(project);
    });
  });
});

describe("what an import leaves as it is", () => {
  it("[R88] is the work tree, the index, HEAD, branches, tags and the stash", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const { path } = await writeGoTeam(repo);
      await repo.write("b.txt", "mine\n");
      await repo.git("add", "b.txt");
      await repo.write("c.txt", "mine too\n");
      await repo.git("status");
      const look = async (): Promise<unknown> => ({
        status: await repo.git("status", "--porcelain=v2", "--branch"),
        refs: await repo.git("for-each-ref", "refs/heads", "refs/tags", "refs/stash"),
        head: await repo.git("rev-parse", "HEAD"),
        index: (await repo.read(".git/index")).toString("base64"),
        files: (await readdir(repo.root)).filter((name) => name !== ".checkpoints"),
      });
      const before = await look();
      await importFrom(project, "go-team", join(path, GO_TEAM_SESSION));
      expect(await look()).toEqual(before);
    });
  });
});
