/** Rolling back on a terminal: what will happen, and one question. */
import { describe, expect, it } from "vitest";
import { errorMessage, expectExit } from "../support/cli.ts";
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
      const turns = [{ see: "Roll back? [y/N]", type: "no\r" }];
      const { screen } = await inTerminal(repo.root, ["rollback", id], turns, repo.env);
      const short = later.slice(-4);
      for (const line of ["+ b.txt", "~ a.txt", "- brand-new.txt", "what the agent did", short]) {
        expect(screen).toContain(line);
      }
    });
  });

  it.each(["no\r", "\r", "yes please\r", "\u0003", "\u0004", "\u001B"])(
    "the answer %j cancels: nothing changes, and it is no failure",
    async (answer) => {
      await withWreck(async ({ repo }, id) => {
        const before = await takeFingerprint(repo);
        const turns = [{ see: "Roll back? [y/N]", type: answer }];
        const { code, screen } = await inTerminal(repo.root, ["rollback", id], turns, repo.env);
        expect(code).toBe(5);
        expect(screen.trimEnd().endsWith("\nCancelled; nothing changed")).toBe(true);
        expect(screen).not.toContain("error:");
        expect(differences(await takeFingerprint(repo), before)).toEqual([]);
      });
    },
  );

  it("a cancelled rollback is in the journal as cancelled, and not among what failed", async () => {
    await withWreck(async (project, id) => {
      const { repo } = project;
      const turns = [{ see: "Roll back? [y/N]", type: "n\r" }];
      await inTerminal(repo.root, ["rollback", id], turns, repo.env);
      const journal = await inTerminal(repo.root, ["log"], [], repo.env, 200);
      expect(journal.screen).toContain("rollback cancelled");
      expect(journal.screen).not.toContain("rollback failed");
      const all = await project.ok("log");
      expect(field(all.json, "entries", "0")).toMatchObject({
        kind: "rollback",
        ok: false,
        error: { code: "cancelled", message: "Cancelled; nothing changed" },
      });
      expect(field((await project.ok("log", "--failed")).json, "entries")).toEqual([]);
    });
  });

  it.each(["y\r", "YES\r"])(
    "%j also answers for commits that leave the branch; it says how to undo",
    async (answer) => {
      await withWreck(async (project, id) => {
        const { repo } = project;
        const before = await takeFingerprint(repo);
        const turns = [{ see: "Roll back? [y/N]", type: answer }];
        const { code, screen } = await inTerminal(repo.root, ["rollback", id], turns, repo.env);
        expect(code).toBe(0);
        expect(screen).toContain("waymark undo");
        expect(await repo.exists("b.txt")).toBe(true);
        expect(await repo.exists("brand-new.txt")).toBe(false);
        await project.ok("undo", "--yes");
        expect(differences(await takeFingerprint(repo), before)).toEqual([]);
      });
    },
  );

  it("without a checkpoint one is picked from a list, the newest that differs from now at first", async () => {
    await withWreck(async ({ repo }, id) => {
      const turns = [
        { see: "brand-new.txt", type: "\r" },
        { see: "Roll back? [y/N]", type: "y\r" },
      ];
      const { code, screen } = await inTerminal(repo.root, ["rollback"], turns, repo.env);
      expect(code).toBe(0);
      expect(screen).toContain("2 of 2");
      expect(screen).toContain(`Rolled back to`);
      expect(screen.slice(screen.lastIndexOf("Rolled back to"))).toContain(id.slice(-4));
    });
  });

  it("shows the patch of the checkpoint that a filter finds, within --paths, and no secret", async () => {
    await withWreck(async ({ repo }, id) => {
      await repo.write(".env.local", "TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345\n");
      const before = await takeFingerprint(repo);
      const turns = [
        { see: "type to filter", type: "?" },
        { see: "scroll the patch", type: " " },
        { see: "type to filter", type: id.slice(-4) },
        { see: "beta", type: "\u0003" },
      ];
      const args = ["rollback", "--paths", "b.txt"];
      const { code, screen } = await inTerminal(repo.root, args, turns, repo.env);
      expect(code).toBe(5);
      expect(screen).toContain("only b.txt");
      expect(screen).toContain("+++ b/b.txt");
      expect(screen).not.toMatch(/a\.txt|ghp_/);
      expect(screen).toContain("Cancelled; nothing changed");
      expect(differences(await takeFingerprint(repo), before)).toEqual([]);
    });
  });

  it("a dumb terminal is shown no list, but how to do without", async () => {
    await withWreck(async ({ repo }) => {
      const env = { ...repo.env, TERM: "dumb" };
      const { code, screen } = await inTerminal(repo.root, ["rollback"], [], env);
      expect(code).toBe(5);
      expect(screen).toContain("`waymark rollback latest --yes` restores the");
      expect(screen).not.toContain("\u001B");
    });
  });

  it("leaving the list changes nothing", async () => {
    await withWreck(async ({ repo }) => {
      const before = await takeFingerprint(repo);
      const turns = [{ see: "Roll back to which checkpoint?", type: "q" }];
      const { code, screen } = await inTerminal(repo.root, ["rollback"], turns, repo.env);
      expect(code).toBe(5);
      expect(screen).toContain("Cancelled; nothing changed");
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
      expect(screen).toContain("branch main, 2 checkpoints");
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
      expect(errorMessage(refused)).toBe("confirmation required: stdin is not a terminal");
      const unnamed = await project.run("rollback");
      expectExit(unnamed, 5);
      expect(text(unnamed.json, "error", "hint")).toContain("waymark rollback latest --yes");
    });
  });
});
