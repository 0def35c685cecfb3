/**
 * The rules of the store (DESIGN: "a store of its own"; docs/storage-format.md): what a store that just sets `objects/info/alternates` gets
 * wrong. Each test ends with every checkpoint validated, and with what only it has restored.
 */
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectExit } from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";
import { type TempRepository, withTempRepository } from "../support/temp-repository.ts";
import { RuleProject } from "../spec/project.ts";

const GIT_DIR = ".git/waymark/store";

class StoreProject extends RuleProject {
  in(repo: TempRepository): StoreProject {
    return new StoreProject(repo);
  }

  store(...args: string[]): Promise<string> {
    return this.repo.git(`--git-dir=${GIT_DIR}`, ...args);
  }

  override async create(...args: string[]): Promise<string> {
    const { json } = await this.ok("create", "--force", ...args);
    return text(json, "checkpoint", "id");
  }

  async commit(name: string, content: string): Promise<string> {
    await this.repo.write(name, content);
    await this.repo.git("add", "-A");
    return this.repo.commit(name);
  }

  /** As thoroughly as a user can ask git to forget. */
  async forget(): Promise<void> {
    await this.repo.git("reflog", "expire", "--expire=now", "--all");
    await this.repo.git("gc", "-q", "--prune=now");
  }

  async expectWhole(): Promise<void> {
    const { json } = await this.ok("validate");
    expect(overall(json)).not.toContain(false);
    await this.repo.git("fsck", "--strict");
    await this.store("fsck", "--no-dangling");
  }

  /** The user's own refs, without those that keep what the store borrows. */
  async ownRefs(): Promise<string> {
    const refs = await this.repo.git("for-each-ref", "--format=%(objectname) %(refname)");
    return refs
      .split("\n")
      .filter((line) => !line.includes("refs/waymark/keep/"))
      .join("\n");
  }

  async keepRefs(): Promise<string[]> {
    const refs = await this.repo.git("for-each-ref", "--format=%(objectname)", "refs/waymark");
    return refs.split("\n").filter(Boolean);
  }

  async objects(): Promise<string[]> {
    const args = ["cat-file", "--batch-check=%(objectname)", "--batch-all-objects", "--unordered"];
    return (await this.repo.git(...args)).split("\n").filter(Boolean).sort();
  }
}

/** Of each checkpoint, whether nothing is wrong with it. */
function overall(json: unknown): boolean[] {
  return items(json, "checkpoints").map((one) => field(one, "overall") === true);
}

function withStore(
  body: (project: StoreProject) => Promise<void>,
  ...init: string[]
): Promise<void> {
  return withTempRepository(async (repo) => {
    const project = new StoreProject(repo);
    await project.commit("base.txt", "base\n");
    await body(project);
  }, init);
}

async function content({ repo }: StoreProject, name: string): Promise<string> {
  return String(await repo.read(name));
}

