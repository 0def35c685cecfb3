/** The operations of an observer of a step by step workflow: create, list, show, diff, roll back, validate, export, and their errors. */
import { describe, expect, it } from "vitest";
import { type RuleProject, withSeed } from "../spec/project.ts";
import { expectExit } from "../support/cli.ts";
import { deleteObject } from "../support/damage.ts";
import { field, items, text } from "../support/json.ts";
import { hasTerminal, inTerminal } from "../support/terminal.ts";
import { saveStep, talk } from "./scene.ts";

interface Steps {
  readonly project: RuleProject;
  readonly ids: readonly [string, string, string];
}

/** Three steps of a session about a topic; each leaves a file, and the last one commits. */
async function withSteps(body: (steps: Steps) => Promise<void>): Promise<void> {
  await withSeed(async (project) => {
    const { repo } = project;
    await repo.git("config", "user.name", "Test");
    await repo.git("config", "user.email", "test@example.invalid");
    await project.ok(
      "session",
      "start",
      "--type",
      "go-team",
      "--id",
      "team",
      "--topic",
      "Login with tokens",
    );
    const init = await saveStep(project, {
      name: "init",
      number: 1,
      outputs: { spec: null, architecture: "", code_files: [], test_files: [] },
      metrics: { build_pass: false, test_coverage: 0, lint_clean: true },
    });
    await repo.write("spec.md", "spec\n");
    const requirements = await saveStep(project, {
      name: "requirements",
      number: 2,
      iteration: 1,
      outputs: { spec: "spec.md", architecture: "", code_files: [], test_files: [] },
    });
    await repo.write("code.ts", "code\n");
    await repo.write("a.txt", "changed\n");
    await repo.git("add", "-A");
    await repo.git("commit", "-q", "-m", "the architecture");
    const architecture = await saveStep(project, {
      name: "architecture",
      number: 3,
      iteration: 2,
      outputs: {
        spec: "spec.md",
        architecture: "",
        code_files: ["code.ts", "more.ts"],
        test_files: [],
      },
      metrics: { build_pass: true, test_coverage: 81.5, lint_clean: true },
    });
    await body({ project, ids: [init, requirements, architecture] });
  });
}

describe("create", () => {
  it("names the checkpoint by step, name and time, and holds session, state, outputs, files, commit and a checksum", async () => {
    await withSteps(async ({ project, ids }) => {
      const [first, , last] = ids;
      expect(first).toMatch(/^cp-01-init-\d{8}-\d{6}-[0-9a-f]{4}$/);
      const { json } = await project.ok("show", last);
      expect(field(json, "checkpoint")).toMatchObject({
        id: last,
        session_id: "team",
        step: 3,
        phase: "architecture",
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        git: { branch: "refs/heads/main", commit: expect.stringMatching(/^[0-9a-f]{40}$/) },
        files: { created: ["code.ts"], modified: ["a.txt"] },
        checksum: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        state_digest: expect.stringMatching(/^sha256:/),
      });
      expect(json).toMatchObject({
        workflow: { phase: "architecture", step: 3, iteration: 2 },
        outputs: { spec: "spec.md", code_files: ["code.ts", "more.ts"] },
      });
      const session = field((await project.ok("session", "show")).json, "session");
      expect(session).toMatchObject({
        current_checkpoint: last,
        checkpoint_count: 3,
        last_checkpoint_at: expect.stringMatching(/^\d{4}-/),
      });
    });
  });
});

describe("*checkpoints", () => {
  it("lists those of the session under its topic and time, the current one marked, and what can be said next", async () => {
    await withSteps(async ({ project, ids }) => {
      await project.ok("session", "start", "--type", "other");
      const other = await project.create();
      for (const command of ["*checkpoints", "*cp-list"]) {
        const { stdout, stderr } = await talk(project, "--session", "team", "observe", command);
        expect(stderr).toMatch(/Session team\nTopic: +Login with tokens\nCreated: +\d{4}-/);
        expect(stderr).toContain("*rollback:N");
        for (const id of ids) expect(stdout).toContain(id);
        expect(stdout).not.toContain(other);
      }
      if (hasTerminal) {
        const { root, env } = project.repo;
        const asked = ["--session", "team", "observe", "*checkpoints"];
        const { screen } = await inTerminal(root, asked, [], { ...env, NO_COLOR: "1" }, 80);
        expect(screen).toContain("step 3, phase architecture");
        expect(screen).toContain("*rollback:N rolls back to step N");
      }
    });
  });
});

