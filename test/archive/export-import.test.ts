/** Checkpoints leave a project as one file and come back in another: whole, or not at all. */
import { createHash } from "node:crypto";
import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CliResult, errorMessage, expectExit, waymark } from "../support/cli.ts";
import { deleteObject } from "../support/damage.ts";
import { strictDifferences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { field, items, text } from "../support/json.ts";
import { makeDirty, seedRepository } from "../support/seed-repository.ts";
import { strayPackFiles } from "../support/stray-pack-files.ts";
import { type TempRepository, withTempRepository } from "../support/temp-repository.ts";
import { RuleProject, withDirty, withSeed } from "../spec/project.ts";
import { trackableNames, untrackableNames } from "../states/odd-name-catalogue.ts";

async function exportTo(project: RuleProject, name: string, ...args: string[]): Promise<string> {
  const file = join(project.repo.base, name);
  await project.ok("export", ...args, "-o", file);
  return file;
}

/** A clone knows the history and nothing of the checkpoints. */
async function cloneOf(
  project: RuleProject,
  name: string,
  ...args: string[]
): Promise<RuleProject> {
  const clone = project.at(name);
  await project.repo.git("clone", "-q", ...args, project.repo.root, clone.repo.root);
  return clone;
}

async function emptyProject(
  project: RuleProject,
  name: string,
  ...args: string[]
): Promise<RuleProject> {
  const other = project.at(name);
  await project.repo.git("init", "-q", "-b", "main", ...args, other.repo.root);
  return other;
}

/** Files and folders with kind, mode and bytes, without what git ignores: a clone does not have that. */
async function filesOf(repo: TempRepository): Promise<Map<string, string>> {
  const { paths } = await takeFingerprint(repo);
  return new Map(
    [...paths]
      .filter(([key]) => !/^(?:\.git|trace\.log|build(?:\/.*)?)$/.test(key))
      .map(([key, { type, mode, content }]) => [key, `${type} ${mode} ${content}`]),
  );
}

const idsOf = (result: CliResult): string[] =>
  items(result.json, "checkpoints").map((entry) => text(entry, "id"));

describe("export and import", () => {
  it("[R31] undo in a clone does not take back a rollback of the machine that the archive is from", async () => {
    await withSeed(async (project) => {
      const id = await project.create();
      await project.repo.write("a.txt", "of the other machine\n");
      await project.rollBack(id);
      const file = await exportTo(project, "all.bundle");
      const clone = await cloneOf(project, "clone");
      await clone.repo.write("mine.txt", "my own work\n");
      await clone.ok("import", file);
      expectExit(await clone.run("undo", "--yes"), 3);
      expect(await clone.repo.exists("mine.txt")).toBe(true);
    });
  });

  it("[R31] nor does it speak of one whose safety checkpoint was not in the archive, and it finds its own", async () => {
    await withSeed(async (project) => {
      await project.ok("session", "start", "--type", "test", "--id", "elsewhere");
      const clone = await cloneOf(project, "clone");
      const here = await clone.create();
      await clone.repo.write("a.txt", "mine\n");
      await clone.rollBack(here);
      const other = await project.create("--force");
      await project.repo.write("a.txt", "of the other machine\n");
      await project.rollBack(other);
      const file = await exportTo(project, "some.bundle", other);
      const { json } = await clone.ok("import", file);
      expect(items(json, "imported")).toEqual([other]);
      expect(items(json, "sessions", "imported")).toEqual(["elsewhere"]);
      await clone.ok("undo", "--yes");
      expect(String(await clone.repo.read("a.txt"))).toBe("mine\n");
      const nothing = await clone.run("undo", "--yes");
      expectExit(nothing, 3);
      expect(text(nothing.json, "error", "code")).toBe("nothing_to_undo");
      const asked = await clone.run("undo", "--yes", "--session", "elsewhere");
      expect(text(asked.json, "error", "code")).toBe("nothing_to_undo");
    });
  });

  it("[R31] nor after an import that moved its session on: the rollback that was made here is found below", async () => {
    await withSeed(async (project) => {
      const inSession = ["--session", "shared"];
      const id = await project.create(...inSession);
      await project.repo.write("a.txt", "precious\n");
      await project.ok("rollback", id, "--yes", ...inSession);
      const clone = await cloneOf(project, "clone");
      await clone.ok("import", await exportTo(project, "there.bundle"));
      await clone.repo.write("a.txt", "of the other machine\n");
      await clone.ok("rollback", id, "--yes", ...inSession);
      await project.ok("import", await exportTo(clone, "back.bundle"));
      await project.ok("undo", "--yes");
      expect(String(await project.repo.read("a.txt"))).toBe("precious\n");
      expectExit(await project.run("undo", "--yes"), 3);
    });
  });

  it("[R31] in a fresh clone the checkpoints are there, rolled back to and undone", async () => {
    await withDirty(async (project) => {
      const id = await project.create("-m", "here");
      const files = await filesOf(project.repo);
      const index = await project.repo.git("ls-files", "-s", "-t");
      const file = await exportTo(project, "all.bundle");
      const clone = await cloneOf(project, "clone");
      await clone.repo.write("own.txt", "work in the clone\n");
      const before = await takeFingerprint(clone.repo);
      const filesBefore = await filesOf(clone.repo);
      const imported = await clone.ok("import", file);
      expect(items(imported.json, "imported")).toEqual([id]);
      expect(strictDifferences(await takeFingerprint(clone.repo), before)).toEqual([]);
      expect(idsOf(await clone.ok("list", "--all"))).toEqual([id]);
      await clone.rollBack(id);
      expect(await filesOf(clone.repo)).toEqual(files);
      expect(await clone.repo.git("ls-files", "-s", "-t")).toBe(index);
      await clone.ok("undo", "--yes");
      expect(await filesOf(clone.repo)).toEqual(filesBefore);
      expectExit(await clone.run("validate"), 0);
    });
  });

  it("[R31] pins come too where a session of that name is kept as it is, and no others", async () => {
    await withSeed(async (project) => {
      const clone = await cloneOf(project, "clone");
      const own = await clone.create("-m", "own");
      const [plain, pinned] = [await project.create(), await project.create("--force")];
      await project.ok("pin", pinned, "-m", "last good one");
      const file = await exportTo(project, "all.bundle");
      const planned = await clone.ok("import", file, "--dry-run");
      expect(items(planned.json, "pinned")).toEqual([pinned]);
      const { json } = await clone.ok("import", file);
      expect(items(json, "sessions", "kept")).toEqual(["worktree-main"]);
      expect(items(json, "pinned")).toEqual([pinned]);
      expectExit(await clone.run("delete", pinned, "--yes"), 5);
      await clone.ok("delete", plain, "--yes");
      const shown = await clone.ok("show", pinned);
      expect(JSON.stringify(shown.json)).toContain("last good one");
      // What is here already has the pins that it has here.
      await clone.ok("unpin", pinned);
      expect(items((await clone.ok("import", file)).json, "pinned")).toEqual([]);
      await clone.ok("delete", pinned, "--yes");
      // The import brought the other one back out of the trash.
      expect(idsOf(await clone.ok("list", "--all")).toSorted()).toEqual([own, plain].toSorted());
    });
  });

  it("[R31] what was deleted here comes back out of the trash, as its own and with its copied files", async () => {
    await withSeed(async (project) => {
      await project.repo.write("kept.log", "kept\n");
      const id = await project.create("--scope", "kept.log");
      await project.create("--force");
      const file = await exportTo(project, "all.bundle", id);
      await project.ok("delete", id, "--yes");
      expect(items((await project.ok("import", file)).json, "imported")).toEqual([id]);
      expect(await project.repo.storeRefs("refs/waymark/trash")).toBe("");
      await project.ok("cleanup", "--now", "--yes");
      await project.repo.write("kept.log", "changed\n");
      await project.ok("rollback", id, "--yes");
      expect(String(await project.repo.read("kept.log"))).toBe("kept\n");
    });
  });

  it("[R31] in a repository that has nothing in common, and in a linked work tree, too", async () => {
    await withDirty(async (project) => {
      const id = await project.create();
      const files = await filesOf(project.repo);
      const file = await exportTo(project, "all.bundle");
      const other = await emptyProject(project, "other");
      await other.ok("import", file);
      await other.rollBack(id);
      expect(await filesOf(other.repo)).toEqual(files);
      expect(await other.repo.git("rev-parse", "HEAD")).toBe(
        await project.repo.git("rev-parse", "HEAD"),
      );
      const clone = await cloneOf(project, "clone");
      await clone.repo.git("worktree", "add", "-q", "--detach", join(project.repo.base, "linked"));
      const linked = project.at("linked");
      await linked.ok("import", file);
      await linked.ok("rollback", id, "--yes", "--keep-head");
      expect(await filesOf(linked.repo)).toEqual(files);
    });
  });

  it("[R31] of a project whose path has a colon and a quote, into another one like it", async () => {
    await withDirty(async (project) => {
      const odd = await cloneOf(project, 'a:b"c');
      await odd.repo.write("new", "new\n");
      const id = await odd.create();
      const file = await exportTo(odd, "all.bundle");
      const other = await emptyProject(project, 'd:"e"');
      await other.ok("import", file);
      await other.rollBack(id);
      expect(String(await other.repo.read("new"))).toBe("new\n");
      await odd.repo.write("new", "newer\n");
      const { json } = await odd.ok("diff", id);
      expect(items(json, "files")).toMatchObject([{ path: "new", added: 1, removed: 1 }]);
    });
  });

  it("[R31] edits in the clone stay visible to git after a rollback to an imported checkpoint", async () => {
    await withSeed(async (project) => {
      await project.repo.git("update-index", "--untracked-cache");
      await project.repo.write("a.txt", "first\n");
      const id = await project.create();
      expect(
        await project.repo.store("cat-file", "blob", `refs/waymark/cp/${id}:index.raw`),
      ).toContain("UNTR");
      const file = await exportTo(project, "all.bundle");
      const clone = await cloneOf(project, "clone");
      await clone.ok("import", file);
      await clone.rollBack(id);
      const index = await readFile(await clone.repo.gitPath("index"), "latin1");
      expect(index).not.toContain("UNTR");
      await clone.repo.write("b.txt", "BETA\n");
      expect((await clone.repo.git("status", "--porcelain")).split("\n").filter(Boolean)).toEqual([
        " M a.txt",
        " M b.txt",
      ]);
    });
  });

  it("[R31] holds names that git calls hostile, and any other", async () => {
    await withSeed(async (project) => {
      for (const [at, name] of [...trackableNames, ...untrackableNames].entries())
        await project.repo.write(name, `odd ${at}\n`);
      const id = await project.create();
      const files = await filesOf(project.repo);
      const other = await emptyProject(project, "other");
      await other.ok("import", await exportTo(project, "odd.bundle"));
      await other.rollBack(id);
      expect(await filesOf(other.repo)).toEqual(files);
    });
  });

  it("[R31] works for sha256 repositories, and says so when the two do not fit", async () => {
    await withTempRepository(
      async (repo) => {
        await seedRepository(repo);
        await makeDirty(repo);
        const project = new RuleProject(repo);
        const id = await project.create();
        const file = await exportTo(project, "sha256.bundle");
        const same = await emptyProject(project, "same", "--object-format=sha256");
        await same.ok("import", file);
        await same.rollBack(id);
        const other = await emptyProject(project, "sha1");
        const refused = await other.run("import", file);
        expectExit(refused, 4);
        expect(errorMessage(refused)).toMatch(/sha256.*sha1/);
      },
      ["--object-format=sha256"],
    );
  });

  it("[R31] keeps a merge with conflicts, an unborn branch and a detached HEAD", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.git("checkout", "-q", "--detach");
      const detached = await project.create("--name", "detached");
      await repo.git("checkout", "-q", "other");
      await repo.write("a.txt", "other side\n");
      await repo.git("commit", "-q", "-am", "other side");
      await repo.gitStops("merge", "main");
      const merge = await project.create("--name", "merge");
      const stages = await repo.git("ls-files", "-s");
      const file = await exportTo(project, "operations.bundle");
      const other = await emptyProject(project, "target");
      const unborn = await other.create("--name", "unborn");
      await other.ok("import", file);
      await other.rollBack(merge);
      expect(await other.repo.git("ls-files", "-s")).toBe(stages);
      expect(await other.repo.git("rev-parse", "MERGE_HEAD")).toBe(
        await repo.git("rev-parse", "MERGE_HEAD"),
      );
      await other.ok("undo", "--yes");
      await other.rollBack(detached);
      await other.ok("undo", "--yes");
      await (
        await emptyProject(project, "third")
      ).ok("import", await exportTo(other, "unborn.bundle", unborn));
    });
  });

  it("shows size, sha256 and contents, and is a bundle that only its owner can read", async () => {
    await withDirty(async (project) => {
      await project.create("--step", "1");
      const id = await project.create("--step", "2");
      await waymark(project.repo.root, ["--session", "task-12", "create", "--force"], {
        env: project.repo.env,
      });
      const all = await project.ok("export");
      const file = text(all.json, "file");
      const bytes = await readFile(file);
      expect(field(all.json, "bytes")).toBe(bytes.length);
      expect(text(all.json, "sha256")).toBe(createHash("sha256").update(bytes).digest("hex"));
      expect(items(all.json, "checkpoints")).toHaveLength(3);
      expect(new Set(items(all.json, "sessions"))).toEqual(new Set(["task-12", "worktree-main"]));
      expect(file.startsWith(join(project.repo.root, ".git/waymark/exports/"))).toBe(true);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect((await stat(dirname(file))).mode & 0o777).toBe(0o700);
      const step = await project.ok("export", "2", "-o", project.repo.base);
      expect(items(step.json, "checkpoints").map((entry) => text(entry, "id"))).toEqual([id]);
      const session = await project.ok(
        "--session",
        "task-12",
        "export",
        "-o",
        join(project.repo.base, "s.bundle"),
      );
      expect(items(session.json, "sessions")).toEqual(["task-12"]);
      expect(items(session.json, "checkpoints")).toHaveLength(1);
      await project.ok("export");
      await project.ok("export");
      expect((await readdir(dirname(file))).length).toBe(3);
    });
  });

  it("never replaces a file without --force, and never leaves half of one", async () => {
    await withDirty(async (project) => {
      await project.create();
      const file = join(project.repo.base, "taken.bundle");
      await writeFile(file, "somebody's\n");
      const refused = await project.run("export", "-o", file);
      expectExit(refused, 1);
      expect(text(refused.json, "error", "code")).toBe("already_exists");
      expect(await readFile(file, "utf8")).toBe("somebody's\n");
      await project.ok("export", "-o", file, "--force");
      expect((await project.repo.git("bundle", "verify", file)).length).toBeGreaterThan(0);
      const nowhere = await project.run("export", "-o", "nodir/x.bundle");
      expectExit(nowhere, 2);
      expect(text(nowhere.json, "error", "message")).toBe("no such folder: nodir");
      const locked = join(project.repo.base, "locked");
      await mkdir(locked);
      await chmod(locked, 0o500);
      if (process.getuid?.() !== 0) {
        const denied = await project.run("export", "-o", join(locked, "x.bundle"));
        expect(text(denied.json, "error", "code")).toBe("no_permission");
      }
      const names = await readdir(project.repo.base);
      expect(names.filter((name) => name.includes("tmp"))).toEqual([]);
      const quarantine = await project.repo.gitPath("waymark/quarantine");
      expect(await readdir(quarantine).catch(() => [])).toEqual([]);
    });
  });

  it("says when there is nothing to export", async () => {
    await withSeed(async (project) => {
      const result = await project.run("export");
      expectExit(result, 3);
      expect(text(result.json, "error", "code")).toBe("checkpoint_not_found");
      expectExit(await project.run("export", "nothing-like-it"), 3);
      expect(await project.repo.exists(".git/waymark/exports")).toBe(false);
    });
  });

  it("does not export a damaged checkpoint silently", async () => {
    await withDirty(async (project) => {
      const damaged = await project.create();
      await project.repo.write("untracked.txt", "something else\n");
      const sound = await project.create();
      const blob = await project.repo.store(
        "rev-parse",
        `refs/waymark/cp/${damaged}:worktree/untracked.txt`,
      );
      await deleteObject(project.repo, blob.trim());
      const refused = await project.run("export", "-o", join(project.repo.base, "x.bundle"));
      expectExit(refused, 4);
      expect(text(refused.json, "error", "code")).toBe("checkpoint_damaged");
      expect(errorMessage(refused)).toContain(damaged);
      const rest = await project.ok(
        "export",
        "--skip-damaged",
        "-o",
        join(project.repo.base, "y.bundle"),
      );
      expect(items(rest.json, "checkpoints").map((entry) => text(entry, "id"))).toEqual([sound]);
      expect(items(rest.json, "skipped").map((entry) => text(entry, "id"))).toEqual([damaged]);
    });
  });

  it("leaves out history that the receiver has, and names what is missing elsewhere", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      await repo.write(
        "large.bin",
        Buffer.from(Array.from({ length: 50_000 }, (_, at) => (at * 7919) % 251)),
      );
      await repo.git("add", "large.bin");
      await repo.commit("large");
      const head = (await repo.git("rev-parse", "HEAD")).trim();
      await repo.write("b.txt", "after it\n");
      const id = await project.create();
      const whole = await exportTo(project, "whole.bundle");
      const part = await exportTo(project, "part.bundle", "--since", "HEAD~1", "main");
      expect((await stat(part)).size).toBeLessThan((await stat(whole)).size);
      const clone = await cloneOf(project, "clone");
      await clone.ok("import", part);
      await clone.rollBack(id);
      expect((await clone.repo.read("b.txt")).toString()).toBe("after it\n");
      const thin = await exportTo(clone, "thin.bundle", "--thin");
      const dryRun = await project.ok("import", thin, "--dry-run");
      expect(items(dryRun.json, "basis")).toEqual([head]);
      const other = await emptyProject(project, "other");
      const refused = await other.run("import", part);
      expectExit(refused, 4);
      expect(errorMessage(refused)).toContain(head);
      expect(await other.repo.allRefs()).toBe("");
      expectExit(await project.run("export", "--thin"), 2);
      expectExit(await project.run("export", "--since", "nowhere"), 2);
    });
  });

  it("says what a shallow and a partial clone cannot export", async () => {
    await withDirty(async (project) => {
      const url = `file://${project.repo.root}`;
      await project.repo.git("config", "uploadpack.allowFilter", "true");
      const shallow = project.at("shallow");
      await project.repo.git("clone", "-q", "--depth=1", url, shallow.repo.root);
      await shallow.repo.write("a.txt", "in the shallow clone\n");
      const id = await shallow.create();
      const refused = await shallow.run("export", "-o", join(project.repo.base, "s.bundle"));
      expectExit(refused, 4);
      expect(errorMessage(refused)).toContain("shallow");
      await project.ok("import", await exportTo(shallow, "s.bundle", "--thin"));
      expect(idsOf(await project.ok("list", "--all"))).toContain(id);
      const partial = project.at("partial");
      await project.repo.git("clone", "-q", "--filter=blob:none", url, partial.repo.root);
      await partial.repo.write("a.txt", "in the partial clone\n");
      await partial.create();
      const missing = await partial.run("export", "-o", join(project.repo.base, "p.bundle"));
      expectExit(missing, 4);
      expect(errorMessage(missing)).toMatch(/missing/);
      await project.ok("import", await exportTo(partial, "p.bundle", "--thin"));
    });
  });
});

