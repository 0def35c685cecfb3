/** Folders without git: how they become projects, and what happens when they become git work trees. */
import { randomBytes } from "node:crypto";
import { chown, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CliResult, expectExit, waymarkArguments } from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";
import { strayPackFiles } from "../support/stray-pack-files.ts";
import { withTempProject } from "../support/temp-repository.ts";
import { canKill, killed } from "./killed.ts";
import { RuleProject, withSeed } from "./project.ts";

const PRIVATE = ".checkpoints/repo.git";

async function withFolder(body: (project: RuleProject) => Promise<void>): Promise<void> {
  await withTempProject(async (repo) => {
    await repo.write("a.txt", "alpha\n");
    await repo.write("dir/b.txt", "beta\n");
    await body(new RuleProject(repo));
  });
}

const content = async ({ repo }: RuleProject, name: string): Promise<string> =>
  String(await repo.read(name));

const code = (result: CliResult): string => text(result.json, "error", "code");

/** What a command says to people. */
async function talk({ repo }: RuleProject, ...args: readonly string[]): Promise<string> {
  const words = waymarkArguments(repo.root, ...args);
  const result = await runCommand(process.execPath, words, { cwd: repo.root, env: repo.env });
  expect(result.code).toBe(0);
  return result.stderr;
}

async function ids(project: RuleProject): Promise<string[]> {
  const listed = items((await project.ok("list", "--all")).json, "checkpoints");
  return listed.map((checkpoint) => text(checkpoint, "id"));
}

/** The private repositories in a folder, under whichever name. */
async function kept({ repo }: RuleProject): Promise<string[]> {
  const names = await readdir(join(repo.root, ".checkpoints")).catch(() => []);
  return names.filter((name) => name.endsWith(".git") || name.includes("repo.git"));
}

async function becomeGit({ repo }: RuleProject): Promise<void> {
  await repo.git("init", "-q", "-b", "trunk");
  await repo.git("add", "-A");
  await repo.commit("first");
}

/** HEAD, branches and index, as git shows them. */
async function gitState({ repo }: RuleProject): Promise<string[]> {
  return [
    await repo.git("symbolic-ref", "HEAD"),
    await repo.git("for-each-ref", "refs/heads"),
    // Entries and flags: stat data is that of the files on the disk (R181).
    await repo.git("ls-files", "-s", "-v"),
  ];
}