describe("the store", () => {
  it("leaves the user's repository as it was, but for refs at commits that it had", () =>
    withStore(async (project) => {
      await project.repo.write("untracked.txt", "new\n");
      await project.repo.write("base.txt", "staged\n");
      await project.repo.git("add", "base.txt");
      await project.repo.write("base.txt", "changed\n");
      const before = { refs: await project.ownRefs(), objects: await project.objects() };
      await project.create();
      expect({ refs: await project.ownRefs(), objects: await project.objects() }).toEqual(before);
      expect(await project.keepRefs()).toEqual([
        (await project.repo.git("rev-parse", "HEAD")).trim(),
      ]);
      expect(await project.repo.git("status", "--porcelain", "--ignored")).toBe(
        "MM base.txt\n?? untracked.txt\n",
      );
      expect(readFileSync(join(project.repo.root, ".git/info/exclude"), "utf8")).not.toContain(
        "checkpoints",
      );
    }));

  it("has everything that the borrowed commits do not reach, whatever git finds in the project", () =>
    withStore(async (project) => {
      // Git itself would skip these: the project has them, as loose objects that nothing leads to.
      await project.repo.write("staged.txt", "only staged\n");
      await project.repo.git("add", "staged.txt");
      await project.repo.write("loose.txt", "only hashed\n");
      await project.repo.git("hash-object", "-w", "loose.txt");
      const id = await project.create();
      await project.repo.git("reset", "-q");
      await project.repo.remove("staged.txt");
      await project.repo.remove("loose.txt");
      await project.forget();
      await project.expectWhole();
      await project.ok("rollback", id, "--yes");
      expect(await content(project, "staged.txt")).toBe("only staged\n");
      expect(await content(project, "loose.txt")).toBe("only hashed\n");
      expect(await project.repo.git("diff", "--cached", "--name-only")).toBe("staged.txt\n");
      await project.repo.git("fsck", "--strict");
    }));

  it("keeps its packs when the user commits what is in them, repacks and drops it again", () =>
    withStore(async (project) => {
      await project.repo.write("later.txt", "committed later\n");
      const id = await project.create();
      await project.commit("later.txt", "committed later\n");
      for (let count = 0; count < 25; count++) await project.create("-m", String(count));
      await project.repo.git("repack", "-adlq");
      await project.ok("cleanup", "--keep", "3", "--yes");
      await project.repo.git("reset", "-q", "--hard", "HEAD~1");
      await project.forget();
      await project.expectWhole();
      expect(id).not.toBe("");
    }));

  it("copies a commit that is younger than it, so that an amended one is not kept by the project", () =>
    withStore(async (project) => {
      await project.create();
      const secret = await project.commit("key.txt", "the-secret-that-was-committed\n");
      const id = await project.create();
      await project.repo.write("key.txt", "harmless\n");
      await project.repo.git("commit", "-q", "-a", "--amend", "-m", "amended");
      await project.create();
      await project.forget();
      expect(await project.repo.tryGit(["cat-file", "-e", secret])).toMatchObject({ code: 1 });
      await project.expectWhole();
      await project.ok("rollback", id, "--yes", "--discard-commits");
      expect((await project.repo.git("rev-parse", "HEAD")).trim()).toBe(secret);
      expect(await content(project, "key.txt")).toBe("the-secret-that-was-committed\n");
      await project.repo.git("fsck", "--strict");
      await project.ok("undo", "--yes");
      expect(await content(project, "key.txt")).toBe("harmless\n");
    }));

  it.each([
    ["after the store was made", true],
    ["before the store was made", false],
  ])("sends no commit that was amended away %s: mirror, bundle, push of everything", (_, isYoung) =>
    withStore(async (project) => {
      const { repo } = project;
      if (isYoung) await project.create();
      await project.commit("key.txt", "the-secret-that-was-committed\n");
      await project.create();
      await repo.write("key.txt", "harmless\n");
      await repo.git("commit", "-q", "-a", "--amend", "-m", "amended");
      await project.create();
      const blob = (
        await repo.gitWithInput("the-secret-that-was-committed\n", "hash-object", "--stdin")
      ).trim();
      await repo.git("init", "-q", "--bare", "../mirror.git");
      await repo.git("push", "-q", "--mirror", "../mirror.git");
      await repo.git("clone", "-q", "--mirror", ".", "../cloned.git");
      await repo.git("bundle", "create", "-q", "../all.bundle", "--all");
      await repo.git("clone", "-q", "--mirror", "../all.bundle", "../bundled.git");
      for (const place of ["mirror.git", "cloned.git", "bundled.git"]) {
        const args = ["cat-file", "--batch-check=%(objectname)", "--batch-all-objects"];
        const found = (await repo.at(place).git(...args)).split("\n");
        // A clone on the same disk takes whole packs along; what refs lead to counts.
        if (place === "cloned.git") {
          const reached = await repo.at(place).git("rev-list", "--objects", "--all");
          expect(reached).not.toContain(blob);
        } else {
          expect(found).not.toContain(blob);
        }
        const refs = await repo.at(place).git("for-each-ref", "--format=%(refname)");
        expect(refs).not.toMatch(/refs\/waymark\/(?!keep\/)/);
      }
      await project.expectWhole();
    }),
  );

  it("exports no secret of a commit that was amended away", () =>
    withStore(async (project) => {
      const { repo } = project;
      const secret = "DB_PASSWORD=wJalrXUtnFEMI7MDENGbPxRfiCYzQ4T8kLm2\n";
      await project.commit("settings.sh", secret);
      const id = await project.create();
      await repo.git("rm", "-q", "settings.sh");
      await repo.git("commit", "-q", "--amend", "--allow-empty", "-m", "without it");
      const kept = await project.create();
      const archive = join(repo.base, "all.bundle");
      const { json } = await project.ok("export", "-o", archive);
      expect(items(json, "checkpoints").map((one) => text(one, "id"))).toEqual([kept]);
      await repo.git("clone", "-q", "--mirror", archive, "../exported.git");
      const there = await repo.at("exported.git").git("for-each-ref", "--format=%(refname)");
      expect(there).not.toContain(id);
      const blob = (await repo.gitWithInput(secret, "hash-object", "--stdin")).trim();
      expect((await repo.at("exported.git").tryGit(["cat-file", "-e", blob])).code).not.toBe(0);
    }));

  it("borrows what is published and copies the rest", () =>
    withStore(async (project) => {
      const { repo } = project;
      await project.create();
      await repo.git("init", "-q", "--bare", "../origin.git");
      await repo.git("remote", "add", "origin", "../origin.git");
      await project.commit("pushed.txt", "pushed\n");
      await repo.git("push", "-q", "origin", "HEAD:main");
      const pushed = (await repo.git("rev-parse", "HEAD")).trim();
      await project.commit("local.txt", "local\n");
      await project.create();
      expect(await project.keepRefs()).toContain(pushed);
      expect(await project.keepRefs()).not.toContain((await repo.git("rev-parse", "HEAD")).trim());
      await repo.git("reset", "-q", "--hard", "HEAD~2");
      await repo.git("update-ref", "-d", "refs/remotes/origin/main");
      await project.forget();
      await project.expectWhole();
    }));

  it("copies HEAD of its first moment, too, as it may be amended", () =>
    withStore(async (project) => {
      const { repo } = project;
      const secret = await project.commit("key.txt", "the-secret-that-was-committed\n");
      await project.create();
      await repo.write("key.txt", "harmless\n");
      await repo.git("commit", "-q", "-a", "--amend", "-m", "amended");
      await project.forget();
      expect(await repo.tryGit(["cat-file", "-e", secret])).toMatchObject({ code: 1 });
      await project.expectWhole();
    }));

  it("gives the user's git what an entry that is only announced needs", () =>
    withStore(async (project) => {
      const { repo } = project;
      await repo.write("announced.txt", "later\n");
      await repo.git("add", "-N", "announced.txt");
      const id = await project.create();
      await repo.git("reset", "-q");
      await repo.remove("announced.txt");
      await project.forget();
      await project.ok("rollback", id, "--yes");
      await repo.git("gc", "-q", "--prune=now");
      await repo.git("fsck", "--strict");
    }));

  it("lets git warn about commits that are left behind", () =>
    withStore(async (project) => {
      const { repo } = project;
      await project.create();
      await repo.git("checkout", "-q", "--detach");
      await project.commit("left.txt", "left\n");
      await project.create();
      const { stderr } = await repo.tryGit(["checkout", "main"]);
      expect(stderr).toContain("you are leaving 1 commit behind");
      expect(await repo.git("log", "--all", "--format=%s")).toBe("base.txt\n");
      expect(await repo.git("rev-parse", ":/txt")).toBe(await repo.git("rev-parse", "main"));
    }));

  it("does not see a commit that was put in the place of another", () =>
    withStore(async (project) => {
      const { repo } = project;
      const first = (await repo.git("rev-parse", "HEAD")).trim();
      const second = await project.commit("second.txt", "second\n");
      await project.commit("third.txt", "third\n");
      await repo.git("replace", "--graft", second);
      await project.create();
      await repo.git("replace", "-d", second);
      await repo.git("checkout", "-q", first);
      await project.create();
      await project.expectWhole();
      expect((await project.store("rev-list", "--all")).split("\n")).toContain(first);
    }));

  it("keeps older checkpoints when the history is cut off behind them", () =>
    withStore(async (project) => {
      const { repo } = project;
      for (const name of ["1", "2", "3", "4"]) await project.commit(`${name}.txt`, `${name}\n`);
      await repo.git("clone", "-q", "--bare", ".", "../origin.git");
      await repo.git("remote", "add", "origin", `file://${join(repo.base, "origin.git")}`);
      await repo.git("fetch", "-q", "origin");
      await project.create("-m", "newest");
      await repo.git("checkout", "-q", "HEAD~3");
      await repo.write("untracked.txt", "at the old commit\n");
      const old = await project.create("-m", "old");
      await repo.git("checkout", "-q", "main");
      await repo.git("fetch", "-q", "--depth=1", "origin", "main");
      await project.create("-m", "after the cut");
      await project.forget();
      expect(existsSync(join(repo.root, ".git/shallow"))).toBe(true);
      await project.expectWhole();
      await project.ok("rollback", old, "--yes", "--discard-commits");
      expect(await content(project, "untracked.txt")).toBe("at the old commit\n");
      await project.ok("undo", "--yes", "--discard-commits");
    }));

  it("puts back the refs that keep what it borrows, and says so", () =>
    withStore(async (project) => {
      const { repo } = project;
      await repo.git("clone", "-q", "--bare", ".", "../origin.git");
      await repo.git("remote", "add", "origin", "../origin.git");
      await project.create();
      const kept = await project.keepRefs();
      await repo.git("fetch", "-q", "--prune", "origin", "+refs/*:refs/*", "--update-head-ok");
      expect(await project.keepRefs()).toEqual([]);
      const created = await project.run("create", "--force");
      expect(created.stderr + String(created.stdout)).toContain("created again");
      expect(await project.keepRefs()).toEqual(kept);
      await project.expectWhole();
    }));

  it("copies what the project itself borrows, and keeps it when the lender drops it", () =>
    withStore(async (project) => {
      const { repo } = project;
      await project.commit("lent.txt", "lent\n");
      await repo.git("clone", "-q", "--shared", ".", "../borrower");
      const borrower = project.in(repo.at("borrower"));
      await borrower.repo.write("own.txt", "own\n");
      const id = await borrower.create();
      expect(await borrower.keepRefs()).toEqual([]);
      await borrower.repo.write("lent.txt", "changed\n");
      await repo.git("reset", "-q", "--hard", "HEAD~1");
      await project.forget();
      const { json } = await borrower.ok("validate", id);
      expect(overall(json)).toEqual([true]);
    }));

  it("copies what it borrowed when the project begins to borrow itself", () =>
    withStore(async (project) => {
      const { repo } = project;
      await repo.git("clone", "-q", "--bare", ".", "../lender.git");
      const id = await project.create();
      await writeFile(
        join(repo.root, ".git/objects/info/alternates"),
        `${join(repo.base, "lender.git/objects")}\n`,
      );
      await repo.git("repack", "-adlq");
      await repo.git("prune-packed");
      await project.create();
      expect(await project.keepRefs()).toEqual([]);
      await rm(join(repo.base, "lender.git"), { recursive: true });
      const { json } = await project.ok("validate", id);
      expect(overall(json)).toEqual([true]);
    }));

  it("names what a rewrite of the history broke, and puts nothing of it back", () =>
    withStore(async (project) => {
      const { repo } = project;
      await project.create("-m", "before");
      // What git filter-repo does: every ref at its new commit, reflogs and old objects gone.
      const tree = (await repo.git("write-tree")).trim();
      const commit = (await repo.git("commit-tree", "-m", "rewritten", tree)).trim();
      for (const line of (await repo.git("for-each-ref", "--format=%(refname)")).split("\n")) {
        if (line !== "") await repo.git("update-ref", line, commit);
      }
      await repo.write("base.txt", "rewritten\n");
      await repo.git("commit", "-q", "-a", "--amend", "-m", "rewritten");
      await repo.git("update-ref", "-d", "ORIG_HEAD");
      await project.forget();
      const created = await project.run("create", "--force");
      expect(created.stderr + String(created.stdout)).toContain("was rewritten");
      expectExit(created, 0);
      const { json } = await project.run("validate");
      expect(overall(json).toSorted((one, other) => Number(one) - Number(other))).toEqual([
        false,
        true,
      ]);
    }));

  it("gives the user's git every object of the index and the branch that a rollback sets", () =>
    withStore(async (project) => {
      const { repo } = project;
      await project.create();
      const lost = await project.commit("commit.txt", "only in the store\n");
      await repo.write("staged.txt", "staged\n");
      await repo.git("add", "-A");
      await repo.write("base.txt", "staged, then changed\n");
      await repo.git("add", "base.txt");
      await repo.write("base.txt", "changed\n");
      const id = await project.create();
      await repo.git("reset", "-q", "--hard", "HEAD~1");
      await project.forget();
      expect(await repo.tryGit(["cat-file", "-e", lost])).toMatchObject({ code: 1 });
      await project.ok("rollback", id, "--yes", "--discard-commits");
      await repo.git("fsck", "--strict");
      expect(await repo.git("show", ":base.txt")).toBe("staged, then changed\n");
      expect(await repo.git("status", "--porcelain")).toBe("MM base.txt\nA  staged.txt\n");
      await repo.git("gc", "-q", "--prune=now");
      await repo.git("commit", "-q", "-m", "still possible");
      await project.expectWhole();
    }));
});

