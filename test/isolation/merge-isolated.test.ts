// Nodes in work trees of their own, and what becomes of their results in the main one. Real git, real files.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { undo } from "../../src/operations/undo.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { Batch, filesOf, lines, seeded, text } from "./batch.ts";

describe("the tree of a node", () => {
  it("[R80] has the very files of the checkpoint, its index and its commit, and no branch", async () => {
    const repo = await seeded();
    await repo.write("b.txt", "unstaged\n");
    await repo.write("staged.txt", "staged\n");
    await repo.git("add", "staged.txt");
    await repo.write("new/untracked.sh", "#!/bin/sh\n", 0o750);
    await repo.write("mode.txt", "mine\n", 0o600);
    await repo.link("link", "b.txt");
    await repo.folder("empty/deep");
    await repo.write("ignored/x", "x");
    await repo.write(Buffer.from([0x66, 0xff, 0x0a, 0x22]), "odd\n");
    const batch = await Batch.start(repo, "api");
    const node = batch.node("api");
    expect(await filesOf(node)).toEqual(await filesOf(repo));
    const [here, there] = [await takeFingerprint(repo), await takeFingerprint(node)];
    expect(there.git?.index).toEqual(here.git?.index);
    expect(await node.git("status", "--porcelain", "-z")).toBe(
      await repo.git("status", "--porcelain", "-z"),
    );
    expect(await node.git("rev-parse", "HEAD")).toBe(await repo.git("rev-parse", "HEAD"));
    expect((await node.tryGit(["symbolic-ref", "-q", "HEAD"])).code).toBe(1);
    expect(node.root.startsWith(repo.root)).toBe(false);
  });

  it("[R80] has files that git converts as they are on disk, and git calls them clean", async () => {
    const repo = await seeded();
    await repo.git("config", "filter.shout.clean", "tr A-Z a-z");
    await repo.git("config", "filter.shout.smudge", "tr a-z A-Z");
    await repo.git("config", "filter.shout.required", "true");
    await repo.write(".gitattributes", "*.crlf text eol=crlf\n*.shout filter=shout\n");
    await repo.write("x.crlf", "one\r\ntwo\r\n");
    await repo.write("y.shout", "LOUD\n");
    await repo.git("add", "-A");
    await repo.commit("converted");
    const batch = await Batch.start(repo, "api", "ui");
    const node = batch.node("api");
    expect(await text(node, "x.crlf")).toBe("one\r\ntwo\r\n");
    expect(await text(node, "y.shout")).toBe("LOUD\n");
    expect(await node.git("status", "--porcelain")).toBe("");
    await node.write("x.crlf", "ONE\r\ntwo\r\n");
    await node.write("y.shout", "LOUDER\n");
    await node.git("commit", "-qam", "changed");
    await batch.node("ui").write("new.crlf", "n\r\n");
    expect(await batch.merge()).toMatchObject({ kind: "merged" });
    expect(await text(repo, "x.crlf")).toBe("ONE\r\ntwo\r\n");
    expect(await text(repo, "y.shout")).toBe("LOUDER\n");
    expect(await text(repo, "new.crlf")).toBe("n\r\n");
  });

  it("is made where there is no commit yet, and commits that are made there make no branch", async () => {
    const repo = await seeded();
    await repo.git("switch", "-q", "--orphan", "fresh");
    await repo.write("first.txt", "1\n");
    const batch = await Batch.start(repo, "api");
    const node = batch.node("api");
    expect(await filesOf(node)).toEqual(await filesOf(repo));
    await node.write("second.txt", "2\n");
    await node.git("add", "-A");
    await node.commit("the first one");
    const [result] = await batch.results();
    expect(result?.commits.map(({ subject }) => subject)).toEqual(["the first one"]);
    expect((await repo.tryGit(["rev-parse", "-q", "--verify", "fresh"])).code).not.toBe(0);
    expect(await batch.merge()).toMatchObject({ kind: "merged", changed: ["second.txt"] });
  });

  it("shares the store: a checkpoint that is taken in it is its own and not the main one's", async () => {
    const repo = await seeded();
    const batch = await Batch.start(repo, "api");
    await batch.node("api").write("b.txt", "node\n");
    const { checkpoint } = await batch.result("api");
    expect(checkpoint.worktree_id).toBe(batch.tree("api").id);
    const listed = await batch.project.checkpoints.list();
    expect(listed.map(({ id }) => id)).toContain(checkpoint.id);
    expect(batch.base.worktree_id).toBe("main");
  });

  it("survives prune and gc at any time, and is gone from git's list when it is removed", async () => {
    const repo = await seeded();
    const batch = await Batch.start(repo, "api", "ui");
    const node = batch.node("api");
    await node.write("staged.txt", "only in the index\n");
    await node.git("add", "staged.txt");
    await node.commit("a commit of a node");
    await node.write("late.txt", "late\n");
    const tidy = async (): Promise<void> => {
      await repo.git("worktree", "prune", "--expire=now");
      await repo.git("reflog", "expire", "--all", "--expire=now");
      await repo.git("gc", "-q", "--prune=now");
    };
    await tidy();
    const results = await batch.results();
    const commit = results[0]?.commits[0]?.commit ?? "";
    const removed = await batch.removeAll();
    expect(removed.map(({ kind }) => kind)).toEqual(["removed", "removed"]);
    expect((await repo.git("worktree", "list")).trim().split("\n")).toHaveLength(1);
    await tidy();
    expect(await batch.merge({ results })).toMatchObject({
      kind: "merged",
      changed: ["late.txt", "staged.txt"],
    });
    expect(await repo.store("cat-file", "-t", commit)).toBe("commit\n");
    expect(await repo.git("fsck", "--strict", "--no-dangling")).toBe("");
    expect(await repo.store("fsck", "--strict", "--no-dangling")).toBe("");
  });
});

