/** `waymark purge`: afterwards the object is in the store no more, and after the printed commands in no object of the repository either. */
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type RuleProject, withSeed } from "../spec/project.ts";
import { expectExit } from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";

const SECRET = "correct horse battery staple";

/** Every object of a repository, whether something leads to it or not. */
async function contentOf({ repo }: RuleProject, gitDir: string): Promise<string> {
  const args = ["--git-dir", gitDir, "cat-file", "--batch-all-objects", "--batch", "--unordered"];
  const result = await repo.tryGit(args);
  expect(result.code).toBe(0);
  return result.stdout.toString("latin1");
}

const STORE = ".git/waymark/store";

async function expectGone(project: RuleProject): Promise<void> {
  // The store shows what it borrows, too.
  for (const gitDir of [".git", STORE]) {
    expect(await contentOf(project, gitDir)).not.toContain(SECRET);
  }
  for (const one of items((await project.ok("validate")).json, "checkpoints")) {
    expect(field(one, "overall")).toBe(true);
  }
  await project.repo.git("fsck", "--strict", "--no-dangling");
}

async function runSteps({ repo }: RuleProject, purged: unknown): Promise<void> {
  for (const step of items(purged, "steps")) {
    const options = { cwd: repo.root, env: repo.env };
    const result = await runCommand("sh", ["-c", text(step, "command")], options);
    if (result.code !== 0) throw new Error(`${text(step, "command")}: ${result.stderr}`);
  }
}

const idsIn = (document: unknown): string[] =>
  items(document, "checkpoints").map((one) => text(one, "id"));

async function remaining(project: RuleProject): Promise<string[]> {
  return items((await project.ok("list")).json, "checkpoints").map((one) => text(one, "id"));
}

async function commitSecret(project: RuleProject, name = "password.txt"): Promise<string> {
  await project.repo.write(name, `${SECRET}\n`);
  await project.repo.git("add", name);
  return project.repo.commit("with a password");
}

async function amendAway({ repo }: RuleProject): Promise<void> {
  await repo.git("rm", "-q", "password.txt");
  await repo.git("commit", "-q", "--amend", "--allow-empty", "-m", "without it");
}

describe("a secret that was committed, checkpointed and amended away", () => {
  it.each<[string, boolean, boolean, boolean]>([
    ["by its path", false, false, false],
    ["where the store was made with it", true, false, false],
    ["with a checkpoint after the amend", false, true, false],
    ["where the store was made with it, and a checkpoint after the amend", true, true, false],
    ["in a store that owns its objects", true, true, true],
  ])("is in no object afterwards: %s", async (_, isFirst, isFollowed, isOwned) => {
    await withSeed(async (project) => {
      const before = isFirst ? [] : [await project.create()];
      await commitSecret(project);
      const id = await project.create();
      if (isOwned) await project.ok("store", "own");
      await amendAway(project);
      const after = isFollowed ? [await project.create()] : [];
      const { json } = await project.ok("purge", "password.txt", "--yes");
      expect(idsIn(json)).toEqual([id]);
      expect(json).toMatchObject({ gone: true, left: [] });
      expect((await remaining(project)).toSorted()).toEqual([...before, ...after].toSorted());
      expect(items(json, "steps").map((step) => text(step, "command"))).toEqual([
        "git reflog expire --expire=now --all && git gc --prune=now",
      ]);
      await runSteps(project, json);
      await expectGone(project);
    });
  });

  it("is found by the commit, by a revision and by the blob", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const commit = await commitSecret(project);
      const blob = (await repo.git("rev-parse", "HEAD:password.txt")).trim();
      const id = await project.create();
      await amendAway(project);
      for (const name of [commit, commit.slice(0, 10), "HEAD@{1}", blob, "HEAD@{1}:password.txt"]) {
        const { json } = await project.ok("purge", name, "--dry-run");
        expect(idsIn(json)).toEqual([id]);
        expect(json).toMatchObject({ dry_run: true, in_repository: { contains: true } });
        expect([name, field(json, "in_repository", "branches")]).toEqual([name, []]);
      }
      const { json } = await project.ok("purge", commit, "--yes");
      await runSteps(project, json);
      await expectGone(project);
    });
  });
});

