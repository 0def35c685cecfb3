/**
 * Objects that a checkpoint relies on are damaged, one at a time, and every command has to bring all bytes back or refuse: what
 * is on the disk is written anew, what is not is named.
 */
import { chmod, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorMessage, expectExit, waymark, type CliResult } from "../support/cli.ts";
import {
  changeTypeOfObject,
  deleteObject,
  flipByteOfObject,
  packWithoutDeltas,
  truncateObject,
} from "../support/damage.ts";
import { created } from "../support/driver.ts";
import { items, text } from "../support/json.ts";
import { rows } from "../support/sample.ts";
import { seedRepository } from "../support/seed-repository.ts";
import { type TempRepository, withTempRepository } from "../support/temp-repository.ts";
import { walkTree } from "../support/work-tree-walk.ts";

/** Where the object is: `HEAD:path`, `:path` for the index, `cp:path` for the last checkpoint. */
const OBJECTS = {
  "a committed file": "HEAD:committed.txt",
  "a committed link": "HEAD:link",
  "a converted file": "cp:worktree/crlf.txt",
  "the blob of a converted file": "HEAD:crlf.txt",
  "a staged file": ":staged.txt",
  "an edited file": "cp:worktree/b.txt",
  "an untracked file": "cp:worktree/untracked.txt",
  "a folder of HEAD": "HEAD:dir/new",
  "the top folder of HEAD": "HEAD^{tree}",
  "a folder of the last checkpoint": "cp:worktree",
  "the raw index": "cp:index.raw",
  "the details": "cp:worktree.json",
  "the commit of the last checkpoint": "cp",
} as const;

type Name = keyof typeof OBJECTS;

const DAMAGE: Record<string, (repo: TempRepository, oid: string) => Promise<void>> = {
  missing: deleteObject,
  empty: truncateObject,
  "cut short": (repo, oid) => truncateObject(repo, oid, 0.6),
  "flipped in a pack": async (repo, oid) => {
    await packWithoutDeltas(repo);
    await flipByteOfObject(repo, oid);
  },
};

interface Scene {
  readonly repo: TempRepository;
  readonly run: (...args: string[]) => Promise<CliResult>;
  /** A moment that has none of what is damaged. */
  readonly base: string;
  readonly last: string;
  readonly before: Snapshot;
  readonly damage: (how: string, what: string) => Promise<void>;
}

type Snapshot = Readonly<Record<string, string>>;

/** Bytes, kinds and modes of all files, the index and HEAD. Git is not asked: it may not be able to answer. */
async function snapshot(repo: TempRepository): Promise<Snapshot> {
  const paths = walkTree(repo.root, (key) => key === ".git" || key === ".checkpoints");
  const files = [...paths].map(([key, { type, mode, content }]) => [
    key,
    `${type} ${mode} ${content ?? ""}`,
  ]);
  const branch = await readFile(await repo.gitPath("refs/heads/main"), "latin1");
  return Object.fromEntries([
    ...files,
    ["(index)", await repo.git("ls-files", "--stage")],
    ["(branch)", branch],
  ]) as Snapshot;
}

