/** The rules of docs/spec.md about capturing, each in the running product. */
import { spawn } from "node:child_process";
import { readFile, readdir, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { talk } from "../documents/scene.ts";
import { expectExit } from "../support/cli.ts";
import { strictDifferences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { field, flag, items, text } from "../support/json.ts";
import { type TempRepository } from "../support/temp-repository.ts";
import { withDirty, withSeed } from "./project.ts";

describe("capture", () => {
  it("[R1] a clean file with converted line ends and one behind a filter come back as their raw bytes", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const ran = join(repo.base, "filter-ran");
      await repo.write(".gitattributes", "*.crlf text eol=crlf\n*.big filter=shout\n");
      await repo.write("windows.crlf", "one\r\ntwo\r\n");
      await repo.write("large.big", "content as it is on disk\n");
      await repo.git("config", "filter.shout.clean", "tr a-z A-Z");
      await repo.git("add", "-A");
      await repo.commit("converted");
      expect(await repo.git("cat-file", "blob", "HEAD:large.big")).toContain("CONTENT");
      await repo.git("config", "filter.shout.clean", `sh -c 'touch "${ran}"; tr a-z A-Z'`);
      await repo.git("config", "filter.shout.required", "true");
      const id = await project.create();
      await repo.write("windows.crlf", "three\n");
      await repo.write("large.big", "SOMETHING ELSE HERE, LONGER\n");
      await project.rollBack(id);
      expect(String(await repo.read("windows.crlf"))).toBe("one\r\ntwo\r\n");
      expect(String(await repo.read("large.big"))).toBe("content as it is on disk\n");
      await expect(readFile(ran)).rejects.toThrow("ENOENT");
    });
  });

  it.each([
    ["ignored", async (repo: TempRepository) => await repo.write(".gitignore", ".gitattributes\n")],
    ["deleted", async (repo: TempRepository) => await repo.remove(".gitattributes")],
    ["changed", async (repo: TempRepository) => await repo.write(".gitattributes", "* -text\n")],
  ])("[R1] a converted file comes back raw although its rule is %s by now", async (_how, hide) => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write(".gitattributes", "*.crlf text eol=crlf\n");
      await repo.write("windows.crlf", "one\r\ntwo\r\n");
      await repo.git("add", "-A");
      await repo.commit("converted");
      await repo.settle("windows.crlf");
      await repo.git("update-index", "-q", "--refresh");
      await hide(repo);
      const id = await project.create();
      await repo.write("windows.crlf", "three\n");
      await project.rollBack(id);
      expect(String(await repo.read("windows.crlf"))).toBe("one\r\ntwo\r\n");
      await project.ok("undo", "--yes");
      await project.ok("redo", "--yes");
      expect(String(await repo.read("windows.crlf"))).toBe("one\r\ntwo\r\n");
    });
  });

  it("[R2] an ignored file that stands where a file comes back is in the safety checkpoint", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("notes.txt", "of the checkpoint\n");
      const id = await project.create();
      await repo.remove("notes.txt");
      await repo.write(".gitignore", "*.log\nbuild/\nnotes.txt\n");
      await repo.write("notes.txt", "ignored now, and nowhere else\n");
      const safety = text((await project.rollBack(id)).json, "undo_checkpoint_id");
      expect(String(await repo.read("notes.txt"))).toBe("of the checkpoint\n");
      const held = `refs/waymark/cp/${safety}:worktree/notes.txt`;
      expect(await repo.store("cat-file", "blob", held)).toBe("ignored now, and nowhere else\n");
      await project.ok("undo", "--yes");
      expect(String(await repo.read("notes.txt"))).toBe("ignored now, and nowhere else\n");
    });
  });

  it("[R3] what was ignored at the checkpoint stays, and a tracked secret is captured", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write(".env", "KEY=tracked\n");
      await repo.git("add", ".env");
      const id = await project.create();
      await repo.write(".gitignore", "");
      await repo.write("build/more.o", "new, and ignored at the checkpoint\n");
      await repo.write(".env", "KEY=changed\n");
      await project.rollBack(id);
      expect(await repo.exists("trace.log")).toBe(true);
      expect(await repo.exists("build/more.o")).toBe(true);
      expect(String(await repo.read(".env"))).toBe("KEY=tracked\n");
    });
  });

  it("[R3] a file that was staged since goes, although a rule of now matches it", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const id = await project.create();
      await repo.write("fresh/y", "staged before the rule\n");
      await repo.git("add", "fresh/y");
      await repo.write(".gitignore", "fresh/\n");
      await repo.write("fresh/z", "ignored, never tracked\n");
      await project.rollBack(id);
      expect(await repo.exists("fresh/y")).toBe(false);
      expect(await repo.exists("fresh/z")).toBe(true);
      await project.ok("undo", "--yes");
      expect(String(await repo.read("fresh/y"))).toBe("staged before the rule\n");
    });
  });

  it("[R4] commits of a rebase in progress and old tips of moved branches survive gc", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.git("checkout", "-q", "other");
      await repo.write("a.txt", "conflicting\n");
      await repo.git("commit", "-q", "-am", "conflicting");
      await repo.gitStops("rebase", "main");
      const id = await project.create();
      await repo.git("rebase", "--abort");
      await repo.git("checkout", "-q", "main");
      await repo.git("branch", "-D", "other");
      await repo.git("reflog", "expire", "--expire=now", "--all");
      await repo.git("gc", "-q", "--prune=now");
      await project.rollBack(id);
      await repo.write("a.txt", "resolved\n");
      await repo.git("add", "a.txt");
      await repo.git("rebase", "--continue");
      expect(await repo.git("log", "-1", "--format=%s", "other")).toBe("conflicting\n");
    });
  });

  it("[R5] an edit of the same size in the second of the last add is captured, and seen by git after a rollback", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("racy.txt", "1111\n");
      await repo.git("add", "racy.txt");
      await repo.write("racy.txt", "2222\n");
      const at = new Date();
      await utimes(repo.path("racy.txt"), at, at);
      await utimes(await repo.gitPath("index"), at, at);
      const id = await project.create();
      const held = await repo.store("cat-file", "blob", `refs/waymark/cp/${id}:worktree/racy.txt`);
      expect(held).toBe("2222\n");
      await repo.write("racy.txt", "3333\n");
      await project.rollBack(id);
      expect(await repo.git("diff", "--stat", "--", "racy.txt")).toContain("racy.txt");
    });
  });

  it("[R9] the same moment makes one checkpoint, unless it is named or a phase begins", async () => {
    await withDirty(async (project) => {
      await project.ok("create");
      expect(flag((await project.ok("create")).json, "unchanged")).toBe(true);
      expect(flag((await project.ok("create", "--trigger", "tool_use")).json, "unchanged")).toBe(
        true,
      );
      const phase = await project.ok("create", "--trigger", "pre_phase", "--phase", "implement");
      expect(flag(phase.json, "checkpoint_created")).toBe(true);
      await project.repo.git("update-index", "--assume-unchanged", "b.txt");
      expect(flag((await project.ok("create")).json, "unchanged")).toBe(false);
    });
  });

  it("[R9] one that expires earlier, is for something else or is not described is no answer", async () => {
    await withDirty(async (project) => {
      const isNew = async (...args: string[]): Promise<boolean> =>
        flag((await project.ok("create", ...args)).json, "checkpoint_created");
      expect(await isNew("--expires", "1h")).toBe(true);
      expect(await isNew()).toBe(true);
      expect(await isNew("--expires", "never")).toBe(false);
      expect(await isNew("--expires", "1h")).toBe(true);
      expect(await isNew("--trigger", "auto")).toBe(true);
      expect(await isNew("--description", "before the release")).toBe(true);
      expect(await isNew("--scope", "b.txt")).toBe(true);
      expect(await isNew("--scope", "b.txt", "--type", "file_backup")).toBe(true);
      expect(await isNew("--scope", "b.txt", "--type", "file_backup")).toBe(false);
      expect(await isNew("--scope", "b.txt")).toBe(false);
    });
  });

  it("[R9] a message alone makes no checkpoint, and `create` says so", async () => {
    await withDirty(async (project) => {
      await project.create();
      const { stdout, stderr } = await talk(project, "create", "-m", "other");
      expect(stdout).toMatch(/^Nothing changed since \S+; no checkpoint created\n$/);
      expect(stderr).toContain("the message was not stored; --force creates");
    });
  });

  it("[R11] a checkpoint without state is whole after one with state and a git gc --prune=now", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      const documents = [{ name: "state", kind: "value", value: { step: 1 } }] as const;
      await project.take({});
      await repo.write("notes.txt", "changed since\n");
      await project.take({ parts: [{ type: "state_snapshot", keys: null, documents }] });
      await repo.git("gc", "-q", "--prune=now");
      const id = await project.take({});
      await repo.store("rev-list", "--objects", "--quiet", `refs/waymark/cp/${id}`);
      expectExit(await project.run("validate", id), 0);
    });
  });

  it("[R11] a staged blob that is unstaged and pruned right after is still in the checkpoint", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("staged-only.txt", "staged\n");
      await repo.git("add", "staged-only.txt");
      const id = await project.create();
      await repo.git("rm", "-q", "-f", "staged-only.txt");
      await repo.git("gc", "-q", "--prune=now");
      expectExit(await project.run("validate", id), 0);
      await project.rollBack(id);
      expect(await repo.git("cat-file", "blob", ":staged-only.txt")).toBe("staged\n");
    });
  });

  it("[R12] each linked work tree has its own latest and its own undo", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.git("worktree", "add", "-q", "-b", "linked", "../linked");
      const linked = project.at("linked");
      await repo.write("a.txt", "main work\n");
      await project.create();
      await linked.repo.write("a.txt", "linked work\n");
      await linked.create();
      await linked.repo.write("a.txt", "wrecked\n");
      await linked.rollBack("latest");
      expect(String(await linked.repo.read("a.txt"))).toBe("linked work\n");
      expect(String(await repo.read("a.txt"))).toBe("main work\n");
      expectExit(await project.run("undo", "--yes"), 3);
    });
  });

  it("[R12] a linked work tree with the name of a removed one has nothing of that", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.git("worktree", "add", "-q", "-b", "first", "../linked");
      const linked = project.at("linked");
      await linked.repo.write("a.txt", "first task\n");
      const first = await linked.create();
      await linked.repo.write("a.txt", "wrecked\n");
      await linked.rollBack("latest");
      await repo.git("worktree", "remove", "--force", "../linked");
      await repo.git("worktree", "add", "-q", "-b", "second", "../linked");
      await linked.repo.write("b.txt", "second task\n");
      expect(items((await linked.ok("list")).json, "checkpoints")).toEqual([]);
      expectExit(await linked.run("undo", "--yes"), 3);
      expectExit(await linked.run("rollback", "latest", "--yes"), 3);
      await linked.create();
      expectExit(await linked.run("undo", "--yes"), 3);
      expect(String(await linked.repo.read("b.txt"))).toBe("second task\n");
      await linked.rollBack(first);
      expect(String(await linked.repo.read("a.txt"))).toBe("first task\n");
    });
  });

  it("[R12] a linked work tree that is moved keeps its latest and its undo", async () => {
    await withSeed(async (project) => {
      await project.repo.git("worktree", "add", "-q", "-b", "linked", "../linked");
      const linked = project.at("linked");
      await linked.create();
      await linked.repo.write("a.txt", "more work\n");
      await linked.rollBack("latest");
      await project.repo.git("worktree", "move", "../linked", "../moved");
      const moved = project.at("moved");
      await moved.ok("undo", "--yes");
      expect(String(await moved.repo.read("a.txt"))).toBe("more work\n");
    });
  });

  it("[R13] refs are short, point at commits, and are packed before they are many", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await project.create("--phase", "a phase with a very long name that goes on and on and on");
      const refs = (await repo.storeRefs("--format=%(objecttype) %(refname)", "refs/waymark"))
        .trimEnd()
        .split("\n");
      for (const ref of refs)
        expect(ref).toMatch(/^commit refs\/waymark\/(?:cp|session)\/[a-z0-9-]+$/);
      for (const ref of refs) expect(ref.length).toBeLessThan("commit ".length + 80);
      const [first = ""] = refs;
      const oid = (await repo.store("rev-parse", first.slice("commit ".length))).trim();
      const many = Array.from(
        { length: 130 },
        (_, n) => `create refs/waymark/cp/copy-${n} ${oid}\n`,
      );
      await repo.storeWithInput(many.join(""), "update-ref", "--stdin");
      await project.create();
      const loose = await readdir(repo.storePath("refs/waymark/cp")).catch(() => []);
      expect(loose.length).toBeLessThan(10);
    });
  });

  it("[R15] a link called .gitmodules and a folder called .GIT are stored escaped and come back", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.link(".gitmodules", "a.txt");
      await repo.write(".GIT/config", "not a repository\n");
      const id = await project.create();
      await repo.remove(".gitmodules");
      await repo.remove(".GIT");
      await repo.git("fsck", "--strict", "--no-dangling");
      await repo.store("fsck", "--strict", "--no-dangling");
      await project.rollBack(id);
      expect(String(await repo.read(".GIT/config"))).toBe("not a repository\n");
      expect(await repo.exists(".gitmodules")).toBe(true);
    });
  });

  it("[R16] create leaves files, index bytes, refs and reflogs identical, also while index.lock is held", async () => {
    await withDirty(async (project) => {
      await writeFile(await project.repo.gitPath("index.lock"), "");
      const before = await takeFingerprint(project.repo);
      await project.create();
      expect(strictDifferences(await takeFingerprint(project.repo), before)).toEqual([]);
    });
  });

  it("[R17] ignored files, a fifo, a secret and a nested repository are listed with their reasons", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.fifo("pipe");
      await repo.write("key.p12", "secret\n");
      await repo.git("init", "-q", "nested");
      const { json } = await project.ok("create");
      const found = items(json, "checkpoint", "coverage", "excluded").map((entry) => [
        text(entry, "path"),
        text(entry, "reason"),
      ]);
      expect(found).toEqual([
        ["build/", "ignored"],
        ["key.p12", "sensitive"],
        ["nested/", "nested_repository"],
        ["pipe", "special_file"],
        ["trace.log", "ignored"],
      ]);
    });
  });

  it("[R18] a file that is written all the time is captured and marked", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      // Large, so that the writer gets its turn while it is read, also on a busy machine.
      await repo.write("busy.txt", Buffer.alloc(30_000_000, "a"));
      const script =
        'const fs=require("fs");const fd=fs.openSync(process.argv[1],"r+");fs.writeSync(1,"begun");for(;;)fs.writeSync(fd,String(Math.random()),0);';
      const writer = spawn(process.execPath, ["-e", script, String(repo.path("busy.txt"))]);
      try {
        await new Promise((resolve) => writer.stdout.once("data", resolve));
        const { json } = await project.ok("create", "--force");
        expect(field(json, "checkpoint", "coverage", "unstable")).toEqual(["busy.txt"]);
      } finally {
        writer.kill("SIGKILL");
      }
    });
  });

  it("[R16] packs are as readable as git's own: others may meet an object that is only there", async () => {
    await withDirty(async (project) => {
      await project.create();
      const folder = project.repo.storePath("objects/pack");
      for (const name of await readdir(folder)) {
        if (!name.endsWith(".pack")) continue;
        const modes = await Promise.all(
          [name, name.replace(/pack$/, "idx")].map(
            async (file) => (await stat(join(folder, file))).mode,
          ),
        );
        expect(modes[0]).toBe(modes[1]);
      }
    });
  });

  it("[R30] hooks of the repository are not run", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      const ran = join(repo.base, "hook-ran");
      for (const hook of ["reference-transaction", "post-index-change", "post-checkout"]) {
        const path = await repo.gitPath(`hooks/${hook}`);
        await writeFile(path, `#!/bin/sh\ntouch '${ran}'\n`, { mode: 0o755 });
      }
      const id = await project.create();
      await repo.remove("a.txt");
      await project.rollBack(id);
      await expect(readFile(ran)).rejects.toThrow("ENOENT");
    });
  });
});
