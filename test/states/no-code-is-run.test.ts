/** Nothing of the repository's own config or hooks is run, and nothing of the caller's surroundings leads Waymark astray. */
import { readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectExit, waymark, waymarkShellCommand } from "../support/cli.ts";
import { cliDriver, created } from "../support/driver.ts";
import { differences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { items } from "../support/json.ts";
import { roundTrip } from "../support/round-trip.ts";
import { makeDirty, seedRepository } from "../support/seed-repository.ts";
import { type TempRepository, withTempRepository } from "../support/temp-repository.ts";
import { installCanaries } from "./canaries.ts";

/** Conversions for everything, dirty work of every kind, and history whose objects only an ssh remote would have. */
async function prepare(repo: TempRepository): Promise<void> {
  await seedRepository(repo);
  await repo.write(".gitattributes", "* filter=canary diff=canary merge=canary\n");
  // A clock that is wrong by an hour keeps the entry "racy": git looks at the content, through the filters, to be sure.
  const soon = Date.now() / 1000 + 3600;
  await utimes(repo.path(".gitattributes"), soon, soon);
  await repo.git("add", "-A");
  await repo.commit("attributes before the filter exists");
  await makeDirty(repo);
  const oldBlob = (await repo.git("rev-parse", "HEAD~2:a.txt")).trim();
  await rm(await repo.gitPath(`objects/${oldBlob.slice(0, 2)}/${oldBlob.slice(2)}`));
}

describe("canaries in the repository", () => {
  it("sing for plain git, so that their silence means something", async () => {
    await withTempRepository(async (repo) => {
      await prepare(repo);
      const { sang } = await installCanaries(repo);
      await repo.tryGit(["status"]);
      await repo.tryGit(["add", "b.txt"]);
      // A commit would not get as far as its hook: the filters fail on purpose.
      await repo.tryGit(["hook", "run", "pre-commit"]);
      await repo.tryGit(["update-ref", "refs/heads/new", "HEAD"]);
      await repo.tryGit(["cat-file", "-p", "other:a.txt"]);
      await repo.tryGit(["wm"]);
      expect(await sang()).toEqual(
        expect.arrayContaining([
          "alias.wm",
          "core.fsmonitor",
          "core.sshCommand",
          "filter.canary.process",
          "hook pre-commit",
          "hook reference-transaction",
        ]),
      );
    });
  });

  it("stay silent for every command", async () => {
    await withTempRepository(async (repo) => {
      await prepare(repo);
      const { sang } = await installCanaries(repo);
      const run = async (...args: string[]): Promise<unknown> => {
        const result = await waymark(repo.root, args, { env: repo.env });
        expect([args.join(" "), await sang()]).toEqual([args.join(" "), []]);
        expectExit(result, 0);
        return result.json;
      };
      const { id } = created(await waymark(repo.root, ["create", "-m", "one"], { env: repo.env }));
      expect(await sang()).toEqual([]);
      await repo.write("a.txt", "edited\n");
      await repo.remove("untracked.txt");
      await repo.write("later.txt", "later\n");
      await run("create", "--force", "-m", "two");
      await run("list");
      await run("list", "--all");
      await run("show", id);
      await run("rollback", id, "--dry-run");
      await run("rollback", id, "--yes");
      await run("undo", "--yes");
      await run("redo", "--yes");
      await run("validate");
      await run("pin", id);
      await run("unpin", id);
      await run("stash", id);
      await run("cleanup", "--dry-run");
      await run("delete", id, "--yes", "--force");
      await run("delete", "--undo", id);
      await run("cleanup", "--keep", "0", "--yes");
      await run("cleanup", "--keep", "0", "--now", "--yes");
      expect((await repo.read("a.txt")).toString()).toBe("alpha, staged, edited again\n");
    });
  });

  it("stay silent when HEAD, branch and index have to come back", async () => {
    await withTempRepository(async (repo) => {
      await prepare(repo);
      const { id } = await cliDriver(repo.root, repo.env).create();
      await repo.git("checkout", "-q", "-b", "elsewhere");
      await repo.git("add", "-A");
      await repo.commit("commits that leave");
      const { sang } = await installCanaries(repo);
      const args = ["rollback", id, "--yes", "--discard-commits"];
      const result = await waymark(repo.root, args, { env: repo.env });
      expectExit(result, 0);
      expect(await sang()).toEqual([]);
      expect(await readFile(await repo.gitPath("HEAD"), "utf8")).toBe("ref: refs/heads/main\n");
    });
  });
});

describe("the caller's surroundings", () => {
  /** Another repository, whose git directory, index and objects the inherited variables name. */
  async function trap(repo: TempRepository): Promise<TempRepository> {
    const other = repo.at("trap");
    await repo.git("init", "-q", "-b", "main", other.root);
    await seedRepository(other);
    return other;
  }

  const variables: readonly [string, (other: string) => NodeJS.ProcessEnv][] = [
    ["GIT_DIR", (other) => ({ GIT_DIR: `${other}/.git` })],
    ["GIT_DIR and GIT_WORK_TREE", (other) => ({ GIT_DIR: `${other}/.git`, GIT_WORK_TREE: other })],
    ["GIT_WORK_TREE", (other) => ({ GIT_WORK_TREE: other })],
    ["GIT_INDEX_FILE", (other) => ({ GIT_INDEX_FILE: `${other}/.git/index` })],
    ["GIT_OBJECT_DIRECTORY", (other) => ({ GIT_OBJECT_DIRECTORY: `${other}/.git/objects` })],
    [
      "GIT_ALTERNATE_OBJECT_DIRECTORIES",
      (other) => ({ GIT_ALTERNATE_OBJECT_DIRECTORIES: `${other}/.git/objects` }),
    ],
    ["GIT_COMMON_DIR", (other) => ({ GIT_COMMON_DIR: `${other}/.git` })],
    ["GIT_NAMESPACE", () => ({ GIT_NAMESPACE: "elsewhere" })],
    [
      "GIT_CONFIG_COUNT",
      (other) => ({
        GIT_CONFIG_COUNT: "3",
        GIT_CONFIG_KEY_0: "core.bare",
        GIT_CONFIG_VALUE_0: "true",
        GIT_CONFIG_KEY_1: "core.worktree",
        GIT_CONFIG_VALUE_1: other,
        GIT_CONFIG_KEY_2: "core.excludesFile",
        GIT_CONFIG_VALUE_2: "/dev/null",
      }),
    ],
    ["GIT_CONFIG_PARAMETERS", () => ({ GIT_CONFIG_PARAMETERS: "'core.bare'='true'" })],
    [
      "pathspec variables",
      () => ({ GIT_ICASE_PATHSPECS: "1", GIT_GLOB_PATHSPECS: "1", GIT_PREFIX: "dir/" }),
    ],
    [
      "GIT_SHALLOW_FILE, GIT_GRAFT_FILE, GIT_REPLACE_REF_BASE",
      (other) => ({
        GIT_SHALLOW_FILE: `${other}/a.txt`,
        GIT_GRAFT_FILE: `${other}/a.txt`,
        GIT_REPLACE_REF_BASE: "refs/heads/",
      }),
    ],
    ["GIT_QUARANTINE_PATH", (other) => ({ GIT_QUARANTINE_PATH: `${other}/.git/objects` })],
    [
      "programs in variables",
      () => ({
        GIT_EXTERNAL_DIFF: "false",
        GIT_PAGER: "false",
        GIT_EDITOR: "false",
        GIT_SSH_COMMAND: "false",
        GIT_ASKPASS: "false",
        GIT_TERMINAL_PROMPT: "1",
      }),
    ],
    [
      "trace output",
      () => ({
        GIT_TRACE: "1",
        GIT_TRACE_SETUP: "1",
        GIT_TRACE2_EVENT: "2",
        GIT_TRACE_PACKET: "1",
      }),
    ],
    [
      "other languages and time zones",
      () => ({ LANG: "de_DE.UTF-8", LC_ALL: "de_DE.UTF-8", LANGUAGE: "de", TZ: "Asia/Tokyo" }),
    ],
  ];

  it.concurrent.each(variables)("%s changes nothing", async (_, inherited) => {
    await withTempRepository(async (repo) => {
      await seedRepository(repo);
      await makeDirty(repo);
      const other = await trap(repo);
      const before = await takeFingerprint(other);
      await roundTrip(repo, cliDriver(repo.root, { ...repo.env, ...inherited(other.root) }), {
        async wreck() {
          await repo.write("a.txt", "wrecked\n");
          await repo.remove("untracked.txt");
          await repo.git("add", "-A");
          await repo.commit("wrecked");
        },
      });
      expect(differences(await takeFingerprint(other), before)).toEqual([]);
      const own = await repo.storeRefs("refs/waymark/cp");
      expect(own.trimEnd().split("\n").length).toBeGreaterThanOrEqual(2);
      expect(await other.storeRefs("refs/waymark")).toBe("");
    });
  });

  it("no HOME, no identity, no language", async () => {
    await withTempRepository(async (repo) => {
      await seedRepository(repo);
      await makeDirty(repo);
      const bare = { PATH: process.env["PATH"] };
      await roundTrip(repo, cliDriver(repo.root, bare), {
        wreck: async () => await repo.write("a.txt", "wrecked\n"),
      });
    });
  });

  it("a home with a config that cannot be read as one is told, not ignored", async () => {
    await withTempRepository(async (repo) => {
      await seedRepository(repo);
      await writeFile(join(repo.home, ".gitconfig"), "[broken\n");
      const result = await waymark(repo.root, ["create"], { env: repo.env });
      // Git itself cannot work here: a checkpoint that is not complete must not be reported as one.
      if (result.code === 0) {
        const validated = await waymark(repo.root, ["validate"], { env: repo.env });
        expectExit(validated, 0);
      } else {
        expect(result.json).toHaveProperty("error.code");
      }
    });
  });
});

describe("called from inside git", () => {
  async function hooked(hook: string, act: (repo: TempRepository) => Promise<void>): Promise<void> {
    await withTempRepository(async (repo) => {
      await seedRepository(repo);
      await makeDirty(repo);
      const create = waymarkShellCommand("create", "--force", "--json", "-m", `from ${hook}`);
      await repo.write(`.git/hooks/${hook}`, `#!/bin/sh\n${create} > ../answer || exit 1\n`, 0o755);
      await act(repo);
      const answer: unknown = JSON.parse(await readFile(join(repo.base, "answer"), "utf8"));
      expect(answer).toHaveProperty("kind", "checkpoint_created");
      const list = await waymark(repo.root, ["list", "--all"], { env: repo.env });
      expect(items(list.json, "checkpoints").length).toBeGreaterThanOrEqual(1);
      const validated = await waymark(repo.root, ["validate"], { env: repo.env });
      expectExit(validated, 0);
    });
  }

  it("a pre-commit hook makes a checkpoint of a plain commit", async () => {
    await hooked("pre-commit", async (repo) => {
      await repo.git("commit", "-q", "-m", "with a hook");
      expect(await repo.git("show", "HEAD:a.txt")).toBe("alpha, staged\n");
    });
  });

  it("a pre-commit hook makes a checkpoint of commit -a, while index.lock is held", async () => {
    await hooked("pre-commit", async (repo) => {
      await repo.git("commit", "-q", "-a", "-m", "with a hook");
      expect(await repo.git("show", "HEAD:a.txt")).toBe("alpha, staged, edited again\n");
    });
  });

  it("a pre-commit hook makes a checkpoint of a partial commit", async () => {
    await hooked("pre-commit", async (repo) => {
      await repo.git("commit", "-q", "-m", "one path", "b.txt");
      expect(await repo.git("show", "HEAD:b.txt")).toBe("beta, edited\n");
    });
  });

  it("a post-checkout hook makes a checkpoint", async () => {
    await hooked("post-checkout", async (repo) => {
      await repo.git("checkout", "-q", "-b", "elsewhere");
    });
  });

  it("rebase --exec makes a checkpoint at every step", async () => {
    await withTempRepository(async (repo) => {
      await seedRepository(repo);
      const create = waymarkShellCommand("create", "--force", "-m", "from rebase");
      await repo.git("rebase", "-q", "--root", "--exec", create);
      const refs = await repo.storeRefs("refs/waymark/cp");
      expect(refs.trimEnd().split("\n")).toHaveLength(2);
      const validated = await waymark(repo.root, ["validate"], { env: repo.env });
      expectExit(validated, 0);
    });
  });
});
