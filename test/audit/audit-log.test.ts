/** The audit log as the built command writes it, and `log`, which reads it. */
import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openGitProject } from "../../src/app.ts";
import { createCheckpoint } from "../../src/operations/create-checkpoint.ts";
import { type RuleProject, withDirty, withSeed } from "../spec/project.ts";
import { cliEnvironment, expectExit, waymarkArguments } from "../support/cli.ts";
import { strictDifferences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { field, items, text } from "../support/json.ts";
import { runCommand, type CommandResult } from "../support/run-command.ts";
import { hasTerminal, inTerminal } from "../support/terminal.ts";

async function logged(project: RuleProject): Promise<Record<string, unknown>[]> {
  const log = await readFile(await project.repo.gitPath("waymark/audit.log"), "utf8");
  expect(log.endsWith("\n")).toBe(true);
  return log
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

const inShort = (entries: readonly unknown[]): string[] =>
  entries.map((entry) => {
    const code = field(entry, "error", "code");
    const operation = field(entry, "operation") ?? field(entry, "kind");
    return typeof code === "string" ? `${String(operation)}: ${code}` : String(operation);
  });

async function journal(project: RuleProject, ...args: readonly string[]): Promise<unknown[]> {
  return [...items((await project.ok("log", ...args)).json, "entries")];
}

function piped(project: RuleProject, ...args: readonly string[]): Promise<CommandResult> {
  return runCommand(process.execPath, waymarkArguments(project.repo.root, ...args), {
    env: cliEnvironment(project.repo.env),
  });
}

describe("the audit log", () => {
  it("says what a checkpoint that could not be created was for", async () => {
    await withSeed(async (project) => {
      const asked = ["--phase", "plan", "--step", "2", "--name", "before"];
      await project.run("create", "--scope", "no-such-file", ...asked);
      expect((await logged(project)).at(-1)).toMatchObject({
        operation: "create",
        ok: false,
        details: { trigger: "manual", phase: "plan", step: 2, name: "before" },
      });
    });
  });

  it("names the session of the checkpoint, also while one that has ended is the started one", async () => {
    await withSeed(async (project) => {
      await project.ok("session", "start", "--type", "implement");
      await project.ok("session", "complete");
      await project.run("guard", "--", "false");
      const sessions = (await logged(project)).slice(-2).map((entry) => field(entry, "session_id"));
      expect(sessions).toEqual(["worktree-main", "worktree-main"]);
    });
  });

  it("[R58] has one line for everything that was done, and for everything that was refused", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      await project.run("rollback", "latest", "--yes");
      const first = await project.create("-m", "why");
      await project.ok("create");
      await repo.write("b.txt", "changed\n");
      await project.ok("pin", first, "-m", "good");
      await project.ok("pin", first);
      await project.run("delete", first, "--yes");
      await project.ok("unpin", first);
      await project.run("rollback", first);
      await project.run("create", "--scope", "nothing/*");
      await project.ok("rollback", first, "--yes", "-m", "it was wrong");
      await project.ok("undo", "--yes");
      await project.ok("redo", "--yes");
      await project.run("redo", "--yes");
      await project.ok("validate");
      const second = await project.create();
      await project.ok("delete", second, "--yes");
      await project.ok("delete", "--undo", second);
      await project.ok("stash", first);
      await project.ok("export");
      await project.run("import", "nothing.bundle");
      await project.run("rebuild", "nothing");
      await project.ok("init");
      await project.ok("cleanup", "--keep", "0", "--yes");
      const entries = await logged(project);
      expect(inShort(entries)).toEqual([
        "rollback: checkpoint_not_found",
        "create",
        "pin",
        "delete: checkpoint_protected",
        "unpin",
        "rollback: needs_confirmation",
        "create: usage",
        "create",
        "rollback",
        "create",
        "undo",
        "create",
        "redo",
        "redo: nothing_to_redo",
        "validate",
        "create",
        "delete",
        "undelete",
        "stash",
        "export",
        "import: file_not_found",
        "rebuild: checkpoint_not_found",
        "init",
        "cleanup",
      ]);
      expect(entries[1]).toEqual({
        schema_version: 1,
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        operation: "create",
        ok: true,
        error: null,
        session_id: "worktree-main",
        worktree_id: "main",
        checkpoint_ids: [first],
        checkpoint_total: 1,
        reason: "why",
        by: expect.objectContaining({ host: expect.any(String), pid: expect.any(Number) }),
        duration_ms: expect.any(Number),
        details: { trigger: "manual", phase: null, step: null },
      });
      expect(entries[6]).toMatchObject({
        ok: false,
        error: { message: expect.stringContaining("nothing/*") },
        checkpoint_ids: [],
      });
      expect(entries[8]).toMatchObject({
        checkpoint_ids: [first],
        reason: "it was wrong",
        details: { rollback_id: expect.stringMatching(/^rb-/), files: 1 },
      });
    });
  });

  it("[R58] is written for what only looks neither when it works nor when it fails, nor for a dry run", async () => {
    await withDirty(async (project) => {
      for (const args of [
        ["list"],
        ["log"],
        ["show", "nothing"],
        ["diff", "nothing"],
        ["rollback", "nothing", "--dry-run"],
        ["cleanup", "--dry-run"],
        ["init", "--dry-run"],
        ["import", "nothing", "--dry-run"],
        ["config"],
        ["doctor"],
      ]) {
        await project.run(...args);
      }
      expect(existsSync(await project.repo.gitPath("waymark/audit.log"))).toBe(false);
    });
  });

  it("[R16] is private, out of git's sight, and no change of the project", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      const before = await takeFingerprint(repo);
      const status = await repo.git("status", "--porcelain");
      await project.create();
      expect(strictDifferences(await takeFingerprint(repo), before)).toEqual([]);
      expect(await repo.git("status", "--porcelain")).toBe(status);
      expect((await stat(repo.path(".git/waymark/audit.log"))).mode & 0o777).toBe(0o600);
      expect(field((await project.ok("create")).json, "unchanged")).toBe(true);
    });
  });

  it("[R58] is each work tree's own", async () => {
    await withSeed(async (project) => {
      await project.repo.git("worktree", "add", "-q", join(project.repo.base, "linked"), "other");
      const linked = project.at("linked");
      await project.create();
      await linked.create("--session", "mine");
      expect(await logged(project)).toMatchObject([{ worktree_id: "main" }]);
      expect(await logged(linked)).toMatchObject([
        { worktree_id: expect.stringMatching(/^linked-[0-9a-f]{6}$/), session_id: "mine" },
      ]);
    });
  });

  it("[R58] has what wrong settings refused", async () => {
    await withDirty(async (project) => {
      await project.repo.write("waymark.yml", "strategy: nonsense\nretention: {auto: x}\n");
      const refused = await piped(project, "create");
      expect(refused.code).toBe(2);
      expect(refused.stderr).toMatch(/waymark\.yml:1:.*\n.*waymark\.yml:2:/);
      expect(refused.stderr).not.toContain("the default is used");
      expect(inShort(await logged(project))).toEqual(["create: config_invalid"]);
    });
  });

  it("[R58] keeps nothing from being done when it cannot be written, and says so", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      const outside = join(repo.base, "outside");
      await mkdir(outside);
      await mkdir(repo.path(".git/waymark"));
      const log = repo.path(".git/waymark/audit.log");
      const inTheWay: Readonly<Record<string, () => Promise<unknown>>> = {
        "a link to a file": () => symlink(join(outside, "audit.log"), log),
        "a folder": () => mkdir(log),
      };
      for (const [what, make] of Object.entries(inTheWay)) {
        await rm(log, { recursive: true, force: true });
        await make();
        const result = await piped(project, "create", "--force", "-m", what);
        expect(`${what} ${result.code}`).toBe(`${what} 0`);
        expect(result.stderr).toContain("warning: the audit log could not be written");
        expect(await piped(project, "log")).toMatchObject({ code: 0 });
        expect(existsSync(join(outside, "audit.log"))).toBe(false);
      }
    });
  });

  it.skipIf(process.getuid?.() === 0)(
    "[R58] makes nothing fail in a work tree that is read-only",
    async () => {
      await withDirty(async (project) => {
        const { repo } = project;
        await chmod(repo.root, 0o500);
        try {
          expectExit(await project.run("create", "--force"), 0);
        } finally {
          await chmod(repo.root, 0o700);
        }
      });
    },
  );

  it("[R58] is written by the library too", async () => {
    await withDirty(async (project) => {
      const opened = await openGitProject({
        directory: project.repo.root,
        agent: { agent: "claude", agent_session_id: "s-1", tool_use_id: "t-1" },
      });
      try {
        await createCheckpoint(opened, { reason: "by an agent" });
      } finally {
        opened.close();
      }
      expect(await logged(project)).toMatchObject([
        { reason: "by an agent", by: { agent: "claude", agent_session_id: "s-1" } },
      ]);
    });
  });

  it("[R58] has every one of many checkpoints that are taken at once", async () => {
    await withDirty(async (project) => {
      const created = await Promise.all(
        Array.from({ length: 6 }, (_, at) => project.create("--session", `s-${at}`)),
      );
      const ids = (await logged(project)).flatMap((entry) => items(entry, "checkpoint_ids"));
      expect(new Set(ids)).toEqual(new Set(created));
      expect(ids).toHaveLength(created.length);
    });
  });
});