describe("a plain folder becomes a project", () => {
  it("[R56] only by create, import and init; others say how, and make nothing", async () => {
    await withFolder(async (project) => {
      for (const args of [
        ["list"],
        ["rollback", "latest", "--yes"],
        ["undo", "--yes"],
        ["export"],
      ]) {
        const refused = await project.run(...args);
        expectExit(refused, 3);
        expect(code(refused)).toBe("not_a_repository");
        expect(text(refused.json, "error", "hint")).toContain("waymark create");
      }
      await project.ok("init", "--dry-run");
      expect(await project.repo.exists(".checkpoints")).toBe(false);
      const id = await project.create();
      expect(await kept(project)).toEqual(["repo.git"]);
      for (const path of [".checkpoints", PRIVATE]) {
        expect((await stat(project.repo.path(path))).mode & 0o777).toBe(0o700);
      }
      const git = field((await project.ok("show", id)).json, "checkpoint", "git");
      expect(git).toMatchObject({ plain: true, branch: null, unborn: true, detached: false });
    });
  });

  it("[R56] and folders in it belong to it, up to a repository that is nearer", async () => {
    await withFolder(async (project) => {
      const { repo } = project;
      const inside = project.at("project/dir");
      const id = await project.create();
      expect(await ids(inside)).toEqual([id]);
      expect(text((await inside.ok("create")).json, "checkpoint", "id")).toBe(id);
      const nested = project.at("project/nested");
      await mkdir(nested.repo.root);
      await nested.repo.git("init", "-q");
      await nested.repo.write("own.txt", "own\n");
      expect(await ids(nested)).toEqual([]);
      const withNested = await project.ok("create");
      expect(items(withNested.json, "checkpoint", "coverage", "excluded")).toContainEqual({
        path: "nested/",
        reason: "nested_repository",
        size: null,
      });
      // A repository around it is further away.
      await repo.at(".").git("init", "-q");
      expect(await ids(inside)).toContain(id);
    });
  });

  it("[R56] a create that fails leaves a folder that is no project", async () => {
    await withFolder(async (project) => {
      await project.writeOwnSettings("capture:\n  max_files: 1\n");
      const refused = await project.run("create");
      expect(code(refused)).toBe("over_budget");
      expect(await project.repo.exists(".checkpoints")).toBe(false);
      expect(code(await project.run("list"))).toBe("not_a_repository");
      await project.repo.write("waymark.yml", "capture: nonsense\n");
      expect(code(await project.run("create"))).toBe("config_invalid");
      expect(await project.repo.exists(".checkpoints")).toBe(false);
    });
  });

  it("[R56] a `.git` that git does not accept is named, and nothing is made beside it", async () => {
    await withFolder(async (project) => {
      await project.repo.write(".git", "garbage\n");
      const refused = await project.run("create");
      expectExit(refused, 3);
      expect(text(refused.json, "error", "message")).toContain(".git");
      expect(await project.repo.exists(".checkpoints")).toBe(false);
    });
  });

  it("[R56] where both of its names are the user's, the error says so", async () => {
    await withFolder(async (project) => {
      await project.repo.write(".checkpoints", "mine\n");
      await project.repo.write(".waymark/notes.txt", "mine too\n");
      const refused = await project.run("create");
      expect(code(refused)).toBe("obstructed");
      expect(text(refused.json, "error", "message")).toContain(".waymark is in the way");
      expect(await content(project, ".checkpoints")).toBe("mine\n");
      expect(await readdir(join(project.repo.root, ".waymark"))).toEqual(["notes.txt"]);
    });
  });

  it.each([
    ["file", ".checkpoints"],
    ["folder", ".checkpoints/model/weights.bin"],
  ])(
    "[R56] a .checkpoints %s of the user is captured, and ours is .waymark",
    async (_kind, path) => {
      await withFolder(async (project) => {
        const { repo } = project;
        await repo.write(path, "mine\n");
        expect(await talk(project, "create", "-m", "one")).toContain("stored in .waymark/repo.git");
        const [id = ""] = await ids(project);
        const shown = await project.ok("show", id);
        expect(field(shown.json, "checkpoint", "coverage", "excluded")).toMatchObject([
          { path: ".waymark/", reason: "own_files" },
        ]);
        await repo.write(path, "changed\n");
        const made = await project.ok("create");
        expect(JSON.stringify(made.json)).toContain("git --git-dir=.waymark/repo.git rev-parse");
        await project.rollBack(id);
        expect(await content(project, path)).toBe("mine\n");
        // Deleted, it is restored, and the checkpoints are found where they were.
        await repo.remove(".checkpoints");
        await project.rollBack(id);
        expect(await content(project, path)).toBe("mine\n");
        await project.ok("export");
        expect((await readdir(join(repo.root, ".waymark"))).toSorted()).toEqual([
          ".gitignore",
          "audit.log",
          "exports",
          "repo.git",
          "waymark",
        ]);
        // Once more as a git work tree, and without git again.
        await becomeGit(project);
        expect(await repo.git("status", "--porcelain")).toBe("");
        const stderr = await talk(project, "create", "-m", "in git");
        expect(stderr).toContain("moved ");
        expect(stderr).toContain(".waymark/audit.log, .waymark/exports");
        expect(await ids(project)).toContain(id);
        await project.ok("validate");
        expect(await repo.git("status", "--porcelain")).toBe("");
        await repo.remove(".git");
        expectExit(await project.run("create"), 0);
        expect(await ids(project)).toContain(id);
        await project.rollBack(id);
        expect(await content(project, path)).toBe("mine\n");
      });
    },
  );

  it("[R56] several creates at once make one repository, and each its checkpoint", async () => {
    await withFolder(async (project) => {
      const made = await Promise.all(Array.from({ length: 5 }, () => project.create()));
      expect((await ids(project)).toSorted()).toEqual(made.toSorted());
      expect(await kept(project)).toEqual(["repo.git"]);
    });
  });

  it("[R56] it can be moved, and be used with plain git", async () => {
    await withFolder(async (project) => {
      const id = await project.create();
      const moved = project.at("moved");
      await rename(project.repo.root, moved.repo.root);
      await moved.repo.write("a.txt", "edited\n");
      const show = ["cat-file", "blob", `refs/waymark/cp/${id}:worktree/a.txt`];
      expect(await moved.repo.git("--git-dir=.checkpoints/repo.git", ...show)).toBe("alpha\n");
      await moved.rollBack(id);
      expect(await content(moved, "a.txt")).toBe("alpha\n");
    });
  });

  it("[R56] somebody else's is not trusted", async () => {
    await withFolder(async (project) => {
      if (process.getuid?.() !== 0) return;
      await project.create();
      await chown(project.repo.path(PRIVATE), 12345, 12345);
      expect(code(await project.run("list"))).toBe("unsafe_repository");
      await project.repo.git("config", "--global", "safe.directory", project.repo.root);
      expect(await ids(project)).toHaveLength(1);
    });
  });

  it("[R56] what is deleted for good is given back to the disk, as nobody else collects it", async () => {
    await withFolder(async (project) => {
      await project.repo.write("large.bin", randomBytes(300_000));
      const id = await project.create();
      await project.repo.remove("large.bin");
      await project.create();
      const blob = `refs/waymark/cp/${id}:worktree/large.bin`;
      const git = ["--git-dir=.checkpoints/repo.git"];
      const oid = (await project.repo.git(...git, "rev-parse", blob)).trim();
      await project.ok("delete", id, "--yes", "--now");
      expect((await project.repo.tryGit([...git, "cat-file", "-e", oid])).code).not.toBe(0);
      expect(await ids(project)).toHaveLength(1);
      await project.ok("validate");
    });
  });

  it.skipIf(!canKill)(
    "[R56] killed anywhere, the next create makes a whole one and tidies up",
    async () => {
      await withFolder(async (project) => {
        await killed(project, ["create"], async (copy) => {
          await copy.create();
          expect(await kept(copy)).toEqual(["repo.git"]);
          await copy.ok("validate");
        });
      });
    },
    240_000,
  );
});

