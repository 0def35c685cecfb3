/** Repositories of versions that kept checkpoints in the user's own refs: they move into the store with the next change. */
import { chmodSync, existsSync } from "node:fs";
import { cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { waymarkArguments } from "../support/cli.ts";
import { deleteObject } from "../support/damage.ts";
import { field, items, text } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";
import { withTempRepository } from "../support/temp-repository.ts";
import { canKill, killed } from "../spec/killed.ts";
import { RuleProject } from "../spec/project.ts";

interface Earlier {
  readonly project: RuleProject;
  /** Oldest first. */
  readonly ids: readonly string[];
  readonly refs: string;
}

/** What 0.1 left: refs and objects in the project, a note of each pack, no store. */
async function backInTime({ repo }: RuleProject): Promise<string> {
  const store = repo.storeDir;
  await repo.git("fetch", "-q", store, "+refs/waymark/*:refs/waymark/*");
  await rm(store, { recursive: true });
  for (const line of (await repo.git("for-each-ref", "--format=%(refname)")).split("\n")) {
    if (line.startsWith("refs/waymark/keep/")) await repo.git("update-ref", "-d", line);
  }
  await mkdir(join(repo.root, ".git/waymark/packs"), { recursive: true });
  return ourRefs(repo.git("for-each-ref", "--format=%(objectname) %(refname)"));
}

async function ourRefs(listed: Promise<string>): Promise<string> {
  const isOurs = (line: string): boolean => / refs\/waymark\/(?!keep\/)/.test(line);
  return (await listed).split("\n").filter(isOurs).join("\n");
}

function withEarlier(body: (earlier: Earlier) => Promise<void>): Promise<void> {
  return withTempRepository(async (repo) => {
    const project = new RuleProject(repo);
    const ids: string[] = [];
    for (const name of ["one", "two", "three"]) {
      await repo.write("tracked.txt", `${name}\n`);
      await repo.git("add", "-A");
      await repo.commit(name);
      await repo.write("tracked.txt", `${name}, changed\n`);
      await repo.write(`${name}-new.txt`, `${name}\n`);
      ids.push(await project.create("-m", name));
    }
    await project.ok("rollback", ids[0] ?? "", "--yes", "--discard-commits");
    await project.ok("undo", "--yes");
    const trashed = await project.create("-m", "deleted");
    await project.ok("delete", trashed, "--yes");
    await body({ project, ids, refs: await backInTime(project) });
  });
}

async function expectMoved({ project, ids, refs }: Earlier): Promise<void> {
  const { repo } = project;
  const moved = await ourRefs(repo.store("for-each-ref", "--format=%(objectname) %(refname)"));
  for (const line of refs.split("\n")) expect(moved).toContain(line);
  expect(await ourRefs(repo.git("for-each-ref", "--format=%(objectname) %(refname)"))).toBe("");
  await repo.git("reflog", "expire", "--expire=now", "--all");
  await repo.git("gc", "-q", "--prune=now");
  const { json } = await project.ok("validate");
  for (const one of items(json, "checkpoints")) expect(field(one, "overall")).toBe(true);
  await project.ok("rollback", ids[0] ?? "", "--yes", "--discard-commits");
  expect(String(await repo.read("one-new.txt"))).toBe("one\n");
  await project.ok("undo", "--yes");
  expect(String(await repo.read("three-new.txt"))).toBe("three\n");
  await repo.git("fsck", "--strict");
}

describe("checkpoints of an earlier version", () => {
  it("are listed and shown where they are by commands that change nothing", () =>
    withEarlier(async ({ project, ids, refs }) => {
      const { json } = await project.ok("list");
      expect(items(json, "checkpoints").map((one) => text(one, "id"))).toEqual([...ids].reverse());
      await project.ok("show", ids[0] ?? "");
      await project.ok("diff", ids[0] ?? "", ids[1] ?? "");
      await project.ok("rollback", ids[0] ?? "", "--dry-run", "--discard-commits");
      expect(existsSync(project.repo.storeDir)).toBe(false);
      const now = project.repo.git("for-each-ref", "--format=%(objectname) %(refname)");
      expect(await ourRefs(now)).toBe(refs);
    }));

  it("move with the next change: the same ids, content, undo list, trash", () =>
    withEarlier(async (earlier) => {
      const { project } = earlier;
      const words = waymarkArguments(project.repo.root, "create", "-m", "by the new version");
      const { repo } = project;
      const result = await runCommand(process.execPath, words, { cwd: repo.root, env: repo.env });
      expect(result.code).toBe(0);
      expect(result.stderr).toContain("of an earlier version into .git/waymark/store");
      await expectMoved(earlier);
      await project.ok("delete", "--undo", "--all");
      const { stdout } = await project.ok("doctor");
      expect(String(stdout)).toMatch(/\d checkpoints of an earlier version moved into the store/);
    }));

  it("move again when a process of the old version adds one meanwhile", () =>
    withEarlier(async (earlier) => {
      const { project } = earlier;
      await project.create("-m", "by the new version");
      const { repo } = project;
      // The old process knows nothing of the store.
      await cp(repo.storeDir, join(repo.base, "kept"), { recursive: true });
      await repo.write("later.txt", "later\n");
      const late = await project.create("-m", "by the old version");
      const commit = (await repo.store("rev-parse", `refs/waymark/cp/${late}`)).trim();
      await repo.git(
        "fetch",
        "-q",
        repo.storeDir,
        `refs/waymark/cp/${late}:refs/waymark/cp/${late}`,
      );
      await rm(repo.storeDir, { recursive: true });
      await cp(join(repo.base, "kept"), repo.storeDir, { recursive: true });
      await mkdir(join(repo.root, ".git/waymark/packs"));
      await project.create("-m", "by the new version again");
      expect((await repo.store("rev-parse", `refs/waymark/cp/${late}`)).trim()).toBe(commit);
      await expectMoved(earlier);
    }));

  it("can go back to the earlier version with plain git", () =>
    withEarlier(async ({ project, ids, refs }) => {
      await project.create("-m", "by the new version");
      const { repo } = project;
      await repo.git("fetch", "-q", ".git/waymark/store", "+refs/waymark/*:refs/waymark/*");
      const now = await ourRefs(repo.git("for-each-ref", "--format=%(objectname) %(refname)"));
      for (const line of refs.split("\n")) expect(now).toContain(line);
      expect(await repo.git("show", `refs/waymark/cp/${ids[0]}:worktree/one-new.txt`)).toBe(
        "one\n",
      );
    }));

  it("that are damaged stay and are named; the others move", () =>
    withEarlier(async ({ project, ids }) => {
      const { repo } = project;
      const blob = await repo.git("rev-parse", `refs/waymark/cp/${ids[1]}:worktree/tracked.txt`);
      await repo.git("repack", "-q");
      await deleteObject(repo, blob.trim());
      const words = waymarkArguments(repo.root, "create", "-m", "by the new version");
      const result = await runCommand(process.execPath, words, { cwd: repo.root, env: repo.env });
      expect(result.code).toBe(0);
      expect(result.stderr).toContain(`not moved: refs/waymark/cp/${ids[1]}`);
      const { json } = await project.ok("list");
      const listed = items(json, "checkpoints").map((one) => text(one, "id"));
      expect(listed).toContain(ids[0]);
      expect(listed).toContain(ids[2]);
    }));

  it.skipIf(process.getuid?.() === 0)("in a repository that is read-only can be looked at", () =>
    withEarlier(async ({ project, ids }) => {
      const git = join(project.repo.root, ".git");
      chmodSync(join(git, "waymark"), 0o500);
      try {
        await project.ok("list");
        await project.ok("show", ids[0] ?? "");
        expect((await project.run("create")).code).not.toBe(0);
      } finally {
        chmodSync(join(git, "waymark"), 0o700);
      }
    }),
  );

  it.skipIf(!canKill)("are all there wherever the move is killed", () =>
    withEarlier(async (earlier) => {
      await killed(earlier.project, ["create", "--force"], async (copy) => {
        const listed = items((await copy.ok("list")).json, "checkpoints");
        expect(listed.map((one) => text(one, "id"))).toEqual(
          expect.arrayContaining([...earlier.ids]),
        );
        await copy.create("-m", "after the kill");
        await expectMoved({ ...earlier, project: copy });
      });
    }),
  );
});
