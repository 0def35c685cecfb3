/** What a rollback says when it is done, or had nothing to do: the whole text. */
import { describe, expect, it } from "vitest";
import { cliEnvironment, expectExit, waymarkArguments } from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";
import { hasTerminal, inTerminal } from "../support/terminal.ts";
import { type RuleProject, withSeed } from "../spec/project.ts";

/** As a script sees it, without times and digits of ids. */
async function said({ repo }: RuleProject, ...args: string[]) {
  const { code, stdout, stderr } = await runCommand(
    process.execPath,
    waymarkArguments(repo.root, ...args),
    { cwd: repo.root, env: cliEnvironment(repo.env) },
  );
  const all = `${stdout.toString("utf8")}${stderr}`.replaceAll(
    /(cp-\d\d-[a-z-]+)-\d{8}-\d{6}-[0-9a-f]{4}/g,
    "<$1>",
  );
  return { code, text: all.replaceAll(/\b[0-9a-f]{8}\b/g, "<commit>") };
}

describe("a rollback to another branch", () => {
  /** A checkpoint on main, then a commit there, and another branch. */
  async function atOther(project: RuleProject): Promise<void> {
    const { repo } = project;
    await project.ok("create", "-m", "on main");
    await repo.git("branch", "-f", "other");
    await repo.write("a.txt", "committed\n");
    await repo.git("commit", "-qam", "after it");
    await repo.git("checkout", "-q", "other");
  }

  it.runIf(hasTerminal)(
    "asks without a warning about an earlier rollback, as there was none",
    async () => {
      await withSeed(async (project) => {
        await atOther(project);
        const { root, env } = project.repo;
        const turns = [{ see: "Roll back?", type: "n\r" }];
        const { screen } = await inTerminal(root, ["rollback", "latest"], turns, env);
        expect(screen).toContain("1 commit will be dropped from main");
        expect(screen).not.toContain("since that rollback");
      });
    },
  );

  it("says which branches move, in the plan and in the result, and so does its undo", async () => {
    await withSeed(async (project) => {
      await atOther(project);
      await project.repo.git("commit", "-q", "--allow-empty", "-m", "on other");
      await project.repo.folder("empty");
      const done = await said(project, "rollback", "latest", "--yes", "--discard-commits");
      expect(done.text).toContain("\n  switched from other to main\n  main moved from ");
      const plan = await said(project, "undo", "--dry-run");
      expect(plan.text).toMatch(
        /\n {2}\+ empty\/\n(?:.*\n)* {2}switch from main to other\n {2}main moves from /,
      );
      expect(await said(project, "undo")).toMatchObject({
        code: 5,
        text: expect.stringContaining("hint: Add --yes, or --dry-run"),
      });
      const undone = await said(project, "undo", "--yes");
      expect(undone.text).toContain("\n  switched from main to other\n  main moved from ");
      expect((await said(project, "redo", "--dry-run")).text).toContain("\n  - empty/\n");
    });
  });

  it("needs more than a yes to undo where new commits would be dropped", async () => {
    await withSeed(async (project) => {
      await atOther(project);
      await project.ok("rollback", "latest", "--yes", "--discard-commits");
      await project.repo.git("checkout", "-q", "other");
      await project.repo.git("checkout", "-q", "main");
      await project.repo.git("commit", "-q", "--allow-empty", "-m", "new");
      const { text: hint } = await said(project, "undo");
      expect(hint).toContain("hint: Add --yes --discard-commits");
    });
  });
});

