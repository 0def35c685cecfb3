// Odd names, plain folders, linked work trees, several at once, lost records.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withTempProject } from "../support/temp-repository.ts";
import { ALICE, BOB, SharedTree, ten, withSharedTree } from "./shared-tree.ts";

describe("taking back one session's work in hard places", () => {
  it("works with names that are no text, hold quotes or line breaks, or look like git's own", async () => {
    await withSharedTree(async (tree) => {
      const { repo } = tree;
      const names = [
        Buffer.from("caf\xe9", "latin1"),
        "new\nline",
        'a "quote"',
        "-dash",
        "waymark=61",
      ];
      for (const name of names) await repo.write(name, ten({}));
      await tree.before(ALICE, null);
      for (const name of names) await repo.write(name, ten({ 1: "alice" }));
      await repo.link(".gitmodules", "nowhere");
      await tree.before(BOB, null);
      for (const name of names) await repo.write(name, ten({ 1: "alice", 8: "bob" }));
      const report = await tree.takeBack(ALICE);
      expect(report.kept).toEqual([]);
      expect(report.takenBack).toHaveLength(names.length + 1);
      for (const name of names) {
        expect((await repo.read(name)).toString("utf8")).toBe(ten({ 8: "bob" }));
      }
      expect(await repo.exists(".gitmodules")).toBe(false);
    });
  });

  it("[R117] leaves what a switch from one detached commit to another brought, and knows commits on it", async () => {
    await withSharedTree(async (tree) => {
      const { repo } = tree;
      await repo.write("second.txt", "second\n");
      await repo.git("add", "-A");
      await repo.commit("second");
      await repo.git("checkout", "-q", "--detach", "HEAD");
      await tree.before(ALICE, null);
      await repo.write("committed.txt", "alice\n");
      await repo.git("add", "-A");
      await repo.commit("alice, on a detached HEAD");
      await tree.before(ALICE, null);
      await repo.git("checkout", "-q", "HEAD~2");
      expect(await tree.takeBack(ALICE)).toMatchObject({ takenBack: [] });
      expect(await repo.exists("second.txt")).toBe(false);
      await repo.git("checkout", "-q", "-");
      await tree.hears(BOB, "turn_end");
      expect(await tree.takeBack(ALICE)).toMatchObject({ takenBack: ["committed.txt"] });
      expect(await tree.read("second.txt")).toBe("second\n");
    });
  });

  it("[R118] takes back what was done along with an amended or rebased commit on a detached HEAD", async () => {
    await withSharedTree(async (tree) => {
      const { repo } = tree;
      await repo.git("checkout", "-q", "-b", "side");
      await repo.write("side.txt", "side\n");
      await repo.git("add", "-A");
      await repo.commit("side");
      await repo.git("checkout", "-q", "--detach", "HEAD~1");
      await repo.write("own.txt", "own\n");
      await repo.git("add", "-A");
      await repo.commit("on a detached HEAD");
      await tree.before(ALICE, null);
      await repo.write("amended.txt", "alice\n");
      await repo.git("add", "-A");
      await repo.git("commit", "-q", "--amend", "--no-edit");
      await tree.before(ALICE, null);
      await repo.git("rebase", "-q", "side");
      await repo.write("after.txt", "alice\n");
      // As on a branch, what a rebase of hers brought is hers.
      expect(await tree.takeBack(ALICE)).toMatchObject({
        takenBack: ["after.txt", "amended.txt", "side.txt"],
        kept: [],
      });
      expect(await tree.read("own.txt")).toBe("own\n");
    });
  });

  it("knows the steps of its own work tree only", async () => {
    await withSharedTree(async (tree) => {
      await tree.repo.git("worktree", "add", "-q", join(tree.repo.base, "linked"));
      const linked = new SharedTree(tree.repo.at("linked"));
      await tree.writes(ALICE, "shared.txt", ten({ 1: "main" }));
      await linked.writes(BOB, "shared.txt", ten({ 1: "linked" }));
      expect((await tree.run("rollback", "--only-session", BOB, "--yes")).code).toBe(3);
      expect((await linked.takeBack(BOB)).takenBack).toEqual(["shared.txt"]);
      expect(await tree.read("shared.txt")).toBe(ten({ 1: "main" }));
    });
  });

  it("works in a plain folder", async () => {
    await withTempProject(async (repo) => {
      const tree = new SharedTree(repo);
      await repo.write("shared.txt", ten({}));
      await tree.create();
      await tree.writes(ALICE, "shared.txt", ten({ 1: "alice" }));
      await tree.writes(BOB, "shared.txt", ten({ 1: "alice", 8: "bob" }));
      expect((await tree.takeBack(ALICE)).merged).toEqual(["shared.txt"]);
      expect(await tree.read("shared.txt")).toBe(ten({ 8: "bob" }));
    });
  });

  it("takes both back when both are asked for at once", async () => {
    await withSharedTree(async (tree) => {
      await tree.writes(ALICE, "shared.txt", ten({ 1: "alice" }));
      await tree.writes(BOB, "shared.txt", ten({ 1: "alice", 8: "bob" }));
      await tree.hears(BOB, "turn_end");
      const both = await Promise.all(
        [ALICE, BOB].map((session) => tree.run("rollback", "--only-session", session, "--yes")),
      );
      for (const { code } of both) expect([0, 6]).toContain(code);
      await tree.takeBack(ALICE);
      await tree.takeBack(BOB);
      expect(await tree.read("shared.txt")).toBe(ten({}));
    });
  });

  it("[R125] goes by the checkpoints where all that hooks remember is gone", async () => {
    await withSharedTree(async (tree) => {
      await tree.writes(ALICE, "shared.txt", ten({ 1: "alice" }));
      await tree.before(ALICE, null, "tool-1");
      await tree.repo.write("old.txt", "alice, or a person\n");
      await tree.hears(ALICE, "turn_end");
      await tree.repo.write("other.txt", ten({ 1: "person" }));
      await rm(join(await tree.repo.gitPath("waymark"), "agents"), { recursive: true });
      const report = await tree.takeBack(ALICE);
      expect(report).toMatchObject({
        takenBack: ["shared.txt"],
        kept: [["old.txt", "step_lost"]],
      });
    });
  });

  it("leaves everything as it was, and no checkpoint of its own, while git holds the index", async () => {
    await withSharedTree(async (tree) => {
      await tree.before(ALICE, null);
      await tree.repo.write("new.txt", "alice\n");
      await tree.repo.write("shared.txt", ten({ 1: "alice" }));
      await tree.repo.write(".git/index.lock", "somebody");
      const result = await tree.run("rollback", "--only-session", ALICE, "--yes");
      expect(result.code).toBe(6);
      await tree.repo.remove(".git/index.lock");
      expect(await tree.read("shared.txt")).toBe(ten({ 1: "alice" }));
      const { json } = await tree.ok("list", "--all");
      expect(JSON.stringify(json)).not.toMatch(/take-back|selective-undo/);
      expect((await tree.takeBack(ALICE)).takenBack).toHaveLength(2);
    });
  });
});