async function scene(body: (scene: Scene) => Promise<void>): Promise<void> {
  await withTempRepository(async (repo) => {
    const run = (...args: string[]): Promise<CliResult> =>
      waymark(repo.root, args, { env: repo.env });
    await repo.write(".gitattributes", "crlf.txt text eol=crlf\n");
    await repo.write("crlf.txt", "one\r\ntwo\r\n");
    await seedRepository(repo);
    const base = created(await run("create")).id;
    // Ignored, so that the details are not those of that moment.
    await repo.write("later.log", "ignored\n");
    await repo.write("committed.txt", "a committed file that only HEAD has\n".repeat(20));
    await repo.write("crlf.txt", "three\r\nfour\r\n".repeat(20));
    await repo.write("dir/new/file.txt", "in a folder that only HEAD has\n");
    await repo.link("link", "committed.txt");
    await repo.settle("committed.txt", "crlf.txt", "dir/new/file.txt", "link");
    await repo.git("add", "-A");
    await repo.commit("third");
    await repo.write("staged.txt", "a staged file\n".repeat(20));
    await repo.write("edited-again.txt", "staged, and edited since\n".repeat(20));
    await repo.settle("staged.txt");
    await repo.git("add", "staged.txt", "edited-again.txt");
    await repo.write("edited-again.txt", "as it is on the disk\n");
    await repo.write("b.txt", "an edited file\n".repeat(20));
    await repo.write("untracked.txt", "an untracked file\n".repeat(20));
    // Old enough to be remembered by their stat data.
    await repo.settle("b.txt", "untracked.txt", "edited-again.txt");
    const last = created(await run("create")).id;
    const before = await snapshot(repo);
    const damage = async (how: string, what: string): Promise<void> => {
      const oid = (
        await (/^(?:HEAD|:)/.test(what)
          ? repo.git("rev-parse", what)
          : repo.store("rev-parse", what.replace(/^cp/, `refs/waymark/cp/${last}`)))
      ).trim();
      await DAMAGE[how]?.(repo, oid);
      expect((await repo.tryGit(["cat-file", "-p", oid])).code).not.toBe(0);
      expect((await repo.tryStore(["cat-file", "-p", oid])).code).not.toBe(0);
    };
    await body({ repo, run, base, last, before, damage });
  });
}

const names = Object.keys(OBJECTS) as Name[];
const tableOf = (kinds: readonly string[]): { how: string; name: Name }[] =>
  kinds.flatMap((how) => names.map((name) => ({ how, name })));

/** Rolls back to a moment without any of it, and undoes that. */
async function expectHeld({ repo, run, base, before }: Scene): Promise<void> {
  expectExit(await run("rollback", base, "--yes", "--discard-commits"), 0);
  expect(await repo.exists("committed.txt")).toBe(false);
  expect(await repo.exists("untracked.txt")).toBe(false);
  expectExit(await run("undo", "--yes"), 0);
  expect(await snapshot(repo)).toEqual(before);
}

describe.concurrent("[R150] with an object that is", () => {
  it.each(rows(13, tableOf(Object.keys(DAMAGE))))(
    "$how ($name), create makes a checkpoint that is whole",
    async ({ how, name }) => {
      await scene(async (all) => {
        const { repo, run, before, damage } = all;
        await damage(how, OBJECTS[name]);
        const result = await run("create", "--force");
        expectExit(result, 0);
        expect(await snapshot(repo)).toEqual(before);
        expectExit(await run("validate", created(result).id), 0);
        await expectHeld(all);
      });
    },
  );

  it.each(rows(9, tableOf(["missing", "flipped in a pack"])))(
    "$how ($name), rollback and undo lose nothing",
    async ({ how, name }) => {
      await scene(async (all) => {
        await all.damage(how, OBJECTS[name]);
        await expectHeld(all);
      });
    },
  );
});

describe.concurrent("[R150] an object of HEAD that is in no pack", () => {
  const damageLoose = async (repo: TempRepository, how: string): Promise<string> => {
    const oid = await repo.head(":committed.txt");
    const path = await repo.gitPath(`objects/${oid.slice(0, 2)}/${oid.slice(2)}`);
    await chmod(path, 0o644);
    if (how === "missing") await rm(path);
    else await truncate(path, how === "empty" ? 0 : 30);
    return oid;
  };

  /** Nothing else of the repository changes: only its own file can tell. */
  it.each(["missing", "empty", "cut short"])(
    "and %s is found by the next create where checkpoints borrow it",
    async (how) => {
      await withTempRepository(async (repo) => {
        const run = (...args: string[]): Promise<CliResult> =>
          waymark(repo.root, args, { env: repo.env });
        await seedRepository(repo);
        await repo.write("committed.txt", "a committed file that only HEAD has\n".repeat(20));
        await repo.settle("committed.txt");
        await repo.git("add", "-A");
        await repo.commit("third");
        // The first checkpoint copies the last commit and borrows those below it.
        await repo.commit("fourth");
        expectExit(await run("create"), 0);
        const before = await snapshot(repo);
        const oid = await damageLoose(repo, how);
        const result = await run("create");
        expectExit(result, 0);
        expect(created(result).unchanged).toBe(false);
        expect(items(result.json, "warnings").join()).toContain("committed.txt");
        expect(await repo.store("cat-file", "blob", oid)).toMatch(/^a committed file/);
        expect(created(await run("create")).unchanged).toBe(true);
        expect(await snapshot(repo)).toEqual(before);
      });
    },
  );

  it.each(["missing", "empty", "cut short"])(
    "and %s is missed by no checkpoint of a commit that is younger than the store",
    async (how) => {
      await scene(async (all) => {
        const { repo, run, last, before } = all;
        const oid = await damageLoose(repo, how);
        expectExit(await run("validate", last), 0);
        expect(await repo.store("cat-file", "blob", oid)).toMatch(/^a committed file/);
        expectExit(await run("create"), 0);
        expect(await snapshot(repo)).toEqual(before);
        await expectHeld(all);
      });
    },
  );
});

