/** What a rollback leaves when it fails half-way, and what an undo finds afterwards. */
import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { expectExit } from "../support/cli.ts";
import { differences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { field } from "../support/json.ts";
import { withSeed } from "./project.ts";

describe("a rollback that fails", () => {
  it("[R22] leaves everything as it was where a lock of another git keeps a branch from moving", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const id = await project.create();
      await repo.write("n", "n\n");
      await repo.git("add", "n");
      await repo.commit("later");
      await writeFile(await repo.gitPath("refs/heads/main.lock"), "");
      const before = await takeFingerprint(repo);
      expectExit(await project.run("rollback", id, "--yes", "--discard-commits"), 1, 6);
      expect(differences(await takeFingerprint(repo), before)).toEqual([]);
    });
  });

  it("[R22] leaves everything as it was where a lock keeps HEAD from moving", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.git("checkout", "-q", "--detach");
      const id = await project.create();
      await repo.git("checkout", "-q", "main");
      await repo.write("n", "n\n");
      await writeFile(await repo.gitPath("HEAD.lock"), "");
      const before = await takeFingerprint(repo);
      expectExit(await project.run("rollback", id, "--yes"), 1, 6);
      expect(differences(await takeFingerprint(repo), before)).toEqual([]);
    });
  });
});

describe("a rollback to a branch that another work tree rebases", () => {
  it("[R22] is refused, and leaves both as they were", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const linked = repo.at("linked");
      await repo.git("checkout", "-q", "-b", "feature");
      await repo.write("a.txt", "feature\n");
      await repo.git("commit", "-qam", "feature");
      const id = await project.create();
      await repo.write("a.txt", "feature, more\n");
      await repo.git("commit", "-qam", "more");
      await repo.git("checkout", "-q", "main");
      await repo.write("a.txt", "main\n");
      await repo.git("commit", "-qam", "main");
      await repo.git("worktree", "add", "-q", "../linked", "feature");
      await linked.gitStops("rebase", "main");
      const before = [await takeFingerprint(repo), await takeFingerprint(linked)] as const;
      const result = await project.run("rollback", id, "--yes", "--discard-commits");
      expectExit(result, 6);
      expect(field(field(result.json, "error"), "code")).toBe("branch_in_use");
      expect(differences(await takeFingerprint(repo), before[0])).toEqual([]);
      expect(differences(await takeFingerprint(linked), before[1])).toEqual([]);
      await project.ok("rollback", id, "--yes", "--keep-head");
    });
  });
});

describe("undo", () => {
  it("[R20] goes back to a branch that another work tree has too, as before", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.git("checkout", "-q", "--detach");
      const id = await project.create();
      await repo.git("checkout", "-q", "main");
      await repo.write("n", "n\n");
      await repo.git("worktree", "add", "-q", "-f", "../other-tree", "main");
      const before = await takeFingerprint(repo);
      await project.rollBack(id);
      await project.ok("undo", "--yes");
      expect(differences(await takeFingerprint(repo), before)).toEqual([]);
    });
  });

  it("[R1] knows files that a filter changed where .gitattributes is only in the index by now", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.git("config", "filter.swap.clean", "tr a-z n-za-m");
      await repo.git("config", "filter.swap.smudge", "tr a-z n-za-m");
      await repo.write(".gitattributes", "*.t filter=swap\n");
      await repo.write("x.t", "hello\n");
      await repo.git("add", "-A");
      await repo.commit("filtered");
      const id = await project.create();
      await repo.write("x.t", "world\n");
      await repo.settle("x.t");
      await repo.git("commit", "-qam", "again");
      await repo.remove(".gitattributes");
      await project.rollBack(id);
      expect(String(await repo.read("x.t"))).toBe("hello\n");
      await project.ok("undo", "--yes");
      expect(String(await repo.read("x.t"))).toBe("world\n");
    });
  });

  it("[R46] leaves empty folders that the work tree held, where copies of ignored files are held too", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write(".gitignore", "local/\n");
      await repo.write("waymark.yml", 'capture: {include_ignored: ["local/"]}\n');
      await repo.git("add", "-A");
      await repo.commit("ignored");
      await repo.write(".gitignore", "\n");
      await repo.folder("local/e");
      const id = await project.create();
      await repo.git("checkout", "-q", ".gitignore");
      const before = await takeFingerprint(repo);
      await project.rollBack(id);
      expect(await repo.exists("local/e")).toBe(true);
      await project.ok("undo", "--yes");
      expect(differences(await takeFingerprint(repo), before)).toEqual([]);
    });
  });
});

describe("a rollback to a branch whose name git does not allow beside another", () => {
  it.each([
    ["main", "main/sub"],
    ["one/two", "one"],
  ])("[R22] %s beside %s is refused before anything is begun, and both are named", (gone, there) =>
    withSeed(async (project) => {
      const { repo } = project;
      await repo.git("checkout", "-q", "-B", gone);
      const id = await project.create();
      await repo.git("branch", "-m", gone, "renamed");
      await repo.git("branch", there);
      const before = await takeFingerprint(repo);
      for (const last of ["--yes", "--dry-run"]) {
        const result = await project.run("rollback", id, last);
        expectExit(result, 1);
        expect(result.json).toMatchObject({
          error: {
            code: "obstructed",
            message: `the branch ${gone} cannot be created: git does not allow it next to ${there}`,
          },
        });
        expect(differences(await takeFingerprint(repo), before)).toEqual([]);
      }
      await project.ok("rollback", id, "--yes", "--keep-head");
    }),
  );
});