describe("waymark purge", () => {
  it("removes untracked files that only checkpoints contain, also deleted ones", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("notes/plan.txt", `${SECRET}\n`);
      const listed = await project.create();
      const deleted = await project.create();
      await project.ok("delete", deleted, "--yes");
      await repo.write("notes/plan.txt", "harmless\n");
      const later = await project.create();
      await repo.git("clean", "-qfd");
      const clean = await project.create();
      const { json } = await project.ok("purge", "notes/plan.txt", "--yes");
      expect(idsIn(json).toSorted()).toEqual([deleted, later, listed].toSorted());
      expect(field(json, "in_repository", "contains")).toBe(false);
      expect(items(json, "steps")).toEqual([]);
      expect(await remaining(project)).toEqual([clean]);
      await expectGone(project);
    });
  });

  it.each(["secret.log", "the blob"])("removes copies of ignored files, by %s", async (by) => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write(".gitignore", "*.log\n");
      await repo.write("secret.log", `${SECRET}\n`);
      const id = await project.create("--scope", "secret.log");
      const blob = (await repo.git("hash-object", "-w", "secret.log")).trim();
      const { json } = await project.ok("purge", by === "the blob" ? blob : by, "--yes");
      expect(idsIn(json)).toEqual([id]);
      expect(await remaining(project)).toEqual([]);
      await repo.git("gc", "-q", "--prune=now");
      await expectGone(project);
    });
  });

  it("says what of the content stays under another path", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("one.txt", `${SECRET}\n`);
      await project.create();
      await repo.git("clean", "-qfd");
      await repo.write("two.txt", `${SECRET}\n`);
      const stays = await project.create();
      const result = await project.run("purge", "one.txt", "--yes");
      expectExit(result, 1);
      expect(result.json).toMatchObject({ gone: false });
      expect(items(result.json, "left")).toHaveLength(1);
      expect(await remaining(project)).toEqual([stays]);
      const blob = items(result.json, "left")[0] as string;
      expect(field((await project.ok("purge", blob, "--yes")).json, "gone")).toBe(true);
      await repo.git("clean", "-qfd");
      await expectGone(project);
    });
  });

  it("names history that was published, releases it, and what is left needs none of it", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const early = await project.create();
      await commitSecret(project);
      await repo.git("tag", "v1");
      await repo.git("init", "-q", "--bare", "../remote.git");
      await repo.git("remote", "add", "origin", "../remote.git");
      await repo.git("push", "-q", "origin", "main", "v1");
      const id = await project.create();
      const { json } = await project.ok("purge", "password.txt", "--yes");
      expect(idsIn(json)).toEqual([id]);
      expect(items(json, "borrowed")).toEqual(items(json, "released"));
      expect(field(json, "in_repository")).toMatchObject({
        branches: ["main"],
        tags: ["v1"],
        remote_branches: ["origin/main"],
      });
      expect(items(json, "steps").map((step) => text(step, "command"))).toEqual([
        "git filter-repo --force --invert-paths --path password.txt",
        "git reflog expire --expire=now --all && git gc --prune=now",
        "git push --force origin main",
        "git push origin --delete refs/tags/v1",
      ]);
      // What filter-repo would do.
      await repo.git("reset", "-q", "--hard", "HEAD~1");
      await repo.git("tag", "-d", "v1");
      await repo.git("update-ref", "-d", "refs/remotes/origin/main");
      await repo.git("reflog", "expire", "--expire=now", "--all");
      await repo.git("gc", "-q", "--prune=now");
      expect(await remaining(project)).toEqual([early]);
      await expectGone(project);
      await project.rollBack(early);
    });
  });

  it("prints what removes it from the index and the stash", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("staged.txt", `${SECRET}\n`);
      await repo.git("add", "staged.txt");
      await project.create();
      await repo.git("stash", "push", "-q");
      await repo.write("staged.txt", `${SECRET}\n`);
      await repo.git("add", "staged.txt");
      const { json } = await project.ok("purge", "staged.txt", "--yes");
      expect(field(json, "gone")).toBe(true);
      expect(items(json, "steps").map((step) => text(step, "command"))).toEqual([
        "git rm -r --cached -- staged.txt",
        "git stash drop",
        "git stash list",
        "git reflog expire --expire=now --all && git gc --prune=now",
      ]);
      await runSteps(project, json);
      await expectGone(project);
    });
  });

  it("prints how to leave a detached HEAD that leads to it", async () => {
    await withSeed(async (project) => {
      await project.repo.git("checkout", "-q", "--detach");
      await commitSecret(project);
      await project.create();
      const { json } = await project.ok("purge", "password.txt", "--yes");
      expect(items(json, "steps").map((step) => text(step, "command"))).toContain("git switch -");
      await runSteps(project, json);
      await expectGone(project);
    });
  });

  it("lists exports that contain it, and those that it cannot read", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await project.create();
      await project.ok("export");
      await repo.write("plan.txt", `${SECRET}\n`);
      await project.create();
      const { json: exported } = await project.ok("export");
      const file = text(exported, "file");
      const broken = join(file, "../broken.bundle");
      await writeFile(broken, "# v2 git bundle\n");
      const { json } = await project.ok("purge", "plan.txt", "--yes");
      expect(items(json, "exports")).toEqual([file]);
      expect(items(json, "not_searched")).toEqual([broken]);
      expect(items(json, "steps").map((step) => text(step, "command"))).toEqual([`rm ${file}`]);
      expect((await readdir(join(file, ".."))).length).toBe(3);
    });
  });

  it("cuts the history of a session that leads to a commit", async () => {
    await withSeed(async (project) => {
      await project.create();
      await project.ok("pin", await project.create());
      const ref = "refs/waymark/session/worktree-main";
      const first = (
        await project.repo.git("--git-dir", STORE, "rev-list", "--max-parents=0", ref)
      ).trim();
      const before = await project.ok("session", "show", "worktree-main");
      const { json } = await project.ok("purge", first, "--yes");
      expect(json).toMatchObject({ gone: true, sessions_rewritten: ["worktree-main"] });
      expect(idsIn(json)).toEqual([]);
      const after = await project.ok("session", "show", "worktree-main");
      expect(field(after.json, "session")).toEqual(field(before.json, "session"));
      expect(await remaining(project)).toHaveLength(2);
      const tip = (await project.repo.git("--git-dir", STORE, "rev-parse", ref)).trim();
      const removed = await project.ok("purge", tip, "--yes");
      expect(removed.json).toMatchObject({ gone: true, sessions_removed: ["worktree-main"] });
    });
  });

  it("asks which is meant where a name is a branch and a path", async () => {
    await withSeed(async (project) => {
      await project.repo.write("main", "a file\n");
      await project.create();
      expectExit(await project.run("purge", "main", "--dry-run"), 2);
      const { json } = await project.ok("purge", "./main", "--dry-run");
      expect(field(json, "target")).toEqual({ kind: "path", name: "main" });
    });
  });
});