describe("import", () => {
  it("[R33] says what is there already, and refuses an id that means something else here", async () => {
    await withDirty(async (project) => {
      const first = await project.create();
      const file = await exportTo(project, "one.bundle");
      const clone = await cloneOf(project, "clone");
      await clone.ok("import", file);
      const again = await clone.ok("import", file);
      expect(items(again.json, "imported")).toEqual([]);
      expect(items(again.json, "already_there")).toEqual([first]);
      await project.repo.write("a.txt", "more\n");
      const second = await project.create();
      await clone.repo.store("update-ref", `refs/waymark/cp/${first}`, await clone.repo.head());
      const refs = await clone.repo.allRefs();
      const both = await exportTo(project, "both.bundle");
      const conflict = await clone.run("import", both);
      expectExit(conflict, 1);
      expect(text(conflict.json, "error", "code")).toBe("archive_conflict");
      expect(field(conflict.json, "error", "details", "conflicts")).toEqual([first]);
      expect(await clone.repo.allRefs()).toBe(refs);
      const dryRun = await clone.ok("import", both, "--dry-run");
      expect(items(dryRun.json, "refused")).toEqual([first]);
      expect(items(dryRun.json, "imported")).toEqual([second]);
      expect(await clone.repo.allRefs()).toBe(refs);
    });
  });

  it("[R33] takes a session on only from where it is here, and keeps ours otherwise", async () => {
    await withDirty(async (project) => {
      const inSession = (where: RuleProject, ...args: string[]): Promise<CliResult> =>
        where.ok("--session", "task-12", ...args);
      const id = text((await inSession(project, "create", "--force")).json, "checkpoint", "id");
      const clone = await cloneOf(project, "clone");
      const first = await clone.ok("import", await exportTo(project, "1.bundle"));
      expect(field(first.json, "sessions", "imported")).toEqual(["task-12"]);
      await project.repo.write("a.txt", "later\n");
      await inSession(project, "rollback", id, "--yes");
      const second = await clone.ok("import", await exportTo(project, "2.bundle", id));
      expect(field(second.json, "sessions", "imported")).toEqual(["task-12"]);
      expect(await clone.repo.store("rev-parse", "refs/waymark/session/task-12")).toBe(
        await project.repo.store("rev-parse", "refs/waymark/session/task-12"),
      );
      await clone.repo.write("a.txt", "in the clone\n");
      await clone.ok("--session", "task-12", "rollback", id, "--yes", "--discard-commits");
      await project.repo.write("a.txt", "and here\n");
      await inSession(project, "rollback", id, "--yes");
      const ours = await clone.repo.store("rev-parse", "refs/waymark/session/task-12");
      const third = await clone.ok("import", await exportTo(project, "3.bundle", id));
      expect(field(third.json, "sessions", "kept")).toContain("task-12");
      expect(await clone.repo.store("rev-parse", "refs/waymark/session/task-12")).toBe(ours);
    });
  });

  it("writes into the journal what came from where", async () => {
    await withDirty(async (project) => {
      const id = await project.create();
      const file = await exportTo(project, "one.bundle");
      const clone = await cloneOf(project, "clone");
      await clone.ok("import", file, "--dry-run");
      expect(await clone.repo.storeRefs("refs/waymark")).toBe("");
      await clone.ok("import", file);
      const message = await clone.repo.store(
        "log",
        "-1",
        "--format=%B",
        "refs/waymark/session/worktree-main",
      );
      const session: unknown = JSON.parse(message.slice(message.indexOf("\n\n{")));
      const event = items(session, "events").at(-1);
      expect(field(event, "kind")).toBe("import");
      expect(field(event, "checkpoint_ids")).toEqual([id]);
      expect(basename(text(event, "details", "file"))).toBe("one.bundle");
    });
  });

  it("[R33] several at once all end well", async () => {
    await withDirty(async (project) => {
      const id = await project.create();
      const file = await exportTo(project, "one.bundle");
      const clone = await cloneOf(project, "clone");
      const results = await Promise.all([1, 2, 3, 4].map(() => clone.run("import", file)));
      for (const result of results) expectExit(result, 0);
      expect(results.filter((result) => items(result.json, "imported").includes(id))).toHaveLength(
        1,
      );
      expectExit(await clone.run("validate"), 0);
      const quarantine = await clone.repo.gitPath("waymark/quarantine");
      expect(await readdir(quarantine)).toEqual([]);
      expect(await strayPackFiles(clone.repo)).toEqual([]);
    });
  });
});