describe("the store of a repository that", () => {
  it("has its waymark folder on another disk, by a link, borrows all the same", () =>
    withStore(async (project) => {
      const { repo } = project;
      await mkdir(join(repo.base, "elsewhere/waymark"), { recursive: true });
      await symlink(join(repo.base, "elsewhere/waymark"), join(repo.root, ".git/waymark"));
      await repo.write("new.txt", "new\n");
      await project.create();
      await project.expectWhole();
    }));

  it.each([
    ["moved", rename],
    ["copied", copyAll],
  ] as const)("was %s works there", (_, move) =>
    withStore(async (project) => {
      const { repo } = project;
      await repo.write("new.txt", "new\n");
      const id = await project.create();
      await move(repo.root, join(repo.base, "elsewhere"));
      const there = project.in(repo.at("elsewhere"));
      await there.repo.remove("new.txt");
      await there.ok("rollback", id, "--yes");
      expect(await content(there, "new.txt")).toBe("new\n");
      await there.create();
      await there.expectWhole();
    }),
  );

  it("has linked work trees is one for all of them", () =>
    withStore(async (project) => {
      const { repo } = project;
      await repo.git("worktree", "add", "-q", "-b", "other", "../linked");
      const linked = project.in(repo.at("linked"));
      await linked.repo.write("in-linked.txt", "linked\n");
      const id = await linked.create();
      expect(existsSync(join(repo.root, GIT_DIR, "HEAD"))).toBe(true);
      expect(await project.store("for-each-ref", "--format=%(refname)")).toContain(id);
      await linked.repo.remove("in-linked.txt");
      await linked.ok("rollback", id, "--yes");
      expect(await content(linked, "in-linked.txt")).toBe("linked\n");
      await project.expectWhole();
    }));

  it("is a submodule is in the git folder of the submodule", () =>
    withStore(async (project) => {
      const { repo } = project;
      await repo.git("clone", "-q", ".", "../library");
      const add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../library"];
      await repo.git(...add, "lib");
      const inside = project.in(repo.at("project/lib"));
      await inside.repo.write("inside.txt", "inside\n");
      const id = await inside.create();
      expect(existsSync(join(repo.root, ".git/modules/lib/waymark/store/HEAD"))).toBe(true);
      await inside.repo.remove("inside.txt");
      await inside.ok("rollback", id, "--yes");
      expect(await content(inside, "inside.txt")).toBe("inside\n");
    }));

  it("uses SHA-256 has the same format", () =>
    withStore(async (project) => {
      await project.repo.write("new.txt", "new\n");
      const id = await project.create();
      await project.commit("second.txt", "second\n");
      await project.create();
      await project.repo.remove("new.txt");
      await project.ok("rollback", id, "--yes", "--discard-commits");
      expect(await content(project, "new.txt")).toBe("new\n");
      await project.expectWhole();
    }, "--object-format=sha256"));

  it("has no commit yet, or an orphan branch, borrows nothing for it", () =>
    withTempRepository(async (repo) => {
      const project = new StoreProject(repo);
      await repo.write("first.txt", "first\n");
      await repo.git("add", "first.txt");
      const id = await project.create();
      expect(await project.keepRefs()).toEqual([]);
      await project.commit("second.txt", "second\n");
      await project.create();
      await repo.git("checkout", "-q", "--orphan", "fresh");
      const orphan = await project.create();
      await repo.git("rm", "-qrf", ".");
      await project.ok("rollback", orphan, "--yes");
      expect(await repo.git("ls-files")).toBe("first.txt\nsecond.txt\n");
      await project.ok("rollback", id, "--yes", "--discard-commits");
      expect(await content(project, "first.txt")).toBe("first\n");
      await project.expectWhole();
    }));

  it("is a shallow clone keeps what it has", () =>
    withStore(async (project) => {
      const { repo } = project;
      await project.commit("second.txt", "second\n");
      await repo.git("clone", "-q", "--depth=1", `file://${repo.root}`, "../shallow");
      const shallow = project.in(repo.at("shallow"));
      await shallow.repo.write("new.txt", "new\n");
      const id = await shallow.create();
      await shallow.commit("third.txt", "third\n");
      await shallow.create();
      await shallow.repo.git("fetch", "-q", "--unshallow");
      await shallow.create();
      await shallow.ok("rollback", id, "--yes", "--discard-commits");
      await shallow.expectWhole();
    }));

  it("is a partial clone uses no network and keeps what is here", () =>
    withStore(async (project) => {
      const { repo } = project;
      await project.commit("base.txt", "base, second version\n");
      await repo.git("config", "uploadpack.allowFilter", "true");
      await repo.git("clone", "-q", "--filter=blob:none", `file://${repo.root}`, "../partial");
      await rename(repo.root, join(repo.base, "offline"));
      const partial = project.in(repo.at("partial"));
      await partial.repo.write("new.txt", "new\n");
      const id = await partial.create();
      await partial.commit("third.txt", "third\n");
      await partial.create();
      await partial.repo.remove("new.txt");
      await partial.repo.write("base.txt", "wrecked\n");
      await partial.ok("rollback", id, "--yes", "--discard-commits");
      expect(await content(partial, "base.txt")).toBe("base, second version\n");
      expect(await content(partial, "new.txt")).toBe("new\n");
      const { json } = await partial.ok("validate");
      expect(overall(json)).toEqual([true, true, true]);
    }));
});

