/** Really damaged repositories: what can be found or made again is, and the rest is named. */
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CliResult, errorMessage, expectExit } from "../support/cli.ts";
import { deleteObject, flipByteOfObject } from "../support/damage.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { field, items, text } from "../support/json.ts";
import { type RuleProject, withDirty } from "../spec/project.ts";

interface Scene {
  readonly project: RuleProject;
  readonly id: string;
  /** Everything as it was, in another folder. */
  readonly clone: string;
  readonly archive: string;
}

async function scene(body: (scene: Scene) => Promise<void>): Promise<void> {
  await withDirty(async (project) => {
    const { repo } = project;
    await repo.write("only-here.txt", "of this checkpoint only\n");
    await repo.write("deep/er/file.txt", "deep\n");
    const id = await project.create("-m", "the one", "--phase", "implement", "--step", "4");
    const archive = join(repo.base, "backup.bundle");
    await project.ok("export", "-o", archive);
    const clone = join(repo.base, "clone");
    await repo.git("clone", "-q", "--no-hardlinks", repo.root, clone);
    await project.at("clone").repo.takeStoreOf(repo);
    await repo.remove("only-here.txt");
    await repo.remove("deep");
    await body({ project, id, clone, archive });
  });
}

const oidOf = async ({ project, id }: Scene, path: string): Promise<string> =>
  (await project.repo.store("rev-parse", `refs/waymark/cp/${id}${path}`)).trim();

async function lose(all: Scene, path: string): Promise<void> {
  await deleteObject(all.project.repo, await oidOf(all, path));
}

/** Whole again: validated, rolled back to, and the files of that moment are there. */
async function expectWhole({ project, id }: Scene): Promise<void> {
  expectExit(await project.run("validate", id), 0);
  await project.rollBack(id);
  expect((await project.repo.read("only-here.txt")).toString()).toBe("of this checkpoint only\n");
  expect((await project.repo.read("deep/er/file.txt")).toString()).toBe("deep\n");
  expect((await project.repo.read("a.txt")).toString()).toBe("alpha, staged, edited again\n");
  await project.ok("undo", "--yes");
}

function expectFailed(result: CliResult, words: RegExp): void {
  expectExit(result, 4);
  expect(text(result.json, "error", "code")).toBe("rebuild_failed");
  expect(errorMessage(result)).toMatch(words);
}

const sources = (result: CliResult): string[] =>
  items(result.json, "repaired").map((piece) => text(piece, "source"));

/** Writes the checkpoint's commit anew with another message, as a broken tool would. */
async function rewrite(
  { project, id }: Scene,
  change: (message: string) => string,
): Promise<string> {
  const { repo } = project;
  const old = (await repo.store("rev-parse", `refs/waymark/cp/${id}`)).trim();
  const commit = await repo.store("cat-file", "commit", old);
  const end = commit.indexOf("\n\n") + 2;
  const bytes = Buffer.from(commit.slice(0, end) + change(commit.slice(end)), "latin1");
  const oid = (
    await repo.storeWithInput(bytes, "hash-object", "-t", "commit", "-w", "--stdin")
  ).trim();
  await repo.store("update-ref", `refs/waymark/cp/${id}`, oid);
  await deleteObject(repo, old);
  return oid;
}