describe("*cp-show:N", () => {
  it("shows step, state, metrics, outputs, files, commit and checksum", async () => {
    await withSteps(async ({ project, ids }) => {
      const { stdout } = await talk(project, "observe", "*cp-show:3");
      const shown = stdout.replaceAll(/ +/g, " ");
      expect(shown).toContain(ids[2]);
      expect(shown).toMatch(
        /Workflow\n step 3\n phase architecture\n previous requirements\n iteration 2\n/,
      );
      expect(shown).toContain(
        "phases init completed, requirements completed, architecture running",
      );
      expect(shown).toContain("\n status valid, latest\n");
      const [earlier, session] = [
        await talk(project, "show", ids[0] ?? ""),
        await talk(project, "session", "show"),
      ].map((said) => said.stdout.replaceAll(/ +/g, " "));
      expect(earlier).toContain("\n status valid\n");
      expect(earlier).toContain("\n iteration 0\n");
      expect(session).toContain("\n iteration 2\n");
      expect(shown).toMatch(
        /Metrics\n build_pass: true\n test_coverage: 81.5\n lint_clean: true\n/,
      );
      expect(shown).toMatch(
        /Outputs\n spec: yes \(spec.md\)\n architecture: no\n code_files: 2 \(code.ts, more.ts\)\n test_files: 0\n/,
      );
      expect(shown).toMatch(/ branch main\n commit [0-9a-f]{40}\n/);
      expect(shown).toContain("1 created, 1 modified:\n + code.ts\n ~ a.txt\n");
      expect(shown).toMatch(/ checksum [0-9a-f]{64}\n/);
    });
  });

  it("says which steps there are when there is none of that number", async () => {
    await withSteps(async ({ project }) => {
      const refused = await project.run("observe", "*cp-show:7");
      expectExit(refused, 3);
      expect(text(refused.json, "error", "code")).toBe("checkpoint_not_found");
    });
  });
});

describe("*cp-diff", () => {
  it("has both sides, and state, metrics, outputs, files and commits in sections", async () => {
    await withSteps(async ({ project, ids }) => {
      const [first, , last] = ids;
      const { stdout } = await talk(project, "observe", "*cp-diff:1:3");
      expect(stdout).toContain(`from ${first} (step 1 init)\nto   ${last} (step 3 architecture)\n`);
      expect(stdout).toContain("state\n  phase: init -> architecture\n  step: 1 -> 3  (+2)\n");
      expect(stdout).toContain("  workflow.iteration: 0 -> 2  (+2)\n");
      expect(stdout).toContain(
        "metrics\n  build_pass: false -> true\n  test_coverage: 0 -> 81.5  (+81.5)\n",
      );
      expect(stdout).toContain(
        "outputs\n  spec: null -> spec.md\n  code_files: +2 (+ code.ts, + more.ts)\n",
      );
      expect(stdout).toMatch(/commits between: 1 .*\n\+ [0-9a-f]{8} the architecture\n/);
      expect(stdout).toMatch(/ ~ a\.txt +\| /);
      expect(stdout).toMatch(/ \+ code\.ts +\| /);
    });
  });

  it("compares a step with now, also what was reported since", async () => {
    await withSteps(async ({ project }) => {
      await project.repo.write("../m.json", '{"build_pass": false, "test_coverage": 81.5}');
      await project.ok("session", "save", "--metrics", `${project.repo.base}/m.json`);
      const { stdout } = await talk(project, "observe", "*cp-diff:3");
      expect(stdout).toContain("to   now\n");
      expect(stdout).toContain("metrics\n  build_pass: true -> false\n  lint_clean: true -> -\n");
    });
  });
});