describe("a plain folder that becomes a git work tree", () => {
  it("[R57] its checkpoints are taken over by the next command that changes something", async () => {
    await withFolder(async (project) => {
      const { repo } = project;
      const first = await project.create();
      await project.ok("pin", first);
      await repo.write("a.txt", "second\n");
      const second = await project.create();
      const deleted = await project.create();
      await project.ok("delete", deleted, "--yes");
      await becomeGit(project);
      expect(await repo.git("status", "--porcelain")).toBe("");
      expect(await repo.git("ls-files", ".checkpoints")).toBe("");

      // Looking changes nothing.
      const refs = await repo.allRefs();
      expect(await talk(project, "list")).toContain("waymark recover");
      await project.ok("cleanup", "--dry-run");
      expect(await repo.allRefs()).toBe(refs);
      expect(await kept(project)).toEqual(["repo.git"]);

      expect(await talk(project, "recover")).toContain("moved 2 checkpoints");
      const third = await project.ok("create", "-m", "in git");
      expect(await ids(project)).toEqual([text(third.json, "checkpoint", "id"), second, first]);
      expect(field(third.json, "checkpoint", "previous_id")).toBe(second);
      expect(items((await project.ok("delete", "--undo")).json, "restorable")).toHaveLength(1);
      expect(await kept(project)).toEqual([expect.stringMatching(/^before-git-.*\.git$/)]);
      expect(await talk(project, "create")).not.toContain("moved ");
      await project.ok("validate");
      const events = items((await project.ok("log")).json, "entries");
      expect(events.map((entry) => field(entry, "kind"))).toContain("take_over");
      await project.ok("doctor");
    });
  });

  it("[R57] nothing that is there is replaced, and what cannot be taken over is named", async () => {
    await withFolder(async (project) => {
      const { repo } = project;
      const first = await project.create();
      const second = await project.create();
      await becomeGit(project);
      // The store of the repository is there already, and has the name.
      const aside = join(repo.base, "aside.git");
      await rename(join(repo.root, PRIVATE), aside);
      await project.create();
      await mkdir(join(repo.root, ".checkpoints"), { recursive: true });
      await rename(aside, join(repo.root, PRIVATE));
      const other = await repo.head();
      await repo.store("update-ref", `refs/waymark/cp/${first}`, other);
      const stderr = await talk(project, "create", "--force");
      expect(stderr).toContain(`not moved: refs/waymark/cp/${first}`);
      expect((await repo.store("rev-parse", `refs/waymark/cp/${first}`)).trim()).toBe(other);
      expect(await ids(project)).toContain(second);
      const [place = ""] = await kept(project);
      expect(await repo.git(`--git-dir=.checkpoints/${place}`, "for-each-ref")).toContain(first);
    });
  });

  it("[R57] a damaged one stays behind and keeps no other", async () => {
    await withFolder(async (project) => {
      const { repo } = project;
      const first = await project.create();
      await repo.write("only.txt", "only in the second\n");
      const second = await project.create();
      const git = `--git-dir=${join(repo.root, PRIVATE)}`;
      const blob = await repo.git(git, "rev-parse", `refs/waymark/cp/${second}:worktree/only.txt`);
      const packs = join(repo.root, PRIVATE, "objects/pack");
      const files = await Promise.all(
        (await readdir(packs))
          .filter((name) => name.endsWith(".pack"))
          .map(async (name) => await readFile(join(packs, name))),
      );
      await rm(packs, { recursive: true });
      await mkdir(packs);
      for (const file of files) await repo.gitWithInput(file, git, "unpack-objects", "-q");
      const oid = blob.trim();
      await rm(join(repo.root, PRIVATE, "objects", oid.slice(0, 2), oid.slice(2)));
      await becomeGit(project);
      await repo.git("rm", "-q", "--cached", "only.txt");
      await repo.git("gc", "-q", "--prune=now");
      const stderr = await talk(project, "create", "--force");
      expect(stderr).toMatch(new RegExp(`not moved: refs/waymark/cp/${second}: it is damaged`));
      expect(await ids(project)).toContain(first);
    });
  });

  it("[R57] a repository that names its objects in another way takes nothing over and loses nothing", async () => {
    await withFolder(async (project) => {
      const { repo } = project;
      const id = await project.create();
      await repo.git("init", "-q", "--object-format=sha256");
      const stderr = await talk(project, "create");
      expect(stderr).toContain("this repository uses another object format");
      const [place = ""] = await kept(project);
      expect(await repo.git(`--git-dir=.checkpoints/${place}`, "for-each-ref")).toContain(id);
    });
  });

  it("[R57] goes on with them when the repository is taken away again", async () => {
    await withFolder(async (project) => {
      const { repo } = project;
      const first = await project.create();
      await becomeGit(project);
      const second = await project.create();
      await repo.remove(".git");
      const refused = await project.run("list");
      expect(code(refused)).toBe("not_a_repository");
      expect(text(refused.json, "error", "hint")).toContain("from before there was one");
      const third = await project.create();
      expect((await ids(project)).toSorted()).toEqual([first, third].toSorted());
      await becomeGit(project);
      const fourth = await project.create();
      expect((await ids(project)).toSorted()).toEqual([first, third, fourth].toSorted());
      expect(second).not.toBe(third);
    });
  });

  it("[R57] an interrupted rollback of the plain time is taken back first", async () => {
    await withFolder(async (project) => {
      const { repo } = project;
      const id = await project.create();
      await repo.write("a.txt", "later\n");
      const intent = join(repo.root, PRIVATE, "waymark/rollback-intent.json");
      await writeFile(
        intent,
        JSON.stringify({
          version: 1,
          rollback_id: "rb-1",
          owner: { host: hostname(), boot: "another", pid: 0, started: "" },
          since: new Date().toISOString(),
          phase: "locking",
          target_id: id,
          safety_id: null,
          lock: { dev: "0", ino: "0" },
          staging: join(repo.root, PRIVATE, "waymark/restore/rb-1"),
          steps: { files: [], modes: [], folders: [] },
          head: null,
          refs: [],
          new_index: null,
          changes_index: false,
          safety_index: null,
        }),
      );
      await becomeGit(project);
      await project.ok("recover");
      const [place = ""] = await kept(project);
      const left = await readdir(join(repo.root, ".checkpoints", place, "waymark"));
      expect(left).not.toContain("rollback-intent.json");
      expect(await content(project, "a.txt")).toBe("later\n");
    });
  });

  it.skipIf(!canKill)(
    "[R57] killed anywhere, all of them are there after the next command, and nothing is lost",
    async () => {
      await withFolder(async (project) => {
        const made = [await project.create(), await project.create(), await project.create()];
        await becomeGit(project);
        await killed(project, ["recover"], async (copy) => {
          await copy.ok("recover");
          expect((await ids(copy)).toSorted()).toEqual(made.toSorted());
          await copy.ok("validate");
          expect(await kept(copy)).toEqual([expect.stringMatching(/^before-git-/)]);
          expect(await strayPackFiles(copy.repo)).toEqual([]);
        });
      });
    },
    240_000,
  );
});