describe.concurrent("[R150] beside tracked files", () => {
  it.each(["state.json", "files"])(
    "%s that an earlier checkpoint holds is stored again",
    async (entry) => {
      await scene(async ({ repo, run, damage }) => {
        const state = JSON.stringify({ step: "three", notes: "n".repeat(200) });
        await repo.write("build/state.json", state);
        const args = [
          "create",
          "--force",
          "--state",
          "build/state.json",
          "--scope",
          "build/state.json",
        ];
        const first = created(await run(...args)).id;
        const name = `refs/waymark/cp/${first}:${entry}`;
        await damage("missing", name);
        const second = await run(...args);
        expectExit(second, 0);
        expectExit(await run("validate", created(second).id), 0);
      });
    },
  );

  it("a file of a plain folder is stored again, and undo brings it back", async () => {
    await withTempRepository(async (repo) => {
      const run = (...args: string[]): Promise<CliResult> =>
        waymark(repo.root, args, { env: repo.env });
      await repo.remove(".git");
      await repo.write("a.txt", "first\n");
      const base = created(await run("create")).id;
      await repo.write("a.txt", "second\n".repeat(20));
      await repo.write("dir/b.txt", "another\n".repeat(20));
      await repo.settle("a.txt", "dir/b.txt");
      const last = created(await run("create")).id;
      const packs = repo.path(".checkpoints/repo.git/objects/pack").toString();
      for (const name of await readdir(packs)) {
        const path = join(packs, name);
        const bytes = await readFile(path);
        if (!name.endsWith(".pack") || !(await holds(repo, path, "dir/b.txt"))) continue;
        bytes.writeUInt8(bytes.readUInt8(30) ^ 0x10, 30);
        await chmod(path, 0o644);
        await writeFile(path, bytes);
      }
      expectExit(await run("validate", last), 4);
      expectExit(await run("rollback", base, "--yes"), 0);
      expect((await repo.read("a.txt")).toString()).toBe("first\n");
      expectExit(await run("undo", "--yes"), 0);
      expect((await repo.read("a.txt")).toString()).toBe("second\n".repeat(20));
      expect((await repo.read("dir/b.txt")).toString()).toBe("another\n".repeat(20));
    });
  });
});

async function holds(repo: TempRepository, pack: string, file: string): Promise<boolean> {
  const oid = (await repo.git("hash-object", "--no-filters", file)).trim();
  return (await repo.git("verify-pack", "-v", pack)).includes(oid);
}