describe("refs of ours in the user's repository", () => {
  it("that came by a fetch are not taken for checkpoints", () =>
    withStore(async (project) => {
      const { repo } = project;
      await repo.git("clone", "-q", ".", "../other");
      const other = project.in(repo.at("other"));
      const id = await other.create("-m", "from elsewhere");
      const from = ["../other/.git/waymark/store", "+refs/waymark/*:refs/waymark/*"];
      await repo.git("fetch", "-q", ...from);
      await project.create();
      const { json } = await project.ok("list");
      expect(items(json, "checkpoints").map((one) => text(one, "id"))).not.toContain(id);
      expect(field((await project.run("show", id)).json, "error", "code")).toBe(
        "checkpoint_not_found",
      );
    }));
});

describe("a store that lost", () => {
  it("its record goes by the refs that are kept", () =>
    withStore(async (project) => {
      const { repo } = project;
      await project.create();
      const kept = await project.keepRefs();
      await rm(repo.storePath("bases.json"));
      await project.commit("second.txt", "second\n");
      await project.create();
      expect(await project.keepRefs()).toEqual(kept);
      await repo.git("reset", "-q", "--hard", "HEAD~1");
      await project.forget();
      await project.expectWhole();
    }));

  it("its HEAD gets it again", () =>
    withStore(async (project) => {
      await project.create();
      await rm(project.repo.storePath("HEAD"));
      await project.create();
      await project.expectWhole();
    }));

  it("the path to the project's objects gets it again", () =>
    withStore(async (project) => {
      await project.create();
      await rm(project.repo.storePath("objects/info/alternates"));
      await project.create();
      await project.expectWhole();
    }));

  it("everything is made again, and that is said", () =>
    withStore(async (project) => {
      await project.create();
      await rm(project.repo.storeDir, { recursive: true });
      const created = await project.run("create", "--force");
      expect(created.stderr + String(created.stdout)).toContain("a new one was created");
      await project.expectWhole();
    }));
});

async function copyAll(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
}