describe("a rollback over a commit", () => {
  it("says what was restored, reverted and removed, which commits were dropped, and how to undo", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await project.ok("create", "-m", "my wip");
      await repo.write("a.txt", "wrecked\n");
      await repo.write("new.txt", "new\n");
      await repo.remove("b.txt");
      await repo.git("add", "-A");
      await repo.git("commit", "-qm", "what the agent did");
      expect(await said(project, "rollback", "latest", "--dry-run")).toMatchInlineSnapshot(`
        {
          "code": 0,
          "text": "Roll back to <cp-00-manual> ("my wip"):
          + b.txt
          ~ a.txt
          - new.txt
          main moves from <commit> to <commit>
          1 commit will be dropped from main (kept in the safety checkpoint):
            <commit> what the agent did
        --yes alone will be refused because of the commits: add --discard-commits, or --keep-head to leave the branch where it is
        ",
        }
      `);
      expect((await project.ok("rollback", "latest", "--dry-run")).json).toMatchObject({
        needs: ["--discard-commits"],
      });
      expect(await said(project, "rollback", "latest", "--yes")).toMatchInlineSnapshot(`
        {
          "code": 5,
          "text": "error: 1 commit would be dropped from main: <commit> what the agent did
        hint: Add --discard-commits (the commits are kept in the safety checkpoint), or --keep-head to leave the branch where it is.
        ",
        }
      `);
      const flags = ["--yes", "--discard-commits"];
      expect(await said(project, "rollback", "latest", ...flags)).toMatchInlineSnapshot(`
        {
          "code": 0,
          "text": "Rolled back to <cp-00-manual> ("my wip")
          files: 1 restored, 1 reverted, 1 removed
          main moved from <commit> to <commit>
          1 commit dropped from main (kept in <cp-00-pre-rollback>):
            <commit> what the agent did
          undo with: waymark undo
        ",
        }
      `);
      expect(await said(project, "undo", "--yes")).toMatchInlineSnapshot(`
        {
          "code": 0,
          "text": "Undid the rollback to <cp-00-manual> ("my wip")
          files: 1 restored, 1 reverted, 1 removed
          main moved from <commit> to <commit>
          redo with: waymark redo
        ",
        }
      `);
      expect(await said(project, "redo", "--yes")).toMatchInlineSnapshot(`
        {
          "code": 0,
          "text": "Redid the rollback to <cp-00-manual> ("my wip")
          files: 1 restored, 1 reverted, 1 removed
          main moved from <commit> to <commit>
          1 commit dropped from main (kept in <cp-00-pre-rollback>):
            <commit> what the agent did
          undo with: waymark undo
        ",
        }
      `);
      expect(await said(project, "undo", "--dry-run")).toMatchInlineSnapshot(`
        {
          "code": 0,
          "text": "Undo the rollback to <cp-00-manual> ("my wip"):
          + new.txt
          ~ a.txt
          - b.txt
          main moves from <commit> to <commit>
        ",
        }
      `);
    });
  });

  it("says that the checkpoint was rolled past", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await project.ok("create", "-m", "one");
      await repo.write("a.txt", "two\n");
      const past = await project.create("-m", "two");
      expect((await said(project, "rollback", "latest~1", "--yes")).text).toContain(
        "\n  1 later checkpoint rolled past\n  undo with: ",
      );
      expect((await said(project, "rollback", past, "--yes")).text).toMatchInlineSnapshot(`
        "Rolled back to <cp-00-manual> ("two")
          files: 1 reverted
          undo with: waymark undo
        warning: this checkpoint was rolled past; restoring it anyway
        "
      `);
    });
  });
});

describe("a rollback without a difference", () => {
  it("[R9] says so, exits 0, takes no checkpoint and leaves undo as it was", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("a.txt", "one\n");
      await project.ok("create", "-m", "one");
      await repo.write("a.txt", "two\n");
      await project.ok("rollback", "latest", "--yes");
      const before = (await project.ok("list", "--all")).json;
      expect(await said(project, "rollback", "latest", "--yes")).toMatchInlineSnapshot(`
        {
          "code": 0,
          "text": "Nothing differs from <cp-00-manual> ("one"); nothing to roll back
        ",
        }
      `);
      // There is nothing to confirm.
      expect((await said(project, "rollback", "latest")).code).toBe(0);
      const { json } = await project.ok("rollback", "latest", "--yes");
      expect(json).toMatchObject({
        kind: "rollback",
        rolled_back: false,
        unchanged: true,
        changes_reverted: [],
        undo_checkpoint_id: null,
        undo_command: null,
        became_invalid: [],
        verification: { match: true },
      });
      expect(field(json, "verification", "post_state_hash")).toBe(
        field(json, "verification", "checkpoint_hash"),
      );
      expect((await project.ok("list", "--all")).json).toEqual(before);
      await project.ok("undo", "--yes");
      expect((await repo.read("a.txt")).toString()).toBe("two\n");
    });
  });
});

describe("a rollback in a session with steps", () => {
  it("names the steps, what is discarded, and where it continues; the history has them", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await project.ok("session", "start", "--type", "demo", "--project", "shop");
      for (const [step, phase] of ["specify", "plan", "implement"].entries()) {
        await repo.write("a.txt", `${phase}\n`);
        await project.ok("session", "save", "--step", `${step + 1}`, "--phase", phase);
        await project.ok("create", "-m", `after ${phase}`);
      }
      await project.ok("session", "save", "--step", "4", "--phase", "validate");
      expect(await said(project, "rollback", "1", "--dry-run")).toMatchInlineSnapshot(`
        {
          "code": 0,
          "text": "Roll back to <cp-01-specify> ("after specify"):
          phase specify, commit <commit>
          target step:  1 (specify)
          current step: 4 (validate)
          discards steps 2 to 4
          ~ a.txt
          ~ workflow state of the session
          2 later checkpoints will be marked as rolled past (undo reverts this):
            x <cp-02-plan>
            x <cp-03-implement>
        ",
        }
      `);
      const why = ["-m", "wrong plan"];
      expect(await said(project, "rollback", "1", "--yes", ...why)).toMatchInlineSnapshot(`
        {
          "code": 0,
          "text": "Rolled back to <cp-01-specify> ("after specify")
          files: 1 reverted
          step: 1 (specify)
          state: 1 change reverted
          2 later checkpoints rolled past
          ready to continue from step 1
          undo with: waymark undo
        ",
        }
      `);
      const { json } = await project.ok("session", "show");
      expect(items(json, "session", "rollback_history")).toMatchObject([
        { kind: "rollback", from_step: 4, to_step: 1, reason: "wrong plan" },
      ]);
      const undone = await project.ok("undo", "--yes");
      expect(field(undone.json, "plan", "steps")).toMatchObject({ from_step: 1, to_step: 4 });
    });
  });
});

