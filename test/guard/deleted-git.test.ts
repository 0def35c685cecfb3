/** Guarded commands that delete the git folder, and with it the checkpoint that takes them back. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RuleProject, withDirty } from "../spec/project.ts";
import { bin, cliEnvironment, expectExit, shellQuote } from "../support/cli.ts";
import { differences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { items, text } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";
import { withTempProject } from "../support/temp-repository.ts";

const shell = (script: string): string[] => ["--", "sh", "-c", script];

/** No checkpoint holds them. */
const isOfIgnored = (line: string): boolean => /^path (?:build|trace\.log)/.test(line);

describe("a guarded command that deletes the git folder", () => {
  it.each([
    ["and fails", "rm -rf .git a.txt; exit 1"],
    ["and says that all is well", "rm -rf .git; echo changed > a.txt"],
    ["and makes another one", "rm -rf .git; git init -q; exit 1"],
    [
      "and makes another one with commits",
      "rm -rf .git; git init -q; git add -A; git -c user.name=x -c user.email=x@example.invalid commit -qm x",
    ],
    ["but not all of it", "rm -rf .git/HEAD .git/refs .git/objects/pack; exit 1"],
    ["with the whole project", 'cd ..; rm -rf "$OLDPWD"; exit 1'],
  ])("[R188] %s: it is put back, and everything is rolled back", async (_title, script) => {
    await withDirty(async (project) => {
      const { repo } = project;
      const earlier = await project.create();
      const before = await takeFingerprint(repo);
      const result = await project.run("guard", ...shell(script));
      expectExit(result, 7);
      const warnings = items(result.json, "warnings").map(String);
      expect(warnings.join("\n")).toContain("the command deleted the git folder; it was restored");
      const differing = differences(await takeFingerprint(repo), before);
      expect(differing.filter((line) => !isOfIgnored(line))).toEqual([]);
      if (!script.includes("OLDPWD")) expect(differing).toEqual([]);
      const fsck = ["fsck", "--no-dangling", "--no-progress"];
      expect((await repo.git(...fsck)).trim()).toBe("");
      expect((await repo.store(...fsck)).trim()).toBe("");
      // What was there before is there again, and a repository that was made in its place is kept.
      await project.ok("rollback", earlier, "--yes");
      const kept = readdirSync(join(repo.root, ".git/waymark")).filter((name) =>
        name.startsWith("replaced-"),
      );
      expect(kept).toHaveLength(script.includes("git init") ? 1 : 0);
      if (kept.length > 0) expect(warnings.join("\n")).toContain(kept[0]);
    });
  });

  it("[R188] so it is with the `.git` file of a linked work tree, and the private repository of a plain folder", async () => {
    await withDirty(async (project) => {
      await project.repo.git("worktree", "add", "-q", "../linked");
      const linked = project.at("linked");
      await linked.repo.write("a.txt", "changed\n");
      expectExit(await linked.run("guard", ...shell("rm -rf .git a.txt; exit 1")), 7);
      expect((await linked.repo.read("a.txt")).toString()).toBe("changed\n");
      expect(await linked.repo.git("status", "--short")).toBe(" M a.txt\n");
    });
    await withTempProject(async (repo) => {
      const plain = new RuleProject(repo);
      await repo.write("a.txt", "one\n");
      const id = await plain.create();
      expectExit(await plain.run("guard", ...shell("rm -rf .checkpoints a.txt; exit 1")), 7);
      expect((await repo.read("a.txt")).toString()).toBe("one\n");
      await plain.ok("rollback", id, "--yes");
    });
  });

  it("[R188] where too few files may be open to hold it, the error says what is gone, and no stub of it is left", async () => {
    for (const script of ["rm -rf .git a.txt; exit 1", "rm -rf .git"]) {
      await withDirty(async ({ repo }) => {
        const words = [process.execPath, bin, "-C", repo.root, "guard", "--json", ...shell(script)];
        const limited = `ulimit -n 200; exec ${words.map(shellQuote).join(" ")}`;
        const result = await runCommand("sh", ["-c", limited], { env: cliEnvironment(repo.env) });
        expect(result.code).toBe(1);
        const document: unknown = JSON.parse(result.stdout.toString("utf8"));
        expect(text(document, "error", "code")).toBe("guard_not_rolled_back");
        expect(text(document, "error", "message")).toContain("deleted the git folder");
        expect(text(document, "error", "hint")).not.toContain("waymark rollback");
        expect(existsSync(join(repo.root, ".git"))).toBe(false);
      });
    }
  });

  it.each([
    ["phase", ["phase", "one"]],
    ["phase with a checkpoint", ["phase", "one", "--modifies"]],
  ])(
    "[R188] a %s says that the repository is gone, and leaves no stub of it",
    async (_title, words) => {
      await withDirty(async (project) => {
        const result = await project.run(...words, ...shell("rm -rf .git"));
        expect(result.code).not.toBe(0);
        expect(text(result.json, "error", "hint")).toContain("repository");
        expect(existsSync(join(project.repo.root, ".git"))).toBe(false);
      });
    },
  );
});