describe("log", () => {
  it("shows what failed as such, and nothing twice", async () => {
    await withDirty(async (project) => {
      const { repo } = project;
      const id = await project.create("-m", "why");
      await repo.write("b.txt", "changed\n");
      await project.run("rollback", id);
      await project.ok("rollback", id, "--yes");
      await project.ok("pin", id);
      await project.ok("export");
      expect(inShort(await journal(project))).toEqual([
        "export",
        "pin",
        "rollback",
        "create",
        "rollback: needs_confirmation",
        "create",
      ]);
      const [failed, ...others] = await journal(project, "--failed");
      expect(others).toEqual([]);
      expect(failed).toMatchObject({
        kind: "rollback",
        ok: false,
        checkpoint_ids: [id],
        error: { code: "needs_confirmation" },
      });
      const line = (await piped(project, "log", "--failed")).stdout.toString("utf8").split("\t");
      expect(line.slice(2, 4)).toEqual(["rollback refused", id]);
      expect(line[4]).toMatch(/^needs_confirmation: confirmation required/);
    });
  });

  it("says what was refused in the words of the command, and people read no code", async () => {
    await withSeed(async (project) => {
      await project.ok("session", "start", "--type", "demo", "--id", "demo_1");
      expectExit(await project.run("session", "delete", "demo_1"), 5);
      expectExit(await project.run("session", "complete", "demo"), 3);
      const { stdout } = await piped(project, "log", "--failed");
      const said = stdout.toString("utf8").trimEnd().split("\n");
      expect(said.map((line) => line.split("\t")[2])).toEqual([
        "session complete refused",
        "session delete refused",
      ]);
      if (!hasTerminal) return;
      const { root, env } = project.repo;
      const { screen } = await inTerminal(root, ["log", "--failed"], [], env, 160);
      expect(screen).toContain("confirmation required");
      expect(screen).not.toContain("needs_confirmation");
    });
  });

  it("calls a run that stops at a breakpoint paused, and not failed", async () => {
    await withSeed(async (project) => {
      await project.repo.write(
        "../workflow.yml",
        "name: demo\nphases: [{name: plan, run: 'true', breakpoint: true}, {name: work, run: 'false'}]\n",
      );
      const file = project.repo.path("../workflow.yml").toString();
      expectExit(await project.run("run", file), 5);
      const [line = ""] = (await piped(project, "log")).stdout
        .toString("utf8")
        .split("\n")
        .filter((one) => one.split("\t")[2]?.startsWith("run ") === true);
      expect(line.split("\t")[2]).toBe("run paused");
      expect(line).toContain("waiting for an answer at the breakpoint after plan");
      expect(await journal(project, "--failed")).toEqual([]);
      const shown = (await piped(project, "session", "show")).stdout.toString("utf8");
      expect(shown).toMatch(/^ {2}stopped {6}waiting for an answer at the breakpoint after plan/m);
      expect(shown).not.toContain("last error");

      expectExit(await project.run("resume", "--yes"), 1);
      const [failed, ...others] = await journal(project, "--failed");
      expect(others).toEqual([]);
      expect(failed).toMatchObject({ kind: "resume", error: { code: "session_failed" } });
      const said = (await piped(project, "log")).stdout.toString("utf8");
      expect(said).toContain("\tresume failed\t");
      const [id = ""] = items(
        (await project.ok("session", "list", "--all")).json,
        "sessions",
      ).flatMap((session) => (field(session, "status") === "failed" ? text(session, "id") : []));
      expect((await piped(project, "session", "show", id)).stdout.toString("utf8")).toMatch(
        /^ {2}last error {3}/m,
      );
    });
  });

  it("calls a run that Waymark had to stop because no checkpoint could be created failed", async () => {
    await withSeed(async (project) => {
      await project.repo.write(
        "../workflow.yml",
        "name: demo\nphases: [{name: plan, run: 'true', modifies: true}]\n",
      );
      await project.repo.write("one.txt", "1\n");
      await project.repo.write("two.txt", "2\n");
      const limits = { ...project.repo.env, WAYMARK_CAPTURE_MAX_FILES: "1" };
      const { code } = await runCommand(
        process.execPath,
        waymarkArguments(project.repo.root, "run", project.repo.path("../workflow.yml").toString()),
        { env: cliEnvironment(limits) },
      );
      expect(code).toBe(1);
      const failed = await journal(project, "--failed");
      expect(failed.map((entry) => field(entry, "kind"))).toContain("run");
      const said = (await piped(project, "log")).stdout.toString("utf8");
      expect(said).toContain("\trun failed\t");
    });
  });

  it("does not forget checkpoints that are gone", async () => {
    await withDirty(async (project) => {
      const id = await project.create("-m", "the first");
      await project.create("-m", "the second");
      await project.ok("delete", id, "--now", "--yes");
      const entries = await journal(project);
      expect(inShort(entries)).toEqual(["delete", "create", "create"]);
      expect(entries[2]).toMatchObject({ checkpoint_ids: [id], reason: "the first", ok: true });
    });
  });

  it("names the session with --all, and keeps to a time with --since", async () => {
    await withDirty(async (project) => {
      await project.createExpired();
      await project.ok("--session", "task-12", "create", "--force", "-m", "mine");
      const lines = (await piped(project, "log", "--all")).stdout.toString("utf8");
      expect(
        lines
          .trimEnd()
          .split("\n")
          .map((line) => line.split("\t")[2]),
      ).toEqual(["task-12", "worktree-main"]);
      expect(await journal(project, "--all", "--since", "1h")).toHaveLength(1);
      expect(await journal(project, "--all", "--since", "3h")).toHaveLength(2);
      expect(await journal(project, "--all", "--since", "2000-01-01")).toHaveLength(2);
      expectExit(await project.run("log", "--since", "yesterday"), 2);
      const listed = (await piped(project, "list", "--all")).stdout.toString("utf8");
      expect(listed).toContain("\ttask-12\t");
    });
  });

  it("is not broken by what somebody wrote into the audit log", async () => {
    await withDirty(async (project) => {
      const id = await project.create();
      const path = project.repo.path(".git/waymark/audit.log");
      const [line = ""] = (await readFile(path, "utf8")).split("\n");
      const wrong = { ...(JSON.parse(line) as object), by: null, checkpoint_ids: "all" };
      const future = { ...(JSON.parse(line) as object), schema_version: 9, operation: "teleport" };
      const lines = ["", "null", "{}", JSON.stringify(wrong), JSON.stringify(future), line];
      await writeFile(path, `${lines.join("\n")}\nhalf of a li`);
      const entries = await journal(project);
      expect(inShort(entries).toSorted()).toEqual(["create", "teleport"]);
      expect(text(entries[0], "session_id")).toBe("worktree-main");
      await project.create("-m", "goes on");
      expect((await journal(project)).length).toBe(3);
      expect(id).toMatch(/^cp-/);
    });
  });
});
