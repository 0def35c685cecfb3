// Taking back one session's work in a tree that others share.
import { lstat } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { errorMessage } from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";
import { differences, strictDifferences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { ALICE, BOB, lines, reportOf, ten, withSharedTree } from "./shared-tree.ts";

describe("rollback --only-session", () => {
  it("[R117] takes back the lines of one session and keeps those of others, of people and of no session too", async () => {
    await withSharedTree(async (tree) => {
      const { repo } = tree;
      await tree.writes(ALICE, "shared.txt", ten({ 1: "alice" }));
      await tree.writes(BOB, "shared.txt", ten({ 1: "alice", 8: "bob" }));
      await tree.writes(ALICE, "alice.txt", "alice\n");
      await tree.writes(BOB, "bob.txt", "bob\n");
      await tree.hears(BOB, "turn_end");
      await repo.write("other.txt", ten({ 3: "a person" }));
      const staged = await repo.git("ls-files", "-s");
      const report = await tree.takeBack(ALICE);
      expect(report).toEqual({
        kind: "rollback",
        takenBack: ["shared.txt", "alice.txt"],
        merged: ["shared.txt"],
        kept: [],
      });
      expect(await tree.read("shared.txt")).toBe(ten({ 8: "bob" }));
      expect(await repo.exists("alice.txt")).toBe(false);
      expect(await tree.read("bob.txt")).toBe("bob\n");
      expect(await tree.read("other.txt")).toBe(ten({ 3: "a person" }));
      expect(await repo.git("ls-files", "-s")).toBe(staged);
      const ids = items((await tree.ok("log")).json, "entries")
        .filter((entry) => field(entry, "kind") === "rollback")
        .flatMap((entry) => items(entry, "checkpoint_ids"));
      expect(ids).toEqual([expect.stringMatching(/^cp-\d+-selective-undo-/)]);
    });
  });

  it("[R118] keeps a file whose lines others changed since, and says which and why", async () => {
    await withSharedTree(async (tree) => {
      await tree.writes(ALICE, "shared.txt", ten({ 4: "alice" }));
      await tree.writes(ALICE, "new.txt", "alice\n");
      await tree.writes(BOB, "shared.txt", ten({ 4: "alice and bob" }));
      await tree.writes(BOB, "new.txt", "alice\nbob\n");
      await tree.writes(ALICE, "other.txt", ten({ 0: "alice" }));
      const report = await tree.takeBack(ALICE);
      expect(report.kept).toEqual([
        ["new.txt", "changed_since"],
        ["shared.txt", "changed_since"],
      ]);
      expect(await tree.read("shared.txt")).toBe(ten({ 4: "alice and bob" }));
      expect(await tree.read("new.txt")).toBe("alice\nbob\n");
      expect(await tree.read("other.txt")).toBe(ten({}));
    });
  });

  it("[R119] is undone and redone exactly", async () => {
    await withSharedTree(async (tree) => {
      await tree.before(ALICE, null);
      await tree.repo.write("shared.txt", ten({ 1: "alice" }));
      await tree.repo.write("made/deep.txt", "alice\n", 0o600);
      await tree.repo.remove("old.txt");
      await tree.repo.chmod("run.sh", 0o755);
      await tree.repo.git("add", "shared.txt");
      await tree.writes(BOB, "shared.txt", ten({ 1: "alice", 8: "bob" }));
      const before = await takeFingerprint(tree.repo);
      await tree.takeBack(ALICE);
      const after = await takeFingerprint(tree.repo);
      expect(await tree.read("shared.txt")).toBe(ten({ 8: "bob" }));
      expect(await tree.read("old.txt")).toBe("old\n");
      expect(await tree.repo.exists("made")).toBe(false);
      await tree.ok("undo", "--yes");
      expect(differences(await takeFingerprint(tree.repo), before)).toEqual([]);
      await tree.ok("redo", "--yes");
      expect(differences(await takeFingerprint(tree.repo), after)).toEqual([]);
    });
  });

  it("takes back only the steps after a checkpoint that is named, and only files that are named", async () => {
    await withSharedTree(async (tree) => {
      await tree.writes(ALICE, "shared.txt", ten({ 1: "early" }));
      const later = await tree.before(ALICE, ["shared.txt"]);
      await tree.repo.write("shared.txt", ten({ 1: "early", 8: "late" }));
      await tree.writes(ALICE, "other.txt", ten({ 0: "late" }));
      const report = await tree.takeBack(ALICE, later, "--paths", "shared.txt");
      expect(report.takenBack).toEqual(["shared.txt"]);
      expect(await tree.read("shared.txt")).toBe(ten({ 1: "early" }));
      expect(await tree.read("other.txt")).toBe(ten({ 0: "late" }));
    });
  });

  it("does not take for a session's what changed before its first tool, or after its turn", async () => {
    await withSharedTree(async (tree) => {
      await tree.hears(ALICE, "prompt");
      await tree.repo.write("old.txt", "a person, while the agent thinks\n");
      await tree.before(ALICE, null);
      await tree.repo.write("shared.txt", ten({ 1: "alice" }));
      await tree.hears(ALICE, "turn_end");
      await tree.repo.write("other.txt", ten({ 1: "a person, after it" }));
      const report = await tree.takeBack(ALICE);
      expect(report.takenBack).toEqual(["shared.txt"]);
      expect(await tree.read("old.txt")).toBe("a person, while the agent thinks\n");
      expect(await tree.read("other.txt")).toBe(ten({ 1: "a person, after it" }));
    });
  });

  it("leaves what two sessions may have done at the same time, and tells it from what a tool named", async () => {
    await withSharedTree(async (tree) => {
      await tree.before(ALICE, null);
      await tree.before(BOB, null);
      await tree.repo.write("shared.txt", ten({ 1: "either" }));
      await tree.before(BOB, ["other.txt"]);
      await tree.before(ALICE, null);
      await tree.repo.write("other.txt", ten({ 1: "bob" }));
      await tree.repo.write("new.txt", "alice\n");
      const report = await tree.takeBack(ALICE);
      expect(report).toMatchObject({
        takenBack: ["new.txt"],
        kept: [["shared.txt", "not_told_apart"]],
      });
      expect(await tree.read("other.txt")).toBe(ten({ 1: "bob" }));
      expect(await tree.read("shared.txt")).toBe(ten({ 1: "either" }));
    });
  });

  it("does nothing twice, and gives a line that somebody wrote again to that one", async () => {
    await withSharedTree(async (tree) => {
      await tree.writes(ALICE, "shared.txt", ten({ 1: "x" }));
      await tree.hears(ALICE, "turn_end");
      await tree.takeBack(ALICE);
      const { json } = await tree.ok("rollback", "--only-session", ALICE, "--yes");
      expect(json).toMatchObject({ kind: "rollback_plan", dry_run: false, rolled_back: false });
      await tree.writes(BOB, "shared.txt", ten({ 1: "x" }));
      expect((await tree.takeBack(ALICE)).takenBack).toEqual([]);
      expect(await tree.read("shared.txt")).toBe(ten({ 1: "x" }));
      expect((await tree.takeBack(BOB)).takenBack).toEqual(["shared.txt"]);
      expect(await tree.read("shared.txt")).toBe(ten({}));
    });
  });

  it("knows what rollbacks brought back, and takes a session's work back again after an undo", async () => {
    await withSharedTree(async (tree) => {
      const start = await tree.create();
      await tree.writes(ALICE, "shared.txt", ten({ 1: "alice" }));
      await tree.hears(ALICE, "turn_end");
      await tree.ok("rollback", start, "--yes");
      await tree.writes(BOB, "shared.txt", ten({ 1: "alice" }));
      await tree.hears(BOB, "turn_end");
      expect((await tree.takeBack(ALICE)).takenBack).toEqual([]);
      expect((await tree.takeBack(BOB)).takenBack).toEqual(["shared.txt"]);
      await tree.ok("undo", "--yes");
      expect(await tree.read("shared.txt")).toBe(ten({ 1: "alice" }));
      expect((await tree.takeBack(BOB)).takenBack).toEqual(["shared.txt"]);
    });
  });

  it("leaves commits, and names those that were made meanwhile", async () => {
    await withSharedTree(async (tree) => {
      await tree.before(ALICE, null);
      await tree.repo.write("shared.txt", ten({ 1: "alice" }));
      await tree.repo.git("add", "-A");
      await tree.repo.commit("by alice");
      const head = await tree.repo.git("rev-parse", "HEAD");
      const { json } = await tree.ok("rollback", "--only-session", ALICE, "--yes");
      expect(items(json, "selective", "commits_kept").map((one) => text(one, "subject"))).toEqual([
        "by alice",
      ]);
      expect(await tree.repo.git("rev-parse", "HEAD")).toBe(head);
      expect(await tree.read("shared.txt")).toBe(ten({}));
      expect(await tree.repo.git("status", "--porcelain")).toBe(" M shared.txt\n");
    });
  });

  it("keeps binary files, links and permissions that others changed too, and brings back the rest exactly", async () => {
    await withSharedTree(async (tree) => {
      const { repo } = tree;
      await repo.write("both.bin", Buffer.from([0, 1]));
      await repo.write("mine.bin", Buffer.from([0, 1]));
      await repo.link("both", "old.txt");
      await repo.link("mine", "old.txt");
      await repo.write("crlf.txt", "one\r\ntwo\r\nthree\r\nfour\r\nfive\r\n");
      await tree.before(ALICE, null);
      await repo.write("both.bin", Buffer.from([0, 2]));
      await repo.write("mine.bin", Buffer.from([0, 2]));
      await repo.remove("both");
      await repo.link("both", "shared.txt");
      await repo.remove("mine");
      await repo.link("mine", "shared.txt");
      await repo.chmod("run.sh", 0o755);
      await repo.write("crlf.txt", "ONE\r\ntwo\r\nthree\r\nfour\r\nfive\r\n");
      await tree.before(BOB, null);
      await repo.write("both.bin", Buffer.from([0, 3]));
      await repo.remove("both");
      await repo.link("both", "other.txt");
      await repo.write("crlf.txt", "ONE\r\ntwo\r\nthree\r\nfour\r\nFIVE\r\n");
      const report = await tree.takeBack(ALICE);
      expect(report.kept).toEqual([
        ["both", "changed_since"],
        ["both.bin", "changed_since"],
      ]);
      expect(await repo.read("mine.bin")).toEqual(Buffer.from([0, 1]));
      expect(await tree.read("mine")).toBe("old\n");
      expect((await lstat(repo.path("run.sh"))).mode & 0o777).toBe(0o644);
      expect(await tree.read("crlf.txt")).toBe("one\r\ntwo\r\nthree\r\nfour\r\nFIVE\r\n");
    });
  });

  it("leaves what is in the place of a deleted file, ignored or not", async () => {
    await withSharedTree(async (tree) => {
      const { repo } = tree;
      await repo.write("was.log.d/x", "x\n");
      await repo.write("folder.txt", "file\n");
      await tree.before(ALICE, null);
      await repo.remove("folder.txt");
      await repo.remove("old.txt");
      await tree.hears(ALICE, "turn_end");
      await repo.write("folder.txt/inside.log", "ignored\n");
      await repo.write("old.txt/inside", "new\n");
      const report = await tree.takeBack(ALICE);
      expect(report).toMatchObject({
        takenBack: [],
        kept: [
          ["folder.txt", "in_the_way"],
          ["old.txt", "in_the_way"],
        ],
      });
      expect(await tree.read("folder.txt/inside.log")).toBe("ignored\n");
    });
  });

  it("takes the work of a workflow's session, by a part of its id", async () => {
    await withSharedTree(async (tree) => {
      const { repo } = tree;
      const { json } = await tree.ok(
        "session",
        "start",
        "--type",
        "implement",
        "--project",
        "shop",
      );
      const id = text(json, "session", "id");
      await tree.ok("create", "--trigger", "pre_phase", "--phase", "implement");
      await repo.write("shared.txt", ten({ 1: "the workflow" }));
      await tree.writes(BOB, "shared.txt", ten({ 1: "the workflow", 8: "bob" }));
      await tree.ok("create", "--trigger", "post_phase", "--phase", "implement");
      await repo.write("other.txt", ten({ 1: "a person, between phases" }));
      const report = await tree.takeBack(id.slice(0, 14));
      expect(report.kept).toEqual([]);
      expect(await tree.read("other.txt")).toBe(ten({ 1: "a person, between phases" }));
      // An agent that works while the session is under way works in it.
      expect(await tree.read("shared.txt")).toBe(ten({}));
    });
  });

  it("keeps later checkpoints of everybody valid, and is in the journal", async () => {
    await withSharedTree(async (tree) => {
      await tree.writes(ALICE, "shared.txt", ten({ 1: "alice" }));
      await tree.writes(BOB, "bob.txt", "bob\n");
      const later = await tree.create();
      await tree.takeBack(ALICE);
      const { json } = await tree.ok("list", "--all");
      const invalid = items(json, "checkpoints").filter((one) => field(one, "valid") === false);
      expect(invalid).toEqual([]);
      const log = await tree.ok("log");
      const [entry] = items(log.json, "entries").filter((one) => field(one, "kind") === "rollback");
      expect(field(entry, "details", "selective")).toMatchObject({ session: ALICE, by: "lines" });
      await tree.ok("rollback", later, "--yes");
      expect(await tree.read("shared.txt")).toBe(ten({ 1: "alice" }));
    });
  });

  it("changes nothing when it only looks, cannot ask, or is asked for what makes no sense", async () => {
    await withSharedTree(async (tree) => {
      await tree.writes(ALICE, "shared.txt", ten({ 1: "alice" }));
      const before = await takeFingerprint(tree.repo);
      const refs = await tree.repo.allRefs();
      const look = await tree.ok("rollback", "--only-session", ALICE, "--dry-run");
      expect(reportOf(look.json)).toMatchObject({
        kind: "rollback_plan",
        takenBack: ["shared.txt"],
      });
      expect((await tree.run("rollback", "--only-session", ALICE)).code).toBe(5);
      for (const flags of [
        ["--state-only"],
        ["--discard-commits"],
        ["--keep-task"],
        ["--only-paths-of", BOB],
      ]) {
        const result = await tree.run("rollback", "--only-session", ALICE, "--yes", ...flags);
        expect([flags, result.code]).toEqual([flags, 2]);
      }
      expect(await tree.repo.allRefs()).toBe(refs);
      expect(strictDifferences(await takeFingerprint(tree.repo), before)).toEqual([]);
    });
  });

  it("says who is known when a session is not, is meant by several, or nobody ever said anything", async () => {
    await withSharedTree(async (tree) => {
      await tree.create();
      const none = await tree.run("rollback", "--only-session", "whoever", "--yes");
      expect(none.code).toBe(3);
      expect(text(none.json, "error", "hint")).toContain("waymark hooks install");
      await tree.writes(ALICE, "shared.txt", ten({ 1: "alice" }));
      await tree.writes(BOB, "other.txt", ten({ 1: "bob" }));
      const unknown = await tree.run("rollback", "--only-session", "whoever", "--yes");
      expect(unknown.code).toBe(3);
      expect(items(unknown.json, "error", "details", "candidates")).toEqual([BOB, ALICE]);
      const both = await tree.run("rollback", "--only-session", "-4000-8000-", "--yes");
      expect(both.code).toBe(3);
      expect(errorMessage(both)).toContain("is ambiguous: it matches 2 sessions");
      const short = await tree.run("rollback", "--only-session", "a11", "--yes");
      expect(short.code).toBe(3);
      expect((await tree.takeBack("a11ce")).takenBack).toEqual(["shared.txt"]);
    });
  });

  it("takes back what is left when the first checkpoints of a session are gone", async () => {
    await withSharedTree(async (tree) => {
      const first = await tree.before(ALICE, null);
      await tree.repo.write("shared.txt", ten({ 1: "early" }));
      await tree.before(ALICE, null);
      await tree.repo.write("shared.txt", ten({ 1: "early", 8: "late" }));
      await tree.ok("delete", first, "--yes");
      await tree.takeBack(ALICE);
      expect(await tree.read("shared.txt")).toBe(ten({ 1: "early" }));
    });
  });
});

describe("rollback --only-paths-of", () => {
  it("brings back whole files that nobody else changed, and keeps the others", async () => {
    await withSharedTree(async (tree) => {
      await tree.writes(ALICE, "shared.txt", ten({ 1: "alice" }));
      await tree.writes(ALICE, "old.txt", lines("alice"));
      await tree.writes(BOB, "shared.txt", ten({ 1: "alice", 8: "bob" }));
      await tree.hears(BOB, "turn_end");
      const { json } = await tree.ok("rollback", "--only-paths-of", ALICE, "--yes");
      expect(reportOf(json)).toEqual({
        kind: "rollback",
        takenBack: ["old.txt"],
        merged: [],
        kept: [["shared.txt", "changed_since"]],
      });
      expect(await tree.read("old.txt")).toBe("old\n");
      expect(await tree.read("shared.txt")).toBe(ten({ 1: "alice", 8: "bob" }));
    });
  });
});