describe("over the border between plain folder and git work tree", () => {
  it("[R55] a rollback to a checkpoint of the plain time restores files and leaves git alone", async () => {
    await withFolder(async (project) => {
      const { repo } = project;
      const id = await project.create();
      await repo.write("a.txt", "in git\n");
      await becomeGit(project);
      await repo.write("staged.txt", "staged\n");
      await repo.git("add", "staged.txt");
      await repo.remove("dir/b.txt");
      const before = await gitState(project);
      const rolledBack = await project.ok("rollback", id, "--yes");
      expect(await gitState(project)).toEqual(before);
      expect(await content(project, "a.txt")).toBe("alpha\n");
      expect(await content(project, "dir/b.txt")).toBe("beta\n");
      expect(await repo.exists("staged.txt")).toBe(false);
      expect(field(rolledBack.json, "verification", "match")).toBe(true);
      await project.ok("undo", "--yes");
      expect(await gitState(project)).toEqual(before);
      expect(await content(project, "a.txt")).toBe("in git\n");
      expect(await content(project, "staged.txt")).toBe("staged\n");
      await project.ok("redo", "--yes");
      expect(await gitState(project)).toEqual(before);
      expect(await content(project, "a.txt")).toBe("alpha\n");
    });
  });

  it("[R55] a rollback of the plain time can be undone in git, and no branch is touched", async () => {
    await withFolder(async (project) => {
      const { repo } = project;
      const id = await project.create();
      await repo.write("a.txt", "agent's work\n");
      await project.rollBack(id);
      await becomeGit(project);
      const before = await gitState(project);
      await project.ok("undo", "--yes");
      expect(await content(project, "a.txt")).toBe("agent's work\n");
      expect(await gitState(project)).toEqual(before);
    });
  });

  it("[R55] a checkpoint of a git work tree, imported into a plain folder, restores files only", async () => {
    await withSeed(async (source) => {
      const { repo } = source;
      const id = await source.create();
      const file = join(repo.base, "out.bundle");
      await source.ok("export", "-o", file);
      const plain = source.at("plain");
      await mkdir(plain.repo.root);
      await plain.repo.write("mine.txt", "mine\n");
      await plain.ok("import", file, "--dry-run");
      expect(await plain.repo.exists(".checkpoints")).toBe(false);
      await plain.ok("import", file);
      await plain.ok("rollback", id, "--yes");
      expect(await content(plain, "dir/c.txt")).toBe("gamma\n");
      expect(await plain.repo.exists("mine.txt")).toBe(false);
      expect(await plain.repo.exists(`${PRIVATE}/index`)).toBe(false);
      const head = ["--git-dir=.checkpoints/repo.git", "rev-parse", "-q", "--verify", "HEAD"];
      expect((await plain.repo.tryGit(head)).code).not.toBe(0);
      await plain.ok("undo", "--yes");
      expect(await content(plain, "mine.txt")).toBe("mine\n");
      expect(await plain.repo.exists("dir")).toBe(false);
    });
  });

  it("[R55] a checkpoint of a plain folder cannot become a stash entry", async () => {
    await withFolder(async (project) => {
      const refused = await project.run("stash", await project.create());
      expect(code(refused)).toBe("cannot_stash");
      expect(text(refused.json, "error", "message")).toContain("from a folder without git");
    });
  });
});