describe("results that fit", () => {
  it("[R81] arrive in the main work tree, and the index and HEAD stay", async () => {
    const repo = await seeded();
    await repo.write("mine.txt", "mine\n");
    await repo.git("add", "mine.txt");
    const batch = await Batch.start(repo, "api", "ui");
    const before = await takeFingerprint(repo);
    await batch.node("api").write("a.txt", lines({ one: "ONE" }));
    await batch.node("api").write("lib/new.sh", "#!/bin/sh\n", 0o755);
    const ui = batch.node("ui");
    await ui.write("a.txt", lines({ seven: "SEVEN" }));
    await ui.remove("b.txt");
    await ui.git("add", "-A");
    await ui.commit("ui work");
    await repo.write("other.txt", "meanwhile\n");
    const results = await batch.results();
    expect(results[1]?.commits.map(({ subject }) => subject)).toEqual(["ui work"]);
    expect(results[0]?.changes.map(({ path, change }) => [path, change])).toEqual([
      ["a.txt", "modified"],
      ["lib/new.sh", "added"],
    ]);
    expect(await batch.merge({ results })).toMatchObject({
      kind: "merged",
      merged: ["api", "ui"],
      pending: [],
      changed: ["a.txt", "b.txt", "lib/new.sh"],
      kept: [],
      leftOut: [],
    });
    expect(await text(repo, "a.txt")).toBe(lines({ one: "ONE", seven: "SEVEN" }));
    expect(await repo.exists("b.txt")).toBe(false);
    expect(await text(repo, "other.txt")).toBe("meanwhile\n");
    const after = await takeFingerprint(repo);
    expect(after.git?.index).toEqual(before.git?.index);
    expect(after.git?.head).toEqual(before.git?.head);
    expect(after.git?.refs).toEqual(before.git?.refs);
    expect(after.paths.get("lib/new.sh")).toMatchObject({ mode: 0o755 });
  });

  it("are taken back as a whole by undo", async () => {
    const repo = await seeded();
    const batch = await Batch.start(repo, "api");
    await batch.node("api").write("a.txt", "all new\n");
    await batch.node("api").write("x/y.txt", "y\n");
    const before = await filesOf(repo);
    await batch.merge();
    expect(await text(repo, "x/y.txt")).toBe("y\n");
    await undo(batch.project, {
      sessionId: "flow",
      confirmed: true,
      confirm: () => Promise.resolve(true),
      discardCommits: false,
      reason: null,
    });
    expect(await filesOf(repo)).toEqual(before);
  });

  it("are merged once: a second time there is nothing to do", async () => {
    const repo = await seeded();
    const batch = await Batch.start(repo, "api");
    await batch.node("api").write("a.txt", lines({ one: "ONE" }));
    const results = await batch.results();
    await batch.merge({ results });
    const before = await takeFingerprint(repo);
    expect(await batch.merge({ results })).toMatchObject({ kind: "merged", changed: [] });
    expect((await takeFingerprint(repo)).paths).toEqual(before.paths);
  });

  it("follow a file to its new name", async () => {
    const repo = await seeded();
    const batch = await Batch.start(repo, "api", "ui");
    await batch.node("api").move("a.txt", "lib/renamed.txt");
    await batch.node("ui").write("a.txt", lines({ four: "FOUR" }));
    expect(await batch.merge()).toMatchObject({ kind: "merged" });
    expect(await text(repo, "lib/renamed.txt")).toBe(lines({ four: "FOUR" }));
    expect(await repo.exists("a.txt")).toBe(false);
  });

  it("bring modes, links, empty folders and names of any bytes", async () => {
    const repo = await seeded();
    await repo.folder("gone");
    const odd = Buffer.from([0x6f, 0xff, 0x0a, 0x22, 0x09]);
    await repo.write(odd, "odd\n");
    const batch = await Batch.start(repo, "api", "ui");
    const [api, ui] = [batch.node("api"), batch.node("ui")];
    await api.chmod("b.txt", 0o600);
    await api.chmod("lib/c.txt", 0o755);
    await api.write(odd, "odder\n");
    await api.write(Buffer.from([0xfe]), "new\n");
    await api.link("to-b", "b.txt");
    await ui.folder("made/deep");
    await ui.remove("gone");
    await ui.write("waymark=41", "looks escaped\n");
    await ui.write("lib/c.txt", "C\n", 0o644);
    expect(await batch.merge()).toMatchObject({ kind: "merged" });
    const { paths } = await takeFingerprint(repo);
    expect(paths.get("b.txt")).toMatchObject({ mode: 0o600 });
    expect(paths.get("lib/c.txt")).toMatchObject({ mode: 0o755 });
    expect(await text(repo, "lib/c.txt")).toBe("C\n");
    expect(await text(repo, odd)).toBe("odder\n");
    expect(await text(repo, Buffer.from([0xfe]))).toBe("new\n");
    expect(await text(repo, "waymark=41")).toBe("looks escaped\n");
    expect(paths.get("to-b")).toMatchObject({ type: "link" });
    expect(paths.get("made/deep")).toMatchObject({ empty: true });
    expect(paths.has("gone")).toBe(false);
  });

  it("are merged by the attributes of the project, and no program of it is run", async () => {
    const repo = await seeded();
    await repo.write(".gitattributes", "log.md merge=union\na.txt merge=evil\n");
    await repo.write("log.md", "start\n");
    await repo.git("config", "merge.evil.driver", `touch ${join(repo.base, "ran")}`);
    await repo.git("add", "-A");
    await repo.commit("attributes");
    const batch = await Batch.start(repo, "api", "ui");
    await batch.node("api").write("log.md", "start\napi\n");
    await batch.node("ui").write("log.md", "start\nui\n");
    await batch.node("api").write("a.txt", lines({ one: "ONE" }));
    await batch.node("ui").write("a.txt", lines({ seven: "SEVEN" }));
    expect(await batch.merge()).toMatchObject({ kind: "merged" });
    expect((await text(repo, "log.md")).split("\n").toSorted()).toEqual(["", "api", "start", "ui"]);
    expect(await repo.exists("../ran")).toBe(false);
  });
});