describe("*rollback:N", () => {
  it("brings back files, commits, state and outputs, and records it; only `yes` confirms", async () => {
    await withSteps(async ({ project, ids }) => {
      const [, second, last] = ids;
      const head = await project.repo.git("rev-parse", "HEAD");
      // Commits leave the branch: that takes more than --yes.
      const asked = await project.run("observe", "*rollback:2");
      expectExit(asked, 5);
      expect(text(asked.json, "error", "hint")).toContain("--yes --discard-commits, or --dry-run");
      expectExit(await project.run("observe", "*rollback:2", "--yes"), 5);
      const plan = await project.ok("observe", "*rollback:2", "--dry-run");
      expect(field(plan.json, "kind")).toBe("rollback_plan");
      expectExit(await project.run("observe", "*cleanup", "--dry-run"), 2);
      expect(await project.repo.exists("code.ts")).toBe(true);
      await project.ok("observe", "*rollback:2", "--yes", "--discard-commits");
      expect(await project.repo.exists("code.ts")).toBe(false);
      expect(await project.repo.git("rev-parse", "HEAD")).not.toBe(head);
      const session = field((await project.ok("session", "show")).json, "session");
      expect(session).toMatchObject({
        status: "paused",
        current_step: 2,
        current_phase: "requirements",
        iteration_count: 1,
        outputs: { spec: "spec.md", code_files: [] },
        current_checkpoint: second,
      });
      const [record] = items(session, "rollback_history");
      expect(record).toMatchObject({
        kind: "rollback",
        from_id: last,
        to_id: second,
        reason: "observer_requested",
      });
      expect(items(session, "invalidated_checkpoints")).toMatchObject([
        { id: last, invalidated_by: text(record, "id") },
      ]);
    });
  });

  it("leaves steps behind it that can still be looked at, compared and rebuilt", async () => {
    await withSteps(async ({ project, ids }) => {
      await project.ok("observe", "*rollback:1", "--yes", "--discard-commits");
      const shown = await project.ok("observe", "*cp-show:3");
      expect(field(shown.json, "checkpoint", "id")).toBe(ids[2]);
      await project.ok("observe", "*cp-diff:3");
      await project.ok("observe", "*cp-diff:1:3");
      await project.ok("observe", "*cp-rebuild:3");
      const refused = await project.run("rollback", "3", "--yes");
      expectExit(refused, 4);
      expect(text(refused.json, "error", "code")).toBe("roll_forward");
    });
  });

  it("leaves the branch where it is with --keep-head", async () => {
    await withSteps(async ({ project }) => {
      const head = await project.repo.git("rev-parse", "HEAD");
      await project.ok("observe", "*rollback:2", "--yes", "--keep-head");
      expect(await project.repo.exists("code.ts")).toBe(false);
      expect(await project.repo.git("rev-parse", "HEAD")).toBe(head);
    });
  });

  it("refuses a step that is still to come, and a damaged checkpoint", async () => {
    await withSteps(async ({ project }) => {
      await project.ok("rollback", "1", "--yes", "--discard-commits");
      expectExit(await project.run("observe", "*rollback:3", "--yes"), 4);
      await project.ok("rollback", "1", "--yes");
    });
    await withSteps(async ({ project, ids }) => {
      const code = await project.repo.store(
        "rev-parse",
        `refs/waymark/cp/${ids[2]}:worktree/code.ts`,
      );
      await project.repo.write("code.ts", "other\n");
      await deleteObject(project.repo, code.trim());
      const refused = await project.run("rollback", ids[2], "--yes", "--discard-commits");
      expectExit(refused, 4);
      expect(text(refused.json, "error", "hint")).toContain(`The last valid one is ${ids[1]}`);
    });
  });

  it("accepts an id as well", async () => {
    await withSteps(async ({ project, ids }) => {
      await project.repo.write("code.ts", "wrecked\n");
      await project.ok("observe", `*rollback:${ids[2]}`, "--yes");
      expect(String(await project.repo.read("code.ts"))).toBe("code\n");
    });
  });
});

describe("*cp-validate, *cp-rebuild", () => {
  it("marks what is damaged, names the last valid one, and rebuilds from what is there", async () => {
    await withSteps(async ({ project, ids }) => {
      const oid = await project.repo.store(
        "rev-parse",
        `refs/waymark/cp/${ids[2]}:worktree/code.ts`,
      );
      const good = await project.ok("observe", "*cp-validate");
      const intact = { file: true, hash: true, git: true, state: true, overall: true };
      expect(items(good.json, "checkpoints")).toMatchObject([intact, intact, intact]);
      expect(good.json).toMatchObject({ valid: 3, invalid: 0 });
      await deleteObject(project.repo, oid.trim());
      const bad = await project.run("observe", "*cp-validate");
      expectExit(bad, 4);
      const damaged = { file: true, hash: true, git: false, state: true, overall: false };
      expect(items(bad.json, "checkpoints")).toMatchObject([intact, intact, damaged]);
      expect(bad.json).toMatchObject({ valid: 2, invalid: 1, last_valid: ids[1] });
      const listed = items((await project.ok("list")).json, "checkpoints");
      expect(listed.find((each) => field(each, "id") === ids[2])).toMatchObject({
        valid: false,
        corrupted_at: expect.stringMatching(/^\d{4}-/),
      });
      // The file is still on the disk.
      await project.ok("observe", `*cp-rebuild:${ids[2]}`);
      await project.ok("observe", "*cp-validate");
    });
  });
});