describe.concurrent("[R150] a repository", () => {
  it("with damage that git does not notice is refused, and nothing is changed", async () => {
    await scene(async ({ repo, run, base, before }) => {
      const oid = (await repo.git("rev-parse", "HEAD:committed.txt")).trim();
      await packWithoutDeltas(repo);
      await changeTypeOfObject(repo, oid);
      const checkpoints = await repo.storeRefs("refs/waymark/cp");
      for (const args of [
        ["create", "--force"],
        ["rollback", base, "--yes", "--discard-commits"],
      ]) {
        const result = await run(...args);
        expectExit(result, 4, 6, 1);
        expect(errorMessage(result)).toContain(`the object ${oid} is damaged`);
        expect(await snapshot(repo)).toEqual(before);
        expect(await repo.storeRefs("refs/waymark/cp")).toBe(checkpoints);
      }
    });
  });

  it("that lost what only the index of the target has is not rolled back: that could not be undone", async () => {
    await withTempRepository(async (repo) => {
      await seedRepository(repo);
      const run = (...args: string[]): Promise<CliResult> =>
        waymark(repo.root, args, { env: repo.env });
      await repo.write("b.txt", "only staged\n");
      await repo.git("add", "b.txt");
      await repo.write("b.txt", "at the checkpoint\n");
      const { id } = created(await run("create"));
      const oid = (await repo.git("rev-parse", ":b.txt")).trim();
      await repo.write("b.txt", "now\n");
      await repo.git("add", "b.txt");
      await deleteObject(repo, oid);
      const before = await snapshot(repo);
      const refused = await run("rollback", id, "--yes");
      expectExit(refused, 4);
      expect(errorMessage(refused)).toMatch(`checkpoint ${id} is damaged: the blob ${oid}`);
      expect(errorMessage(refused)).toContain("b.txt");
      expect(await snapshot(repo)).toEqual(before);
      // It is found on the disk.
      await repo.write("b.txt", "only staged\n");
      expectExit(await run("rollback", id, "--yes"), 0);
      expect(String(await repo.read("b.txt"))).toBe("at the checkpoint\n");
      expectExit(await run("undo", "--yes"), 0);
      expect(String(await repo.read("b.txt"))).toBe("only staged\n");
    });
  });

  it("that lost a folder of an earlier checkpoint, which the present does not have, is protected all the same", async () => {
    await scene(async ({ repo, run, last, damage }) => {
      await repo.git("rm", "-q", "-r", "dir");
      await damage("missing", "cp:worktree/dir");
      const first = await run("create");
      expectExit(first, 0);
      expectExit(await run("validate", created(first).id), 0);
      expectExit(await run("validate", last), 4);
    });
  });

  it("that is a partial clone holds files whose blobs were never fetched, and asks no network", async () => {
    await scene(async ({ repo }) => {
      await repo.git("config", "uploadpack.allowFilter", "true");
      await repo.git("commit", "-qam", "all");
      const clone = repo.at("clone");
      const from = `file://${repo.root}`;
      await repo.git("clone", "-q", "--no-checkout", "--filter=blob:none", from, clone.root);
      await clone.git("config", "remote.origin.url", "file:///nowhere");
      const file = await repo.read("committed.txt");
      await clone.write("committed.txt", file);
      await clone.git("read-tree", "HEAD");
      await clone.git("config", "core.sparseCheckout", "true");
      await clone.write(".git/info/sparse-checkout", "/committed.txt\n");
      await clone.git("update-index", "--skip-worktree", ...(await allBut(clone, "committed.txt")));
      const run = (...args: string[]): Promise<CliResult> =>
        waymark(clone.root, args, { env: clone.env });
      const first = await run("create");
      expectExit(first, 0);
      await clone.write("committed.txt", "edited\n");
      expectExit(await run("create"), 0);
      expectExit(await run("rollback", created(first).id, "--yes"), 0);
      expect(await clone.read("committed.txt")).toEqual(file);
      expectExit(await run("undo", "--yes"), 0);
      expect((await clone.read("committed.txt")).toString()).toBe("edited\n");
    });
  });

  it("that borrows objects from another one notices when that loses them", async () => {
    await scene(async ({ repo }) => {
      await repo.git("commit", "-qam", "all");
      const clone = repo.at("clone");
      await repo.git("clone", "-q", "--shared", repo.root, clone.root);
      const run = (...args: string[]): Promise<CliResult> =>
        waymark(clone.root, args, { env: clone.env });
      expectExit(await run("create"), 0);
      const oid = (await repo.git("rev-parse", "HEAD:committed.txt")).trim();
      await deleteObject(repo, oid);
      const result = await run("create");
      expectExit(result, 0);
      expectExit(await run("validate", created(result).id), 0);
      expect(await clone.store("cat-file", "blob", oid)).toMatch(/^a committed file/);
    });
  });
});

async function allBut(repo: TempRepository, name: string): Promise<string[]> {
  const all = (await repo.git("ls-files")).trimEnd().split("\n");
  return all.filter((path) => path !== name);
}

