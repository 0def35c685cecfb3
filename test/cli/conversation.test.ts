/** Rolling back on a terminal: what will happen, a question, and only `yes` goes on. */
import { describe, expect, it } from "vitest";
import { expectExit } from "../support/cli.ts";
import { differences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { field, text } from "../support/json.ts";
import { hasTerminal, inTerminal } from "../support/terminal.ts";
import { type RuleProject, withDirty } from "../spec/project.ts";

/** A checkpoint, then a commit, a changed, a new and a deleted file. */
async function withWreck(
  body: (project: RuleProject, id: string, later: string) => Promise<void>,
): Promise<void> {
  await withDirty(async (project) => {
    const { repo } = project;
    const id = await project.create("--step", "3", "--phase", "plan");
    await repo.write("a.txt", "wrecked\n");
    await repo.write("brand-new.txt", "new\n");
    await repo.remove("b.txt");
    await repo.git("commit", "-q", "-am", "what the agent did");
    const later = await project.create("--step", "4", "--phase", "implement");
    await body(project, id, later);
  });
}

describe.skipIf(!hasTerminal)("rollback on a terminal (needs `script` of util-linux)", () => {
  it("says what will happen: files, commits, checkpoints", async () => {
    await withWreck(async ({ repo }, id, later) => {
      const turns = [{ see: "Type yes to go on", type: "no\r" }];
      const { screen } = await inTerminal(repo.root, ["rollback", id], turns, repo.env);
      for (const line of ["+ b.txt", "~ a.txt", "- brand-new.txt", "what the agent did", later]) {
        expect(screen).toContain(line);
      }
    });
  });

  it.each(["no\r", "y\r", "\r", "yes please\r", "\u0003", "\u0004"])(
    "the answer %j changes nothing",
    async (answer) => {
      await withWreck(async ({ repo }, id) => {
        const before = await takeFingerprint(repo);
        const turns = [{ see: "Type yes to go on", type: answer }];
        const { code } = await inTerminal(repo.root, ["rollback", id], turns, repo.env);
        expect(code).toBe(answer === "\u0003" ? 130 : 5);
        expect(differences(await takeFingerprint(repo), before)).toEqual([]);
      });
    },
  );

  it("yes goes on, also for commits that leave the branch, and says how to undo it", async () => {
    await withWreck(async (project, id) => {
      const { repo } = project;
      const before = await takeFingerprint(repo);
      const turns = [{ see: "Type yes to go on", type: "yes\r" }];
      const { code, screen } = await inTerminal(repo.root, ["rollback", id], turns, repo.env);
      expect(code).toBe(0);
      expect(screen).toContain("waymark undo");
      expect(await repo.exists("b.txt")).toBe(true);
      expect(await repo.exists("brand-new.txt")).toBe(false);
      await project.ok("undo", "--yes");
      expect(differences(await takeFingerprint(repo), before)).toEqual([]);
    });
  });

  it("without a checkpoint one is picked from a list, with what would change", async () => {
    await withWreck(async ({ repo }, id) => {
      const turns = [
        { see: "the files are the same as now", type: "\u001B[B" },
        { see: "brand-new.txt", type: "\r" },
        { see: "Type yes to go on", type: "yes\r" },
      ];
      const { code, screen } = await inTerminal(repo.root, ["rollback"], turns, repo.env);
      expect(code).toBe(0);
      expect(screen).toContain(`rolled back to`);
      expect(screen.slice(screen.lastIndexOf("rolled back to"))).toContain(id);
    });
  });

  it("leaving the list changes nothing", async () => {
    await withWreck(async ({ repo }) => {
      const before = await takeFingerprint(repo);
      const turns = [{ see: "Roll back to which checkpoint?", type: "q" }];
      const { code, screen } = await inTerminal(repo.root, ["rollback"], turns, repo.env);
      expect(code).toBe(5);
      expect(screen).toContain("nothing was changed");
      expect(differences(await takeFingerprint(repo), before)).toEqual([]);
    });
  });

  it("the list fits into 40 columns", async () => {
    await withWreck(async ({ repo }) => {
      const { screen } = await inTerminal(
        repo.root,
        ["list"],
        [],
        { ...repo.env, NO_COLOR: "1" },
        40,
      );
      for (const line of screen.split(/\r?\n/)) expect(line.length).toBeLessThanOrEqual(40);
      expect(screen).toContain("session worktree-main");
    });
  });
});

describe("rollback without a terminal", () => {
  it("names the exact flags and exits with 5", async () => {
    await withWreck(async (project, id) => {
      const refused = await project.run("rollback", id);
      expectExit(refused, 5);
      expect(text(refused.json, "error", "hint")).toContain("--yes --discard-commits");
      expect(field(refused.json, "error", "details", "flags")).toEqual([
        "--yes",
        "--discard-commits",
      ]);
      const unnamed = await project.run("rollback");
      expectExit(unnamed, 5);
      expect(text(unnamed.json, "error", "hint")).toContain("waymark rollback latest --yes");
    });
  });
});
