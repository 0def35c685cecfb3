/** What the command line promises beside an exact restore: at the same time, without consent, in part, with damage. */
import { appendFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectExit, expectFailure, waymark, type CliResult } from "../support/cli.ts";
import { cliDriver, created } from "../support/driver.ts";
import { differences, strictDifferences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { field, items, text } from "../support/json.ts";
import { makeDirty, seedRepository } from "../support/seed-repository.ts";
import { TempRepository, withTempProject, withTempRepository } from "../support/temp-repository.ts";

async function withDirtyRepository(body: (repo: TempRepository) => Promise<void>): Promise<void> {
  await withTempRepository(async (repo) => {
    await seedRepository(repo);
    await makeDirty(repo);
    await body(repo);
  });
}

const run = async (repo: TempRepository, ...args: string[]): Promise<CliResult> =>
  await waymark(repo.root, args, { env: repo.env });

async function ok(repo: TempRepository, ...args: string[]): Promise<unknown> {
  const result = await run(repo, ...args);
  expectExit(result, 0);
  return result.json;
}

/** Exit code, an error document, and a project that is exactly as it was. */
async function refuses(
  repo: TempRepository,
  codes: readonly number[],
  ...args: string[]
): Promise<CliResult> {
  const before = await takeFingerprint(repo);
  const result = await run(repo, ...args);
  expectExit(result, ...codes);
  expectFailure(result);
  expect(strictDifferences(await takeFingerprint(repo), before)).toEqual([]);
  return result;
}

const create = async (repo: TempRepository, ...args: string[]): Promise<string> =>
  created(await run(repo, "create", "--force", ...args)).id;

const listed = (document: unknown): string[] =>
  items(document, "checkpoints").map((entry) => text(entry, "id"));

describe.concurrent("several at the same time", () => {
  it("eight creates in one work tree all succeed, with distinct ids", async () => {
    await withDirtyRepository(async (repo) => {
      const before = await takeFingerprint(repo);
      const ids = await Promise.all(Array.from({ length: 8 }, () => create(repo)));
      expect(new Set(ids).size).toBe(8);
      expect(strictDifferences(await takeFingerprint(repo), before)).toEqual([]);
      expect(listed(await ok(repo, "list")).sort()).toEqual([...ids].sort());
      const validation = await ok(repo, "validate");
      expect(items(validation, "checkpoints")).toHaveLength(8);
      await repo.git("fsck", "--full", "--strict", "--no-dangling");
      await repo.store("fsck", "--full", "--strict", "--no-dangling");
    });
  });

  it("creates in two linked work trees hold each its own work", async () => {
    await withDirtyRepository(async (repo) => {
      await repo.git("worktree", "add", "-q", "-b", "linked", "../linked");
      const linked = repo.at("linked");
      await linked.write("a.txt", "of the linked work tree\n");
      const [own, other] = await Promise.all([create(repo), create(linked)]);
      expect(own).not.toBe(other);
      await repo.write("a.txt", "wrecked\n");
      await linked.write("a.txt", "wrecked too\n");
      await ok(linked, "rollback", "latest", "--yes");
      expect((await linked.read("a.txt")).toString()).toBe("of the linked work tree\n");
      expect((await repo.read("a.txt")).toString()).toBe("wrecked\n");
      await ok(repo, "rollback", "latest", "--yes");
      expect((await repo.read("a.txt")).toString()).toBe("alpha, staged, edited again\n");
    });
  });

  it("an undo in one work tree never takes back the rollback of another", async () => {
    await withDirtyRepository(async (repo) => {
      await repo.git("worktree", "add", "-q", "-b", "linked", "../linked");
      const linked = repo.at("linked");
      await create(repo);
      await repo.write("a.txt", "wrecked\n");
      await ok(repo, "rollback", "latest", "--yes");
      await refuses(linked, [1, 2, 3, 4, 5], "undo", "--yes");
      await ok(repo, "undo", "--yes");
      expect((await repo.read("a.txt")).toString()).toBe("wrecked\n");
    });
  });

  it("git gc --prune=now keeps every checkpoint, also those of rollbacks", async () => {
    await withDirtyRepository(async (repo) => {
      const ids = [await create(repo)];
      await repo.write("only-in-two.txt", "two\n");
      ids.push(await create(repo));
      await repo.remove("only-in-two.txt");
      await repo.git("commit", "-q", "-am", "a commit that leaves");
      await ok(repo, "rollback", `${ids[0]}`, "--yes", "--discard-commits");
      await repo.git("reflog", "expire", "--expire=now", "--all");
      await repo.git("gc", "-q", "--aggressive", "--prune=now");
      await ok(repo, "validate");
      await ok(repo, "rollback", `${ids[1]}`, "--yes");
      expect((await repo.read("only-in-two.txt")).toString()).toBe("two\n");
      await ok(repo, "undo", "--yes");
    });
  });

  it("somebody holds index.lock: rollback refuses and changes nothing", async () => {
    await withDirtyRepository(async (repo) => {
      const id = await create(repo);
      await repo.write("a.txt", "wrecked\n");
      await appendFile(await repo.gitPath("index.lock"), "held by somebody");
      await refuses(repo, [6], "rollback", id, "--yes");
      await rm(await repo.gitPath("index.lock"));
      await ok(repo, "rollback", id, "--yes");
    });
  });
});

describe.concurrent("consent", () => {
  it("commits that would leave their branch need a flag", async () => {
    await withDirtyRepository(async (repo) => {
      const id = await create(repo);
      await repo.git("commit", "-q", "-am", "later work");
      const result = await refuses(repo, [5], "rollback", id, "--yes");
      expect(`${result.stdout.toString()}${result.stderr}`).toContain("--discard-commits");
      await refuses(repo, [5], "rollback", id);
    });
  });

  it("without a terminal and without --yes nothing is changed", async () => {
    await withDirtyRepository(async (repo) => {
      const id = await create(repo);
      await repo.write("a.txt", "wrecked\n");
      await refuses(repo, [5], "rollback", id);
    });
  });

  it("--discard-commits keeps the commits reachable, and undo brings them back to the branch", async () => {
    await withDirtyRepository(async (repo) => {
      const id = await create(repo);
      await repo.git("commit", "-q", "-am", "later work");
      const later = (await repo.git("rev-parse", "HEAD")).trim();
      await ok(repo, "rollback", id, "--yes", "--discard-commits");
      expect((await repo.git("rev-parse", "HEAD")).trim()).not.toBe(later);
      expect(await repo.storeRefs("--contains", later, "refs/waymark")).not.toBe("");
      await ok(repo, "undo", "--yes");
      expect((await repo.git("rev-parse", "main")).trim()).toBe(later);
    });
  });

  it("--keep-head restores files and leaves HEAD and its branch where they are", async () => {
    await withDirtyRepository(async (repo) => {
      const id = await create(repo);
      const before = await takeFingerprint(repo);
      await repo.git("add", "-A");
      await repo.commit("later work");
      const head = await repo.git("rev-parse", "HEAD", "--symbolic-full-name", "HEAD");
      await ok(repo, "rollback", id, "--yes", "--keep-head");
      expect(await repo.git("rev-parse", "HEAD", "--symbolic-full-name", "HEAD")).toBe(head);
      const after = await takeFingerprint(repo);
      expect(differences({ ...after, git: undefined }, { ...before, git: undefined })).toEqual([]);
    });
  });

  it("--files-only restores files and leaves HEAD and index as they are", async () => {
    await withDirtyRepository(async (repo) => {
      const id = await create(repo);
      const before = await takeFingerprint(repo);
      await repo.git("add", "-A");
      await repo.commit("later work");
      await repo.write("later.txt", "later\n");
      await repo.git("add", "later.txt");
      const wrecked = await takeFingerprint(repo);
      await ok(repo, "rollback", id, "--yes", "--files-only");
      const after = await takeFingerprint(repo);
      expect(differences({ ...after, git: undefined }, { ...before, git: undefined })).toEqual([]);
      expect([after.git?.head, after.git?.index]).toEqual([wrecked.git?.head, wrecked.git?.index]);
    });
  });

  it("--paths restores those paths and no others", async () => {
    await withDirtyRepository(async (repo) => {
      const id = await create(repo);
      await repo.write("a.txt", "wrecked\n");
      await repo.write("b.txt", "wrecked\n");
      await repo.remove("new");
      await repo.write("later.txt", "later\n");
      await ok(repo, "rollback", id, "--yes", "--paths", "a.txt", "new");
      expect((await repo.read("a.txt")).toString()).toBe("alpha, staged, edited again\n");
      expect((await repo.read("b.txt")).toString()).toBe("wrecked\n");
      expect((await repo.read("new/deep/untracked.sh")).toString()).toBe("#!/bin/sh\n");
      expect(await repo.exists("later.txt")).toBe(true);
      await ok(repo, "undo", "--yes");
      expect((await repo.read("a.txt")).toString()).toBe("wrecked\n");
      expect(await repo.exists("new")).toBe(false);
    });
  });

  it("--dry-run shows the plan and changes nothing, not even a ref", async () => {
    await withDirtyRepository(async (repo) => {
      const id = await create(repo);
      await repo.write("a.txt", "wrecked\n");
      await repo.git("add", "-A");
      await repo.commit("wrecked");
      const before = await takeFingerprint(repo);
      const refs = await repo.allRefs();
      const result = await run(repo, "rollback", id, "--dry-run");
      expectExit(result, 0);
      expect(result.stdout.toString()).toContain("a.txt");
      expect(strictDifferences(await takeFingerprint(repo), before)).toEqual([]);
      expect(await repo.allRefs()).toBe(refs);
    });
  });
});

describe.concurrent("create", () => {
  it("says unchanged and makes no second checkpoint, unless it is forced", async () => {
    await withDirtyRepository(async (repo) => {
      const first = created(await run(repo, "create"));
      expect(first.unchanged).toBe(false);
      const second = created(await run(repo, "create"));
      expect(second.unchanged).toBe(true);
      expect(second.id).toBe(first.id);
      expect(listed(await ok(repo, "list"))).toEqual([first.id]);
      expect(created(await run(repo, "create", "--force")).id).not.toBe(first.id);
      await repo.chmod("untracked.txt", 0o640);
      expect(created(await run(repo, "create")).unchanged).toBe(false);
      await repo.folder("one-more-empty-folder");
      expect(created(await run(repo, "create")).unchanged).toBe(false);
      await repo.git("update-index", "--assume-unchanged", "b.txt");
      expect(created(await run(repo, "create")).unchanged).toBe(false);
    });
  });

  it("works from a folder below the root and holds the whole project", async () => {
    await withDirtyRepository(async (repo) => {
      const below = new TempRepository(repo.base, join(repo.root, "new/deep"));
      const id = await create(below);
      await repo.write("a.txt", "wrecked\n");
      await ok(below, "rollback", id, "--yes");
      expect((await repo.read("a.txt")).toString()).toBe("alpha, staged, edited again\n");
    });
  });

  it("leaves untracked secrets alone and says so", async () => {
    await withDirtyRepository(async (repo) => {
      await repo.write(".env", "TOKEN=1\n");
      const answer = created(await run(repo, "create"));
      expect(answer.excluded.map(({ path }) => path)).toContain(".env");
      await repo.write(".env", "TOKEN=2\n");
      await repo.write("a.txt", "wrecked\n");
      await ok(repo, "rollback", answer.id, "--yes");
      expect((await repo.read(".env")).toString()).toBe("TOKEN=2\n");
    });
  });

  it("never excludes a tracked secret", async () => {
    await withDirtyRepository(async (repo) => {
      await repo.write(".env", "TOKEN=1\n");
      await repo.git("add", ".env");
      const answer = created(await run(repo, "create"));
      expect(answer.excluded.map(({ path }) => path)).not.toContain(".env");
      await repo.git("rm", "-q", "--cached", ".env");
      await repo.remove(".env");
      await ok(repo, "rollback", answer.id, "--yes");
      expect((await repo.read(".env")).toString()).toBe("TOKEN=1\n");
    });
  });

  it("refuses the root of the file system", async () => {
    await withTempProject(async (project) => {
      const root = await waymark("/", ["create"], { env: project.env, timeoutMs: 5000 });
      expect(root.timedOut).toBe(false);
      expectFailure(root);
    });
  });

  it("refuses a bare repository", async () => {
    await withTempProject(async (project) => {
      await project.git("init", "-q", "--bare", ".");
      const result = await run(project, "create");
      expectFailure(result);
    });
  });
});

describe.concurrent("selectors", () => {
  it("an unknown one is not found", async () => {
    await withDirtyRepository(async (repo) => {
      await create(repo);
      await refuses(repo, [3], "rollback", "cp-99-nothing", "--yes");
      await refuses(repo, [3], "show", "no-such-checkpoint");
      await refuses(repo, [3], "rollback", "latest~7", "--yes");
    });
  });

  it("an ambiguous one lists the candidates", async () => {
    await withDirtyRepository(async (repo) => {
      const ids = [await create(repo), await create(repo)];
      const result = await refuses(repo, [2, 3], "rollback", "cp-0", "--yes");
      const everything = `${result.stdout.toString()}${result.stderr}`;
      expect(ids.filter((id) => everything.includes(id))).toEqual(ids);
    });
  });

  it("latest, latest~1 and a unique part of an id are found", async () => {
    await withDirtyRepository(async (repo) => {
      const first = await create(repo, "--name", "one");
      const second = await create(repo, "--name", "two");
      const shown = async (selector: string): Promise<unknown> =>
        field(await ok(repo, "show", selector), "checkpoint", "id");
      expect(await shown("latest")).toBe(second);
      expect(await shown("latest~1")).toBe(first);
      expect(await shown(first)).toBe(first);
      expect(await shown(first.slice(-4))).toBe(first);
    });
  });

  it("a selector that looks like an option is never one", async () => {
    await withDirtyRepository(async (repo) => {
      await create(repo);
      for (const selector of ["--output=pwned", "-x", "refs/heads/main", "HEAD", "../x", "a\nb"]) {
        await refuses(repo, [2, 3], "show", selector);
      }
      expect(await repo.exists("pwned")).toBe(false);
    });
  });
});

describe.concurrent("undo and redo", () => {
  it("say so when there is nothing to undo or redo", async () => {
    await withDirtyRepository(async (repo) => {
      await create(repo);
      await refuses(repo, [3, 4, 5], "undo", "--yes");
      await refuses(repo, [3, 4, 5], "redo", "--yes");
    });
  });

  it("a rollback to where one is already is harmless, and rolling back twice is the same as once", async () => {
    await withDirtyRepository(async (repo) => {
      const driver = cliDriver(repo.root, repo.env);
      const { id } = await driver.create();
      const before = await takeFingerprint(repo);
      await driver.rollBack(id);
      expect(differences(await takeFingerprint(repo), before)).toEqual([]);
      await repo.write("a.txt", "wrecked\n");
      await driver.rollBack(id);
      await driver.rollBack(id);
      expect(differences(await takeFingerprint(repo), before)).toEqual([]);
    });
  });

  it("redo needs no second consent to the commits that the rollback gave up", async () => {
    await withDirtyRepository(async (repo) => {
      const id = await create(repo);
      await repo.git("commit", "-q", "-am", "later work");
      await ok(repo, "rollback", id, "--yes", "--discard-commits");
      const rolledBack = await takeFingerprint(repo);
      await ok(repo, "undo", "--yes");
      await ok(repo, "redo", "--yes");
      expect(differences(await takeFingerprint(repo), rolledBack)).toEqual([]);
    });
  });

  it("go back several rollbacks one by one", async () => {
    await withDirtyRepository(async (repo) => {
      const driver = cliDriver(repo.root, repo.env);
      const states = [await takeFingerprint(repo)];
      const first = await driver.create();
      await repo.write("a.txt", "second state\n");
      await repo.git("commit", "-q", "-am", "second state");
      states.push(await takeFingerprint(repo));
      const second = await driver.create();
      await repo.remove("a.txt");
      states.push(await takeFingerprint(repo));
      await driver.rollBack(second.id);
      await driver.rollBack(first.id);
      expect(differences(await takeFingerprint(repo), states[0] as (typeof states)[0])).toEqual([]);
      await driver.undo();
      expect(differences(await takeFingerprint(repo), states[1] as (typeof states)[0])).toEqual([]);
      await driver.undo();
      expect(differences(await takeFingerprint(repo), states[2] as (typeof states)[0])).toEqual([]);
    });
  });
});