describe.concurrent("[R150] what is on no disk", () => {
  it.each([
    ["staged content that was edited since", ":edited-again.txt", /edited-again\.txt/],
    ["HEAD's own commit", "HEAD", /HEAD is the commit [0-9a-f]{40}, which is missing or damaged/],
  ])("%s: create and rollback fail, and change nothing", async (_, what, message) => {
    await scene(async ({ repo, run, base, before, damage }) => {
      await damage("missing", what);
      const checkpoints = repo.storePath("refs/waymark/cp");
      const refs = await readdir(checkpoints);
      for (const args of [
        ["create", "--force"],
        ["rollback", base, "--yes", "--discard-commits"],
      ]) {
        const result = await run(...args);
        expectExit(result, 4, 6, 1);
        expect(errorMessage(result)).toMatch(message);
        expect(await snapshot(repo)).toEqual(before);
        expect(await readdir(checkpoints)).toEqual(refs);
      }
    });
  });

  it.each([
    ["empty", ""],
    ["zeros", "\0".repeat(41)],
    ["garbage", "no commit\n"],
  ])(
    "the ref of the branch (%s): it is not taken for a branch without commits",
    async (_, left) => {
      await scene(async ({ repo, run, base }) => {
        const branch = (await repo.git("symbolic-ref", "HEAD")).trim();
        await writeFile(await repo.gitPath(branch), left);
        for (const args of [
          ["create", "--force"],
          ["rollback", base, "--yes", "--discard-commits"],
        ]) {
          const result = await run(...args);
          expectExit(result, 1);
          expect(errorMessage(result)).toContain("is damaged");
        }
        expectExit(await run("doctor"), 1);
        expect(await readFile(await repo.gitPath(branch), "latin1")).toBe(left);
      });
    },
  );

  it("committed content of a file that was edited since: the file is held, the rest is named", async () => {
    await scene(async ({ repo, run, damage }) => {
      await damage("missing", "HEAD:b.txt");
      const result = await run("create", "--force");
      expectExit(result, 0);
      expect(items(result.json, "warnings").join()).toMatch(/content of b\.txt is lost/);
      const held = await repo.store("show", `refs/waymark/cp/${created(result).id}:worktree/b.txt`);
      expect(held).toBe("an edited file\n".repeat(20));
    });
  });
});

describe.concurrent("[R151] a checkpoint that lost", () => {
  const LOST = {
    "a committed file": "worktree/committed.txt",
    "a link": "worktree/link",
    "a converted file": "worktree/crlf.txt",
    "an untracked file": "worktree/untracked.txt",
    "an edited file": "worktree/b.txt",
  };

  it.each(Object.entries(LOST))("%s after the rollback is undone all the same", async (_, path) => {
    await scene(async ({ repo, run, base, before }) => {
      const rolledBack = await run("rollback", base, "--yes", "--discard-commits");
      expectExit(rolledBack, 0);
      const safety = text(rolledBack.json, "undo_checkpoint_id");
      const oid = (await repo.store("rev-parse", `refs/waymark/cp/${safety}:${path}`)).trim();
      await deleteObject(repo, oid);
      expectExit(await run("undo", "--yes"), 0);
      expect(await snapshot(repo)).toEqual(before);
    });
  });

  it("a file that a rollback moved away is made whole by rebuild", async () => {
    await scene(async ({ repo, run, base, before }) => {
      const rolledBack = await run("rollback", base, "--yes", "--discard-commits");
      const safety = text(rolledBack.json, "undo_checkpoint_id");
      await flipByteOfObject(
        repo,
        (await repo.store("rev-parse", `refs/waymark/cp/${safety}:worktree/untracked.txt`)).trim(),
      );
      expectExit(await run("validate", safety), 4);
      const rebuilt = await run("rebuild", safety);
      expectExit(rebuilt, 0);
      expect(items(rebuilt.json, "repaired").map((piece) => text(piece, "source"))).toEqual([
        "a file that a rollback moved away",
      ]);
      expectExit(await run("undo", "--yes"), 0);
      expect(await snapshot(repo)).toEqual(before);
    });
  });
});
