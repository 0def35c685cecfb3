import { execFileSync } from "node:child_process";
import { appendFile, chmod, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { quoteKey } from "./byte-path.ts";
import { differences, strictDifferences } from "./fingerprint-diff.ts";
import { askRefs, takeFingerprint } from "./fingerprint.ts";
import { gitPlaces, type GitPlaces } from "./git-places.ts";
import { readRefs } from "./read-refs.ts";
import { makeDirty, seedRepository } from "./seed-repository.ts";
import { type TempRepository, withTempRepository } from "./temp-repository.ts";

/** A repository in which every kind of thing that a fingerprint holds is there to be damaged. */
async function prepare(repo: TempRepository): Promise<void> {
  await seedRepository(repo);
  await repo.write("b.txt", "stashed\n");
  await repo.git("stash");
  await makeDirty(repo);
  await repo.write(Buffer.from("bad\xff\nname", "latin1"), "not UTF-8\n");
  await repo.write("intended.txt", "intent to add\n");
  await repo.git("add", "-N", "intended.txt");
  await repo.git("update-index", "--assume-unchanged", "b.txt");
}

interface Damage {
  readonly what: string;
  readonly damage: (repo: TempRepository) => Promise<unknown>;
  readonly says: RegExp;
}

const kept: readonly Damage[] = [
  {
    what: "a byte of a file",
    damage: (repo) => repo.write("b.txt", "beta, editeD\n"),
    says: /^path b\.txt: is file 0644/,
  },
  {
    what: "a byte of a file behind assume-unchanged, with the same size and time",
    damage: async (repo) => {
      await repo.write("b.txt", "beta, editeD\n");
      await utimes(repo.path("b.txt"), 0, 0);
    },
    says: /^path b\.txt:/,
  },
  {
    what: "a permission bit",
    damage: (repo) => repo.chmod("untracked.txt", 0o640),
    says: /^path untracked\.txt: is file 0640 .*, should be file 0600/,
  },
  {
    what: "setuid",
    damage: (repo) => repo.chmod("run.sh", 0o4755),
    says: /^path run\.sh: is file 4755/,
  },
  {
    what: "the target of a link",
    damage: (repo) => repo.link("untracked-link", "elsewhere"),
    says: /^path untracked-link: is link .* -> elsewhere, should be link .* -> nowhere/,
  },
  {
    what: "a link that became a copy",
    damage: async (repo) => {
      await repo.remove("link");
      await repo.write("link", "alpha\n");
    },
    says: /^path link: is file/,
  },
  {
    what: "a lost untracked file",
    damage: (repo) => repo.remove("new"),
    says: /^path new\/deep\/untracked\.sh: is absent/,
  },
  {
    what: "a lost file whose name is not UTF-8",
    damage: (repo) => repo.remove(Buffer.from("bad\xff\nname", "latin1")),
    says: /^path "bad\\377\\nname": is absent/,
  },
  {
    what: "an additional file",
    damage: (repo) => repo.write("litter", ""),
    says: /^path litter: is file .*, should be absent/,
  },
  {
    what: "a lost empty folder",
    damage: (repo) => repo.remove("empty/inside"),
    says: /^path empty\/inside: is absent, should be folder/,
  },
  {
    what: "an ignored file",
    damage: (repo) => repo.write("trace.log", "changed\n"),
    says: /^path trace\.log:/,
  },
  {
    what: "a staged object",
    damage: (repo) => repo.git("add", "a.txt"),
    says: /^index a\.txt:/,
  },
  {
    what: "an index entry that is gone",
    damage: (repo) => repo.git("rm", "-q", "--cached", "staged.txt"),
    says: /^index staged\.txt: is absent/,
  },
  {
    what: "the exec bit in the index only",
    damage: (repo) => repo.git("update-index", "--chmod=+x", "a.txt"),
    says: /^index a\.txt: is 100755/,
  },
  {
    what: "a lost assume-unchanged flag",
    damage: (repo) => repo.git("update-index", "--no-assume-unchanged", "b.txt"),
    says: /^index b\.txt: is .*, should be .* assume-unchanged/,
  },
  {
    what: "a new skip-worktree flag",
    damage: (repo) => repo.git("update-index", "--skip-worktree", "run.sh"),
    says: /^index run\.sh: is .* skip-worktree/,
  },
  {
    what: "a lost intent-to-add flag",
    damage: async (repo) => {
      const empty = (await repo.gitWithInput("", "hash-object", "-w", "--stdin")).trim();
      await repo.git("rm", "-q", "--cached", "intended.txt");
      await repo.git("update-index", "--add", "--cacheinfo", `100644,${empty},intended.txt`);
    },
    says: /^index intended\.txt: is .*, should be .* intent-to-add/,
  },
  {
    what: "unmerged stages",
    damage: async (repo) => {
      const oid = (await repo.git("rev-parse", "HEAD:a.txt")).trim();
      await repo.gitWithInput(`100644 ${oid} 2\ta.txt\n`, "update-index", "--index-info");
    },
    says: /^index a\.txt \(stage 2\):/,
  },
  {
    what: "a detached HEAD",
    damage: async (repo) =>
      repo.git("update-ref", "--no-deref", "HEAD", (await repo.git("rev-parse", "HEAD")).trim()),
    says: /^HEAD: is detached/,
  },
  {
    what: "another branch at the same commit",
    damage: async (repo) => {
      await repo.git("branch", "twin");
      await repo.git("symbolic-ref", "HEAD", "refs/heads/twin");
    },
    says: /^HEAD: is refs\/heads\/twin/,
  },
  {
    what: "a moved branch",
    damage: (repo) => repo.git("branch", "-f", "other", "main"),
    says: /^ref refs\/heads\/other:/,
  },
  {
    what: "a ref of a checkpoint, which belongs into the store",
    damage: (repo) => repo.git("update-ref", "refs/waymark/cp/x", "HEAD"),
    says: /^ref refs\/waymark\/cp\/x: is .*, should be absent/,
  },
  {
    what: "a lost branch",
    damage: (repo) => repo.git("branch", "-D", "other"),
    says: /^ref refs\/heads\/other: is absent/,
  },
  {
    what: "a state file",
    damage: async (repo) => appendFile(await repo.gitPath("MERGE_MSG"), "merge\n"),
    says: /^operation MERGE_MSG:/,
  },
  {
    what: "a state folder",
    damage: async (repo) => {
      execFileSync("mkdir", [await repo.gitPath("rebase-merge")]);
      await appendFile(await repo.gitPath("rebase-merge/done"), "pick\n");
    },
    says: /^operation rebase-merge\/done:/,
  },
  {
    what: "a lost stash",
    damage: (repo) => repo.git("stash", "drop"),
    says: /^stash: lacks/,
  },
  {
    what: "a setting",
    damage: (repo) => repo.git("config", "user.name", "Somebody"),
    says: /^settings config:/,
  },
  {
    what: "a hook",
    damage: async (repo) => appendFile(await repo.gitPath("hooks/pre-commit"), "exit 1\n"),
    says: /^settings hooks\/pre-commit:/,
  },
  {
    what: "a lock that was left",
    damage: async (repo) => appendFile(await repo.gitPath("refs/heads/main.lock"), ""),
    says: /^lock: has refs\/heads\/main\.lock/,
  },
];

const createOnly: readonly Damage[] = [
  {
    what: "a line in a reflog",
    damage: async (repo) => appendFile(await repo.gitPath("logs/HEAD"), "one more line\n"),
    says: /^git directory logs\/HEAD:/,
  },
  {
    what: "stat data in the index",
    damage: async (repo) => {
      await utimes(repo.path("staged.txt"), 1, 1);
      await repo.git("update-index", "--refresh", "-q").catch(() => "");
    },
    says: /^raw index:/,
  },
  {
    what: "the version of the index",
    damage: (repo) => repo.git("update-index", "--index-version", "4"),
    says: /^raw index:/,
  },
  {
    what: "a file written again with the same bytes",
    damage: (repo) => repo.write("b.txt", "beta, edited\n"),
    says: /^stat b\.txt:/,
  },
  {
    what: "the mode of a folder",
    damage: (repo) => chmod(join(repo.root, "dir"), 0o700),
    says: /^stat dir:/,
  },
  {
    what: "one object more",
    damage: (repo) => repo.gitWithInput("more\n", "hash-object", "-w", "--stdin"),
    says: /^objects: has [0-9a-f]{2}\/[0-9a-f]{38}, should not/,
  },
  {
    what: "an object that is gone",
    damage: async (repo) => {
      const oid = await repo.head("~1");
      await rm(await repo.gitPath(`objects/${oid.slice(0, 2)}/${oid.slice(2)}`));
    },
    says: /^objects: lacks [0-9a-f]{2}\/[0-9a-f]{38}/,
  },
  {
    what: "litter in the git directory",
    damage: async (repo) => appendFile(await repo.gitPath("fast_import_crash_1"), ""),
    says: /^git directory fast_import_crash_1:/,
  },
];

describe("a fingerprint", () => {
  it("is equal for an exact copy of the project", async () => {
    await withTempRepository(async (repo) => {
      await prepare(repo);
      execFileSync("cp", ["-a", repo.root, join(repo.base, "copy")]);
      const copy = repo.at("copy");
      const copied = await takeFingerprint(copy);
      expect(differences(copied, await takeFingerprint(repo))).toEqual([]);
    });
  });

  it("does not change what it looks at", async () => {
    await withTempRepository(async (repo) => {
      await prepare(repo);
      const first = await takeFingerprint(repo);
      expect(strictDifferences(await takeFingerprint(repo), first)).toEqual([]);
    });
  });

  it("does not see Waymark's own places", async () => {
    await withTempRepository(async (repo) => {
      await prepare(repo);
      const first = await takeFingerprint(repo);
      await repo.write(".checkpoints/repo.git/HEAD", "a line\n");
      await repo.write(".git/waymark/intent", "a line\n");
      await appendFile(await repo.gitPath("info/exclude"), "# Waymark\n/.checkpoints/\n");
      await repo.git("update-ref", "refs/waymark/keep/1", "HEAD");
      expect(strictDifferences(await takeFingerprint(repo), first)).toEqual([]);
    });
  });

  for (const { what, damage, says } of kept) {
    it.concurrent(`notices ${what}`, async () => {
      await withTempRepository(async (repo) => {
        await prepare(repo);
        const first = await takeFingerprint(repo);
        await damage(repo);
        const found = differences(await takeFingerprint(repo), first);
        expect(found).toContainEqual(expect.stringMatching(says));
      });
    });
  }

  for (const { what, damage, says } of createOnly) {
    it.concurrent(`notices ${what} after create only`, async () => {
      await withTempRepository(async (repo) => {
        await prepare(repo);
        const first = await takeFingerprint(repo);
        await damage(repo);
        const second = await takeFingerprint(repo);
        expect(strictDifferences(second, first)).toContainEqual(expect.stringMatching(says));
        expect(differences(second, first)).toEqual([]);
      });
    });
  }

  it("notices lost resolve-undo data", async () => {
    await withTempRepository(async (repo) => {
      await seedRepository(repo);
      await repo.git("checkout", "-q", "other");
      await repo.write("a.txt", "theirs\n");
      await repo.git("commit", "-qam", "theirs");
      await repo.gitStops("merge", "main");
      await repo.git("add", "a.txt");
      const first = await takeFingerprint(repo);
      expect(first.git?.resolveUndo).toHaveLength(3);
      await repo.git("update-index", "--clear-resolve-undo");
      const found = differences(await takeFingerprint(repo), first);
      expect(found.every((line) => line.startsWith("resolve-undo: lacks"))).toBe(true);
      expect(found).toHaveLength(3);
    });
  });

  it("reads HEAD, refs and stash from files as git tells them", async () => {
    await withTempRepository(async (repo) => {
      await prepare(repo);
      await repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/heads/main");
      await repo.git("tag", "-a", "-m", "annotated", "v1");
      await repo.git("pack-refs", "--all");
      await repo.git("branch", "-f", "other", "main");
      await repo.git("worktree", "add", "-q", "-f", "--detach", "../linked", "main");
      const linked = repo.at("linked");
      await linked.git("bisect", "start", "HEAD", "HEAD~1");
      await repo.git("checkout", "-q", "--orphan", "fresh");
      for (const tree of [repo, linked]) {
        expect(readRefs(gitPlaces(tree.root) as GitPlaces)).toEqual(await askRefs(tree));
      }
    });
  });

  it("asks git again unless every file, time stamp and inode is what it was", async () => {
    await withTempRepository(async (repo) => {
      await prepare(repo);
      const first = await takeFingerprint(repo);
      expect((await takeFingerprint(repo, first)).git?.status).toBe(first.git?.status);
      await repo.write("staged.txt", "staged, old\n");
      const found = differences(await takeFingerprint(repo, first), first);
      expect(found).toContainEqual(expect.stringMatching(/^status: lacks/));
    });
  });

  it("works for a plain folder", async () => {
    await withTempRepository(async (repo) => {
      await prepare(repo);
      await rm(join(repo.root, ".git"), { recursive: true });
      const first = await takeFingerprint(repo);
      expect(first.git).toBeUndefined();
      await repo.write("b.txt", "beta\n");
      expect(differences(await takeFingerprint(repo), first)).toHaveLength(1);
    });
  });
});

describe("a quoted name", () => {
  it.each([
    ["plain.txt", "plain.txt"],
    ["näme", "näme"],
    ['say "hi"\\\n\t', '"say \\"hi\\"\\\\\\n\\t"'],
  ])("%j is shown as %s", (name, shown) => {
    expect(quoteKey(Buffer.from(name).toString("latin1"))).toBe(shown);
  });

  it("shows bytes that are not UTF-8 in octal", () => {
    expect(quoteKey("a\xffb")).toBe('"a\\377b"');
  });
});