describe("*cp-validate and *cp-export", () => {
  it("are about the session, name it, and print what can be said next", async () => {
    await withSteps(async ({ project, ids }) => {
      await project.ok("session", "start", "--type", "other");
      const other = await project.create("--force");
      for (const command of ["*cp-validate", "*cp-export"]) {
        const { stderr } = await talk(project, "--session", "team", "observe", command);
        expect(stderr).toMatch(/Session team\nTopic: +Login with tokens\nCreated: /);
        const { json } = await project.ok("--session", "team", "observe", command);
        expect(items(json, "checkpoints").map((each) => field(each, "id"))).toEqual(ids);
      }
      expectExit(await project.run("--session", "no-such", "validate"), 3);
      const code = `refs/waymark/cp/${ids[2]}:worktree/code.ts`;
      await deleteObject(project.repo, (await project.repo.store("rev-parse", code)).trim());
      const bad = await talk(project, "--session", "team", "observe", "*cp-validate");
      expect(bad.stdout).not.toContain(other);
      expect(bad.stdout).toContain(`  *cp-rebuild:${ids[2]} `);
      expect(bad.stdout).toContain(`  *rollback:${ids[1]} `);
    });
  });
});

describe("*cp-export", () => {
  it("writes an archive, with size, sha256, contents and how to restore it", async () => {
    await withSteps(async ({ project, ids }) => {
      const { stdout } = await talk(project, "observe", "*cp-export");
      const file = /^exported (.+)$/m.exec(stdout)?.[1] ?? "";
      expect(stdout).toMatch(/^ {2}size {6}\S/m);
      expect(stdout).toMatch(/^ {2}sha256 {4}[0-9a-f]{64}$/m);
      expect(stdout).toMatch(/^ {2}contents {2}3 checkpoints, 1 session/m);
      const restore = /^ {2}import {4}waymark import (\S+) && waymark validate$/m.exec(stdout)?.[1];
      expect(restore).toBe(file);
      await project.ok("delete", "1", "--yes", "--now", "--force");
      await project.ok("import", file);
      await project.ok("validate");
      // The history of rollbacks goes with the session.
      const [, second, last] = ids;
      await project.rollBack(second);
      const { json: exported } = await project.ok("export");
      await project.repo.git("clone", "-q", ".", "../clone");
      const clone = project.at("clone");
      await clone.ok("import", text(exported, "file"));
      const { json } = await clone.ok("session", "show", "team");
      expect(items(json, "session", "rollback_history")).toMatchObject([
        { from_id: last, to_id: second, from_step: 3, to_step: 2 },
      ]);
    });
  });
});

describe.skipIf(!hasTerminal)("a checkpoint that cannot be taken", () => {
  it("is tried again with *retry-cp, left out with *skip-cp, and *pause waits for the observer", async () => {
    await withSeed(async (project) => {
      const { root, env } = project.repo;
      await project.repo.write(
        "flow.yml",
        "name: flow\nphases: [{name: plan, modifies: true, run: echo planned > plan.txt}]\n",
      );
      await project.repo.write("more.txt", "more than one file\n");
      const { code, screen } = await inTerminal(
        root,
        ["run", "flow.yml"],
        [
          { see: "checkpoint> ", type: "*retry-cp\r" },
          { see: "checkpoint> ", type: "*skip-cp\r" },
          { see: "checkpoint> ", type: "*skip-cp\r" },
          { see: "checkpoint> ", type: "*pause\r" },
        ],
        { ...env, WAYMARK_CAPTURE_MAX_FILES: "1", NO_COLOR: "1" },
        200,
      );
      expect(screen).toMatch(/no checkpoint could be created \(before phase\): 2 changed/);
      expect(screen).toContain("retry, skip (risky: no rollback to this point), or pause");
      expect(screen).toMatch(/Retrying[^]*Continuing without it, at your own risk/);
      expect(code).toBe(5);
      expect(await project.repo.exists("plan.txt")).toBe(true);
      const { json } = await project.ok("session", "show");
      expect(field(json, "session", "status")).toBe("paused");
      expect(JSON.stringify((await project.ok("log")).json)).toContain("over_budget");
    });
  });
});