describe("a rollback to before hooks were installed", () => {
  it("restores exactly, and warns with the command that reinstalls them", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const id = await project.create();
      await project.ok("hooks", "install", "claude", "cline");
      const { json } = await project.ok("rollback", id, "--dry-run");
      const removed = items(json, "plan", "hooks_removed").map((each) => text(each, "agent"));
      expect(removed).toEqual(["claude", ...Array<string>(7).fill("cline")]);
      const shown = await said(project, "rollback", id, "--dry-run");
      expect(shown.text).toContain(
        "  ! Waymark's hooks for Claude Code will be removed (.claude/settings.json); reinstall with: waymark hooks install claude\n",
      );
      expect(shown.text.match(/reinstall with/g)).toHaveLength(2);
      const done = await project.ok("rollback", id, "--yes");
      expect(items(done.json, "warnings")).toEqual([
        "Waymark's hooks for Claude Code were removed (.claude/settings.json); reinstall with: waymark hooks install claude",
        "Waymark's hooks for Cline were removed (.clinerules/hooks/PreToolUse and 6 more); reinstall with: waymark hooks install cline",
      ]);
      expect(await repo.exists(".claude/settings.json")).toBe(false);
      const undone = await project.ok("undo", "--yes");
      expect(items(undone.json, "warnings")).toEqual([]);
    });
  });

  it("says nothing where the hooks stay", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await project.ok("hooks", "install", "claude");
      const id = await project.create();
      const settings = JSON.parse((await repo.read(".claude/settings.json")).toString()) as object;
      await repo.write(".claude/settings.json", JSON.stringify({ ...settings, model: "opus" }));
      const { json } = await project.ok("rollback", id, "--yes");
      expect(field(json, "plan", "hooks_removed")).toEqual([]);
      expectExit(await project.run("undo", "--yes"), 0);
    });
  });
});

describe("a rollback of some files", () => {
  const LATER = "the project was changed since that rollback";

  it("warns at undo of later work in these files, and not in others", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await project.ok("create");
      await repo.write("a.txt", "mine\n");
      await project.ok("rollback", "latest", "--yes", "--paths", "a.txt");
      await repo.write("b.txt", "in another file\n");
      expect((await said(project, "undo", "--dry-run")).text).not.toContain(LATER);
      expect((await said(project, "status")).text).not.toContain("and what changed since");
      await repo.write("a.txt", "later\n");
      expect((await said(project, "undo", "--dry-run")).text).toContain(LATER);
      expect((await said(project, "status")).text).toContain("and what changed since");
      expect((await said(project, "undo", "--yes")).text).toContain(LATER);
      expect((await repo.read("a.txt")).toString()).toBe("mine\n");
      expect((await repo.read("b.txt")).toString()).toBe("in another file\n");
    });
  });

  it("refuses a file that is there and that the checkpoint does not contain", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write(".gitignore", "*.env\n");
      await repo.write("my.env", "A=1\n");
      await project.ok("create");
      await repo.write("my.env", "A=2\n");
      await repo.write("new.txt", "new\n");
      await repo.git("add", "new.txt");
      const refused = await project.run("rollback", "latest", "--yes", "--paths", "my.env");
      expectExit(refused, 2);
      expect(text(refused.json, "error", "message")).toContain("my.env is not in checkpoint");
      await project.ok("rollback", "latest", "--yes", "--paths", "new.txt");
      expect(await repo.exists("new.txt")).toBe(false);
      expect((await repo.read("my.env")).toString()).toBe("A=2\n");
    });
  });

  it("to the checkpoint before a phase of a workflow makes that phase the current one", async () => {
    await withSeed(async (project) => {
      const phases = ["one", "two"].map((name) => `{ name: ${name}, run: "true", modifies: true }`);
      await project.repo.write("flow.yml", `name: f\nphases: [${phases.join(", ")}]\n`);
      await project.ok("run", "flow.yml");
      const back = await project.ok("rollback", "phase:two", "--yes");
      expect(field(back.json, "plan", "steps")).toMatchObject({ to_step: 2, next_step: 2 });
      const undone = await project.ok("undo", "--yes");
      expect(field(undone.json, "plan", "steps")).toMatchObject({ from_step: 2 });
    });
  });
});