describe("rebuild", () => {
  it("says that a whole checkpoint is whole, and changes nothing", async () => {
    await scene(async (all) => {
      const refs = await all.project.repo.allRefs();
      const result = await all.project.ok("rebuild", all.id);
      expect(text(result.json, "state")).toBe("whole");
      expect(await all.project.repo.allRefs()).toBe(refs);
      expectExit(await all.project.run("rebuild", "nothing-like-it"), 3);
    });
  });

  it("[R35] finds lost files in another clone and in an archive", async () => {
    for (const place of ["clone", "archive"] as const) {
      await scene(async (all) => {
        await lose(all, ":worktree/only-here.txt");
        await lose(all, ":worktree/deep/er");
        const before = await takeFingerprint(all.project.repo);
        expectFailed(
          await all.project.run("rebuild", all.id),
          /worktree\/only-here\.txt is missing|the folder worktree\/deep\/er/,
        );
        const result = await all.project.ok("rebuild", all.id, "--from", all[place]);
        expect(text(result.json, "state")).toBe("repaired");
        expect(new Set(sources(result))).toEqual(new Set([all[place]]));
        expect((await takeFingerprint(all.project.repo)).paths).toEqual(before.paths);
        await expectWhole(all);
      });
    }
  });

  it("[R35] finds a damaged object although a copy of it is here, loose or packed", async () => {
    await scene(async (all) => {
      const { repo } = all.project;
      await flipByteOfObject(repo, await oidOf(all, ":worktree/only-here.txt"));
      await all.project.ok("rebuild", all.id, "--from", all.clone);
      await expectWhole(all);
    });
    await scene(async (all) => {
      const { repo } = all.project;
      const oid = await oidOf(all, ":worktree/deep/er/file.txt");
      await deleteObject(repo, oid);
      const loose = repo.storePath(`objects/${oid.slice(0, 2)}/${oid.slice(2)}`);
      await writeFile(loose, "garbage");
      await all.project.ok("rebuild", all.id, "--from", all.clone);
      await expectWhole(all);
      expect((await repo.tryGit(["fsck", "--full"])).code).toBe(0);
      expect((await repo.tryStore(["fsck", "--full"])).code).toBe(0);
      expect((await readdir(await repo.gitPath("waymark/damaged"))).length).toBeGreaterThan(0);
    });
  });

  it("[R35] contacts a remote only when it is named, and gets what that has", async () => {
    await scene(async (all) => {
      const { repo } = all.project;
      const bare = join(repo.base, "remote.git");
      await repo.git("clone", "-q", "--mirror", `file://${repo.storeDir}`, bare);
      await repo.git("remote", "add", "backup", `file://${bare}`);
      await lose(all, ":worktree/only-here.txt");
      expectFailed(await all.project.run("rebuild", all.id), /only-here/);
      const result = await all.project.ok("rebuild", all.id, "--from", "backup");
      expect(sources(result)).toEqual(["backup"]);
      await expectWhole(all);
      const wrong = await all.project.run("rebuild", all.id, "--from", "nowhere");
      expectExit(wrong, 0);
      await lose(all, ":worktree/only-here.txt");
      expectExit(await all.project.run("rebuild", all.id, "--from", "nowhere"), 2);
      await repo.git("remote", "add", "evil", "ext::touch pwned");
      expectExit(await all.project.run("rebuild", all.id, "--from", "evil"), 1);
      expect(await repo.exists("pwned")).toBe(false);
    });
  });

  it("[R35] finds lost files on disk, where they were and where they went", async () => {
    await scene(async (all) => {
      const { repo } = all.project;
      await lose(all, ":worktree/only-here.txt");
      await lose(all, ":worktree/deep/er/file.txt");
      await repo.write("only-here.txt", "of this checkpoint only\n");
      await repo.write("moved/away.txt", "deep\n");
      const result = await all.project.ok("rebuild", all.id);
      expect(sources(result)).toEqual(["the work tree", "the work tree"]);
      await repo.remove("only-here.txt");
      await expectWhole(all);
    });
  });

  it("[R35] makes lost folders of the index again from the raw index, and the top folder from the document", async () => {
    await scene(async (all) => {
      const commit = await oidOf(all, "^{commit}");
      await lose(all, ":index");
      await lose(all, "^{tree}");
      const result = await all.project.ok("rebuild", all.id);
      expect(text(result.json, "state")).toBe("repaired");
      expect(new Set(sources(result))).toEqual(new Set(["its document", "its raw index"]));
      expect(await oidOf(all, "^{commit}")).toBe(commit);
      await expectWhole(all);
    });
  });

  it("[R36] makes a lost raw index again from index/, and says what is not known", async () => {
    await scene(async (all) => {
      const { repo } = all.project;
      await repo.git("add", "-A");
      const entries = await repo.store("ls-tree", "-r", `refs/waymark/cp/${all.id}:index`);
      const old = await oidOf(all, "^{commit}");
      const oldText = await repo.store("cat-file", "commit", old);
      await lose(all, ":index.raw");
      const result = await all.project.ok("rebuild", all.id);
      expect(text(result.json, "state")).toBe("rebuilt");
      expect(field(result.json, "remade")).toEqual(["index.raw"]);
      expect(items(result.json, "unknown")).toEqual(["flags of index entries"]);
      expect(
        await repo.store("cat-file", "blob", `refs/waymark/cp/${all.id}:replaced.commit`),
      ).toBe(oldText);
      await all.project.rollBack(all.id);
      const staged = (await repo.git("ls-files", "-s")).replaceAll(/ 0\t/g, "\t");
      expect(staged).toBe(entries.replaceAll(/ blob /g, " "));
      const shown = await all.project.ok("show", all.id);
      expect(field(shown.json, "checkpoint", "rebuilt")).toBe(true);
      expect(text(shown.json, "checkpoint", "reason")).toBe("the one");
      expect(text(shown.json, "checkpoint", "rebuilt_from")).toBe(old);
      await all.project.ok("undo", "--yes");
      await expectWhole(all);
    });
  });

  it("[R36] makes worktree.json again only when the document says all that was left out", async () => {
    await scene(async (all) => {
      await lose(all, ":worktree.json");
      const result = await all.project.ok("rebuild", all.id);
      expect(field(result.json, "remade")).toEqual(["worktree.json"]);
      expect(items(result.json, "unknown")).toContain("empty folders");
      await expectWhole(all);
      expect((await all.project.repo.read("trace.log")).toString()).toBe("ignored\n");
    });
    await scene(async (all) => {
      await lose(all, ":worktree.json");
      await rewrite(all, (message) =>
        message.replace('"checksum": "sha256:', '"checksum": "sha256:0'),
      );
      expectFailed(await all.project.run("rebuild", all.id), /worktree\.json is missing/);
    });
  });

  it.each([
    [
      "a changed field",
      (message: string) => message.replace('"reason": "the one"', '"reason": "another"'),
      "another",
      false,
    ],
    ["no JSON", (message: string) => message.replace("{", "{{{"), null, true],
    ["nothing", () => "gone\n", null, true],
  ])(
    "[R36] writes a document again of which %s is left",
    async (_, change, reason, isAllUnknown) => {
      await scene(async (all) => {
        const damaged = await rewrite(all, change);
        expectExit(await all.project.run("rollback", all.id, "--yes"), 3, 4);
        const result = await all.project.ok("rebuild", all.id);
        expect(text(result.json, "state")).toBe("rebuilt");
        expect(field(result.json, "remade")).toEqual(["document"]);
        const names = items(result.json, isAllUnknown ? "unknown" : "unverified");
        expect(names).toEqual(expect.arrayContaining(["session_id", "reason", "phase", "trigger"]));
        const shown = await all.project.ok("show", all.id);
        expect(field(shown.json, "checkpoint", "reason")).toBe(reason);
        expect(text(shown.json, "checkpoint", "rebuilt_from")).toBe(damaged);
        expectExit(await all.project.run("validate", all.id), 0);
        await all.project.ok("rollback", all.id, "--yes", "--discard-commits");
        expect((await all.project.repo.read("only-here.txt")).toString()).toBe(
          "of this checkpoint only\n",
        );
        await all.project.ok("undo", "--yes");
        await all.project.ok("export", all.id, "-o", join(all.project.repo.base, "again.bundle"));
      });
    },
  );

  it("[R35] prefers the document of another clone to one that is written again", async () => {
    await scene(async (all) => {
      const commit = await oidOf(all, "^{commit}");
      await rewrite(all, () => "gone\n");
      const result = await all.project.ok("rebuild", all.id, "--from", all.archive);
      expect(text(result.json, "state")).toBe("repaired");
      expect(await oidOf(all, "^{commit}")).toBe(commit);
      await expectWhole(all);
    });
  });

  it("[R35] finds the commit again when the ref is garbage or names a commit that is gone", async () => {
    await scene(async (all) => {
      const { repo } = all.project;
      const commit = await oidOf(all, "^{commit}");
      const ref = repo.storePath(`refs/waymark/cp/${all.id}`);
      await writeFile(ref, "\0\0\0\0");
      const found = await all.project.ok("rebuild", all.id);
      expect(sources(found)).toEqual(["a commit without a ref"]);
      expect(await oidOf(all, "^{commit}")).toBe(commit);
      await deleteObject(repo, commit);
      expectFailed(await all.project.run("rebuild", all.id), /its commit/);
      await all.project.ok("rebuild", all.id, "--from", all.clone);
      await expectWhole(all);
    });
  });

  it("[R35] makes a repository whole that lost all packs", async () => {
    await scene(async (all) => {
      const { repo } = all.project;
      await repo.git("gc", "-q");
      for (const folder of [await repo.gitPath("objects/pack"), repo.storePath("objects/pack")]) {
        await rm(folder, { recursive: true });
        await mkdir(folder);
      }
      const result = await all.project.ok("rebuild", all.id, "--from", all.archive);
      expect(items(result.json, "repaired").length).toBeGreaterThan(10);
      expect(field(result.json, "journaled")).toBe(true);
      expectExit(await all.project.run("validate", all.id), 0);
      expect((await repo.tryStore(["log", "--oneline", `refs/waymark/cp/${all.id}`])).code).toBe(0);
      const walk = ["rev-list", "--objects", "--quiet", `refs/waymark/cp/${all.id}`];
      expect((await repo.tryStore(walk)).code).toBe(0);
    });
  });

  it("takes nothing from a source that is damaged too, and says when it is none", async () => {
    await scene(async (all) => {
      const { repo } = all.project;
      await flipByteOfObject(
        all.project.at("clone").repo,
        await oidOf(all, ":worktree/only-here.txt"),
      );
      await lose(all, ":worktree/only-here.txt");
      expectFailed(await all.project.run("rebuild", all.id, "--from", all.clone), /only-here/);
      expectExit(await all.project.run("rebuild", all.id, "--from", repo.home), 2);
      await writeFile(join(repo.base, "no.bundle"), "no");
      expectExit(
        await all.project.run("rebuild", all.id, "--from", join(repo.base, "no.bundle")),
        4,
      );
    });
  });
});
