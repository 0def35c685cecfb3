/** The rules of docs/spec.md about rolling back, each in the running product. */
import { spawn } from "node:child_process";
import { lstat, mkdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectExit } from "../support/cli.ts";
import { deleteObject } from "../support/damage.ts";
import { differences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { field, flag, items, text } from "../support/json.ts";
import { leaveHalfRollback } from "./half-rollback.ts";
import { withDirty, withSeed } from "./project.ts";

describe("roll back", () => {
  it("[R6] create and list only report an interrupted rollback; recover makes a checkpoint and takes it back", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      const id = await project.create();
      const before = await takeFingerprint(repo);
      await leaveHalfRollback(project, id);
      expect(field((await project.ok("list")).json, "unfinished_rollback")).not.toBe(null);
      const created = await project.ok("create", "--force");
      expect(items(created.json, "warnings")).toHaveLength(1);
      expect(await repo.exists("b.txt")).toBe(false);
      const count = items((await project.ok("list", "--all")).json, "checkpoints").length;
      expect(text((await project.ok("recover")).json, "outcome")).toBe("taken_back");
      expect(items((await project.ok("list", "--all")).json, "checkpoints")).toHaveLength(
        count + 1,
      );
      expect(differences(await takeFingerprint(repo), before)).toEqual([]);
    });
  });

  it("[R6] recover takes back without a checkpoint where a staged object is lost, says so, and unlocks git", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      await repo.write("b.txt", "only in the index\n");
      await repo.git("add", "b.txt");
      await repo.write("b.txt", "in the work tree\n");
      const id = await project.create();
      const lock = await leaveHalfRollback(project, id);
      await repo.write("b.txt", "saved by somebody in between\n");
      await deleteObject(repo, (await repo.git("rev-parse", ":b.txt")).trim());
      const recovered = await project.ok("recover");
      expect(JSON.stringify(recovered.json)).toMatch(/no checkpoint was created before .* b\.txt/);
      expect(String(await repo.read("b.txt"))).toBe("saved by somebody in between\n");
      await expect(stat(lock)).rejects.toThrow("ENOENT");
      await repo.git("add", "b.txt");
      await project.create();
    });
  });

  it("[R7] a save that was made meanwhile is kept by the way back", async () => {
    await withDirty(async (project) => {
      const id = await project.create();
      await leaveHalfRollback(project, id);
      await project.repo.write("b.txt", "saved by somebody in between\n");
      const recovered = await project.ok("recover");
      expect(String(await project.repo.read("b.txt"))).toBe("saved by somebody in between\n");
      expect(items(recovered.json, "kept").map((kept) => text(kept, "path"))).toEqual(["b.txt"]);
    });
  });

  it("[R8] recovery removes the lock of the dead rollback and leaves any other", async () => {
    await withDirty(async (project) => {
      const id = await project.create();
      const lock = await leaveHalfRollback(project, id);
      await project.ok("recover");
      await expect(stat(lock)).rejects.toThrow("ENOENT");
      await writeFile(lock, "");
      expectExit(await project.run("rollback", id, "--yes"), 6);
      expect((await stat(lock)).size).toBe(0);
    });
  });

  it("[R10] later checkpoints become invalid by a rollback, valid by undo, and a new rollback clears redo", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const valid = async (): Promise<boolean[]> =>
        items((await project.ok("list")).json, "checkpoints").map((one) => flag(one, "valid"));
      const first = await project.create();
      await repo.write("a.txt", "two\n");
      const second = await project.create();
      await project.rollBack(first);
      expect(await valid()).toEqual([false, true]);
      await project.ok("undo", "--yes");
      expect(await valid()).toEqual([true, true]);
      await repo.write("a.txt", "changed since\n");
      expectExit(await project.run("redo"), 5);
      await project.rollBack(second);
      expectExit(await project.run("redo", "--yes"), 3);
    });
  });

  it("[R20] rollback, undo and redo bring everything back, several times over", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      const id = await project.create();
      const checkpoint = await takeFingerprint(repo);
      await repo.git("add", "-A");
      await repo.commit("wrecked");
      await repo.remove("dir");
      await repo.write("dir", "a file now\n");
      const wrecked = await takeFingerprint(repo);
      await project.rollBack(id);
      for (let depth = 0; depth < 2; depth++) {
        expect(differences(await takeFingerprint(repo), checkpoint)).toEqual([]);
        await project.ok("undo", "--yes");
        expect(differences(await takeFingerprint(repo), wrecked)).toEqual([]);
        await project.ok("redo", "--yes");
      }
    });
  });

  it("[R21] a file that is equal is not written again", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      const id = await project.create();
      await repo.write("b.txt", "wrecked\n");
      const before = await stat(repo.path("a.txt"), { bigint: true });
      await project.rollBack(id);
      const after = await stat(repo.path("a.txt"), { bigint: true });
      expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs]);
    });
  });

  it("[R22] a rollback that cannot be done leaves everything as it was", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("build2", "a file\n");
      const id = await project.create();
      await repo.remove("build2");
      await repo.write("build2/kept.log", "ignored: no checkpoint holds it\n");
      await repo.write("a.txt", "wrecked\n");
      const before = await takeFingerprint(repo);
      const refused = await project.run("rollback", id, "--yes");
      expectExit(refused, 1);
      expect(text(refused.json, "error", "code")).toBe("obstructed");
      expect(differences(await takeFingerprint(repo), before)).toEqual([]);
    });
  });

  it("[R23] the next rollback takes a killed one back first and says so", async () => {
    await withDirty(async (project) => {
      const id = await project.create();
      const before = await takeFingerprint(project.repo);
      await leaveHalfRollback(project, id);
      const result = await project.rollBack(id);
      expect(text(result.json, "recovered", "outcome")).toBe("taken_back");
      expect(differences(await takeFingerprint(project.repo), before)).toEqual([]);
    });
  });

  it("[R24] commits leave a branch only with a flag, are named, and stay reachable", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const id = await project.create();
      const commit = await repo.commit("later work");
      const refused = await project.run("rollback", id, "--yes");
      expectExit(refused, 5);
      expect(text(refused.json, "error", "message")).toContain("later work");
      const done = await project.rollBack(id);
      expect(items(done.json, "commits_left").map((one) => text(one, "subject"))).toEqual([
        "later work",
      ]);
      const safety = text(done.json, "undo_checkpoint_id");
      expect(await repo.storeRefs("--contains", commit, "refs/waymark")).toContain(safety);
    });
  });

  it("[R25] nothing is written through a link that took the place of a folder", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const id = await project.create();
      const outside = join(repo.base, "outside");
      await mkdir(outside);
      await writeFile(join(outside, "c.txt"), "not of the project\n");
      await rm(repo.path("dir"), { recursive: true });
      await symlink(outside, repo.path("dir"));
      await project.rollBack(id);
      expect(String(await readFile(join(outside, "c.txt")))).toBe("not of the project\n");
      expect(String(await repo.read("dir/c.txt"))).toBe("gamma\n");
    });
  });

  it("[R26] an expired checkpoint is refused, and the flag for it helps", async () => {
    await withSeed(async (project) => {
      const id = await project.createExpired();
      const refused = await project.run("rollback", id, "--yes");
      expectExit(refused, 4);
      expect(text(refused.json, "error", "code")).toBe("checkpoint_expired");
      await project.ok("rollback", id, "--yes", "--even-if-expired");
    });
  });

  it("[R27] --dry-run changes nothing, not even a ref", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      const id = await project.create();
      await repo.remove("a.txt");
      const [before, refs] = [await takeFingerprint(repo), await repo.allRefs()];
      const { json } = await project.ok("rollback", id, "--dry-run");
      expect(items(json, "plan", "write").map((step) => text(step, "path"))).toEqual(["a.txt"]);
      expect(differences(await takeFingerprint(repo), before)).toEqual([]);
      expect(await repo.allRefs()).toBe(refs);
    });
  });

  it("[R2] an ignored empty folder in the place of a tracked file makes room, and undo brings it back", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const id = await project.create();
      await repo.write(".gitignore", "dir/\n");
      await repo.remove("dir/c.txt");
      await repo.folder("dir/c.txt");
      await project.rollBack(id);
      expect(await repo.exists("dir/c.txt")).toBe(true);
      expect(await repo.git("status", "--porcelain")).not.toContain("dir/c.txt");
      await project.ok("undo", "--yes");
      expect((await stat(join(repo.root, "dir/c.txt"))).isDirectory()).toBe(true);
    });
  });

  it("[R24] undo asks before commits leave a branch that somebody worked on since", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const main = (await repo.git("branch", "--show-current")).trim();
      const id = await project.create();
      await repo.git("checkout", "-q", "-b", "feature");
      await repo.commit("before the rollback");
      await project.rollBack(id);
      expect((await repo.git("branch", "--show-current")).trim()).toBe(main);
      const since = await repo.git("commit-tree", "-p", "feature", "-m", "since", "feature^{tree}");
      await repo.git("update-ref", "refs/heads/feature", since.trim());
      const refused = await project.run("undo", "--yes");
      expectExit(refused, 5);
      expect(refused.json).toMatchObject({ error: { code: "commits_would_leave" } });
      expect(await repo.git("rev-parse", "feature")).toBe(since);
      await project.ok("undo", "--yes", "--discard-commits");
      expect(await repo.git("rev-parse", "feature")).not.toBe(since);
      // What undo itself left is no work of anybody's.
      await project.ok("redo", "--yes");
      expect((await repo.git("branch", "--show-current")).trim()).toBe(main);
    });
  });

  it("[R23] undo after a killed rollback takes that one back and nothing else", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const id = await project.create();
      await repo.write("a.txt", "changed\n");
      await project.rollBack(id);
      await repo.write("b.txt", "work since\n");
      await leaveHalfRollback(project, id);
      const stopped = await project.run("undo", "--yes");
      expectExit(stopped, 5);
      expect(text(stopped.json, "error", "message")).toContain("was reverted");
      expect(String(await repo.read("a.txt"))).not.toBe("changed\n");
      await project.ok("undo", "--yes");
      expect(String(await repo.read("a.txt"))).toBe("changed\n");
    });
  });

  it("[R28] a path that is neither there now nor in the checkpoint is an error", async () => {
    await withSeed(async (project) => {
      const id = await project.create();
      await project.repo.write("b.txt", "changed\n");
      for (const path of ["nope.txt", ".git/config"]) {
        const file = join(project.repo.root, path);
        expectExit(await project.run("rollback", id, "--yes", "--paths", file), 2);
      }
      await project.repo.remove("a.txt");
      await project.ok("rollback", id, "--yes", "--paths", join(project.repo.root, "a.txt"));
      expect(await project.repo.exists("a.txt")).toBe(true);
      expect(String(await project.repo.read("b.txt"))).toBe("changed\n");
    });
  });

  it.each(["backup~1", ".gitmodules", ".mailmap"])(
    "[R15] %s, which is stored under another name as a link, changes between file and link",
    async (name) => {
      await withSeed(async (project) => {
        const { repo } = project;
        await repo.write(name, "a file\n");
        const id = await project.create();
        await repo.remove(name);
        await symlink("a.txt", join(repo.root, name));
        await project.rollBack(id);
        expect((await lstat(join(repo.root, name))).isFile()).toBe(true);
        await project.ok("undo", "--yes");
        expect((await lstat(join(repo.root, name))).isSymbolicLink()).toBe(true);
      });
    },
  );

  it("[R28] without a terminal and without --yes nothing happens", async () => {
    await withDirty(async (project) => {
      const id = await project.create();
      await project.repo.remove("a.txt");
      expectExit(await project.run("rollback", id), 5);
      expect(await project.repo.exists("a.txt")).toBe(false);
    });
  });

  it("[R29] the lock of a live process stops a rollback and a create waits for it, that of a dead one does not", async () => {
    await withDirty(async (project) => {
      const id = await project.create();
      const path = await project.repo.gitPath("waymark/rollback.lock");
      const sleeper = spawn("sleep", ["60"]);
      try {
        await new Promise((resolve) => sleeper.once("spawn", resolve));
        const pid = sleeper.pid ?? 0;
        const started = String(await readFile(`/proc/${pid}/stat`))
          .split(") ")[1]
          ?.split(" ")[19];
        const boot = String(await readFile("/proc/sys/kernel/random/boot_id")).trim();
        const { hostname } = await import("node:os");
        const owner = {
          host: hostname(),
          boot,
          pid,
          started,
          token: "t",
          since: "now",
          doing: "x",
        };
        await writeFile(path, JSON.stringify(owner));
        expectExit(await project.run("rollback", id, "--yes"), 6);
        const waiting = project.run("create", "--force");
        setTimeout(() => sleeper.kill("SIGKILL"), 1500);
        expectExit(await waiting, 0);
        await writeFile(path, JSON.stringify({ ...owner, started: "1" }));
        await project.ok("rollback", id, "--yes");
      } finally {
        sleeper.kill("SIGKILL");
      }
    });
  });
});
