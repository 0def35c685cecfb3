/** The commands for sessions, on the built command line. */
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { openGitProject } from "../../src/app.ts";
import { createCheckpoint } from "../../src/operations/create-checkpoint.ts";
import { Failure } from "../../src/domain/failure.ts";
import { deleteSession, planSessionDeletion } from "../../src/operations/delete-session.ts";
import { endSession } from "../../src/operations/end-session.ts";
import { startSession } from "../../src/operations/start-session.ts";
import type { Interruption } from "../../src/ports/interruption.ts";
import { TOKEN } from "../secrets/fake-secrets.ts";
import { withDirty, withSeed, type RuleProject } from "../spec/project.ts";
import { bin, cliEnvironment, expectExit, said, waymark } from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";
import { holdElsewhere, holdSession, loseOwner } from "./hold.ts";

const START = ["session", "start", "--type", "implement", "--project", "auth"];
const DAY = 86_400_000;

async function start(project: RuleProject, ...more: readonly string[]): Promise<string> {
  return text((await project.ok(...START, ...more)).json, "session", "id");
}

async function show(project: RuleProject, ...id: readonly string[]): Promise<unknown> {
  return field((await project.ok("session", "show", ...id)).json, "session");
}

async function save(project: RuleProject, flag: string, value: unknown, ...more: string[]) {
  await project.repo.write("given.json", JSON.stringify(value));
  return project.run("session", "save", flag, "given.json", ...more);
}

/** What was taken and ended this many days ago. */
async function endedBefore(
  { repo }: RuleProject,
  days: number,
  to: "completed" | "failed",
): Promise<string> {
  const project = await openGitProject({ directory: repo.root });
  try {
    const clock = { ...project.clock, now: () => new Date(Date.now() - days * DAY) };
    const then = { ...project, clock };
    const { id } = await startSession(then, { workflowType: "old" });
    await createCheckpoint(then, { force: true, trigger: "pre_phase", phase: "plan" });
    await endSession(then, id, { to });
    project.currentSession.set(undefined);
    return id;
  } finally {
    project.close();
  }
}

async function sessionRefs({ repo }: RuleProject): Promise<string[]> {
  const refs = await repo.storeRefs("--format=%(refname)", "refs/waymark/session");
  return refs
    .split("\n")
    .filter(Boolean)
    .map((ref) => ref.slice("refs/waymark/session/".length));
}

describe("the id of a session", () => {
  it("has its type, project and time in UTC, wherever the machine is", async () => {
    await withSeed(async (project) => {
      const abroad = { ...project.repo.env, TZ: "Asia/Tokyo" };
      const result = await waymark(project.repo.root, [...START], { env: abroad });
      const [, date = "", time = ""] =
        /^implement_auth_(\d{8})_(\d{6})$/.exec(text(result.json, "session", "id")) ?? [];
      const { created_at } = (await show(project)) as { created_at: string };
      const digits = created_at.replaceAll(/\D/g, "");
      expect(`${date}${time}`.slice(0, 10)).toBe(digits.slice(0, 10));
    });
  });
});

describe("the page of a session", () => {
  it("says when the rollback was that rolled past a checkpoint", async () => {
    await withSeed(async (project) => {
      await start(project);
      const first = await project.create();
      await project.repo.write("a.txt", "changed\n");
      const second = await project.create();
      await project.rollBack(first);
      const page = await runCommand(
        process.execPath,
        [bin, "-C", project.repo.root, "session", "show"],
        {
          env: cliEnvironment(project.repo.env),
        },
      );
      expect(page.stdout.toString()).toMatch(
        new RegExp(`${second} was rolled past by the rollback at \\d\\d:\\d\\d`),
      );
    });
  });
});

describe("session start", () => {
  it("makes it the current one: checkpoints are its own, and nothing else changes", async () => {
    await withDirty(async (project) => {
      const before = await project.repo.git("status", "--porcelain=v2");
      const id = await start(
        project,
        "--description",
        "log in",
        "--task",
        "task-12",
        "--issue",
        "42",
      );
      expect(id).toMatch(/^implement_auth_\d{8}_\d{6}$/);
      expect(await project.repo.git("status", "--porcelain=v2")).toBe(before);
      const { json } = await project.ok("create", "--force");
      expect(text(json, "checkpoint", "session_id")).toBe(id);
      expect(await show(project)).toMatchObject({
        id,
        current: true,
        status: "active",
        task_id: "task-12",
        issue_number: 42,
        checkpoint_count: 1,
        lease: { holder: null, alive: false },
        progress: { completed: 0, skipped: 0, total: 0, percent: 0 },
      });
    });
  });

  it("takes what looks like a secret out of texts, and refuses it as an id", async () => {
    await withSeed(async (project) => {
      await start(project, "--description", `with ${TOKEN}`);
      expect(JSON.stringify(await show(project))).not.toContain(TOKEN);
      expectExit(await project.run(...START, "--id", TOKEN), 2);
    });
  });

  it("makes a project of a plain folder", async () => {
    await withSeed(async ({ repo }) => {
      const folder = join(repo.base, "plain");
      await runCommand("mkdir", [folder], { env: repo.env });
      const args = [bin, "-C", folder, ...START, "--json"];
      const begun = await runCommand(process.execPath, args, { env: cliEnvironment(repo.env) });
      expect(begun.code).toBe(0);
      const shown = [bin, "-C", folder, "session", "show", "--json"];
      const { stdout } = await runCommand(process.execPath, shown, {
        env: cliEnvironment(repo.env),
      });
      expect(text(JSON.parse(stdout.toString("utf8")), "session", "workflow_type")).toBe(
        "implement",
      );
    });
  });
});

describe("a checkpoint of a session", () => {
  it("takes task, issue, phase, step and metrics from it unless it is told others", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const created = async (...args: readonly string[]): Promise<unknown> =>
        field((await project.ok("create", "--force", ...args)).json, "checkpoint");
      await start(project, "--task", "task-12", "--issue", "42");
      await project.ok("session", "save", "--phase", "requirements", "--step", "2");
      await save(project, "--metrics", { tests: 12 }, "--state-label", "state:ready");
      const place = { task_id: "task-12", issue_number: 42, workflow_state: "state:ready" };
      const taken = await created();
      expect(taken).toMatchObject({
        ...place,
        id: expect.stringMatching(/^cp-02-requirements-/),
        phase: "requirements",
        step: 2,
        metrics: { tests: 12 },
      });
      await repo.write("own.json", JSON.stringify({ tests: 13 }));
      expect(
        await created("--task", "task-1", "--phase", "implement", "--metrics", "own.json"),
      ).toMatchObject({
        ...place,
        task_id: "task-1",
        phase: "implement",
        step: 5,
        previous_phase: "requirements",
        metrics: { tests: 13 },
      });
      const ran = await project.ok(
        "phase",
        "architecture",
        "--step",
        "3",
        "--modifies",
        "--",
        "true",
      );
      const before = await project.ok("show", text(ran.json, "checkpoint_before"));
      expect(field(before.json, "checkpoint")).toMatchObject({
        ...place,
        phase: "architecture",
        step: 3,
        metrics: { tests: 12 },
      });
      const listed = await project.ok("list", "--task", "task-12");
      expect(items(listed.json, "checkpoints")).toHaveLength(3);
      await created();
      // What it takes from its session asks for none of its own.
      expect(field((await project.ok("create")).json, "unchanged")).toBe(true);
    });
  });

  it("takes them in hooks too, and a safety checkpoint takes none", async () => {
    await withSeed(async (project) => {
      await start(project, "--task", "task-12");
      await project.ok("session", "save", "--phase", "plan", "--step", "4");
      const id = await project.create();
      await project.repo.write("a.txt", "changed\n");
      const event = { hook_event_name: "UserPromptSubmit", session_id: "s", prompt: "go" };
      const input = JSON.stringify({ ...event, cwd: project.repo.root });
      const hooked = await runCommand(process.execPath, [bin, "hook", "claude"], {
        env: cliEnvironment(project.repo.env),
        input,
        cwd: project.repo.root,
      });
      expect(hooked.code).toBe(0);
      await project.rollBack(id);
      const { json } = await project.ok("list", "--all");
      const all = items(json, "checkpoints").map((each) => [
        text(each, "trigger"),
        field(each, "task_id"),
        field(each, "step"),
      ]);
      expect(all).toEqual([
        ["pre_rollback", null, null],
        [expect.stringMatching(/^(?:tool_use|auto)$/), "task-12", 4],
        ["manual", "task-12", 4],
      ]);
    });
  });
});

describe("session list", () => {
  it("shows the latest first, by type, project and status, and archived ones when asked", async () => {
    await withSeed(async (project) => {
      const ids = async (...args: readonly string[]): Promise<string[]> =>
        items((await project.ok("session", "list", ...args)).json, "sessions").map((each) =>
          text(each, "id"),
        );
      await start(project, "--id", "one");
      await project.ok("session", "start", "--type", "Test-All", "--project", "ui", "--id", "two");
      await start(project, "--id", "three");
      await project.ok("session", "fail");
      await start(project, "--id", "four");
      await project.ok("session", "abandon", "--yes");
      await project.ok("session", "save", "one", "--step", "1");
      // One that failed can be resumed; one that was given up cannot.
      expect((await ids()).toSorted()).toEqual(["one", "three", "two"]);
      expect(await ids("--workflow", "test-all")).toEqual(["two"]);
      expect(await ids("--project", "auth")).toEqual(["one", "three"]);
      expect(await ids("--status", "failed")).toEqual(["three"]);
      expect(await ids("--all", "--limit", "2")).toHaveLength(2);
      expect((await ids("--all")).toSorted()).toEqual(["four", "one", "three", "two"]);
    });
  });
});

describe("a work tree without a session", () => {
  it("has one of its own, which list and show tell of", async () => {
    await withSeed(async (project) => {
      expectExit(await project.run("session", "show"), 3);
      await project.create();
      const listed = await project.ok("session", "list");
      expect(items(listed.json, "sessions")).toMatchObject([
        { id: "worktree-main", implicit: true, current: true, checkpoint_count: 1 },
      ]);
      expect(await show(project)).toMatchObject({ id: "worktree-main", checkpoint_count: 1 });
      const refused = await project.run("session", "complete");
      expect(text(refused.json, "error", "message")).toContain("no session was started");
    });
  });

  it("lists sessions in the order of their work, whatever was cleaned up since", async () => {
    await withSeed(async (project) => {
      const ids = async (): Promise<string[]> =>
        items((await project.ok("session", "list")).json, "sessions").map((each) =>
          text(each, "id"),
        );
      await start(project, "--id", "older");
      await project.create("--trigger", "auto");
      await project.create();
      await start(project, "--id", "newer");
      await project.create();
      expect(await ids()).toEqual(["newer", "older"]);
      await project.ok("cleanup", "--keep", "1");
      await project.ok("pin", "session:older/latest");
      expect(await ids()).toEqual(["newer", "older"]);
    });
  });
});

describe("session show", () => {
  it("names the files that changed since its first checkpoint, staged or not", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await start(project);
      await project.create();
      await repo.write("new.txt", "new\n");
      await repo.write("staged.txt", "staged\n");
      await repo.git("add", "staged.txt");
      await repo.git("rm", "-q", "--cached", "a.txt");
      await repo.write("a.txt", "other\n");
      expect(field(await show(project), "files_modified")).toEqual([
        { path: "a.txt", status: "modified", staged: true },
        { path: "new.txt", status: "created", staged: false },
        { path: "staged.txt", status: "created", staged: true },
      ]);
      await project.ok("session", "complete");
      await repo.write("later.txt", "later\n");
      // What came after its end is not of it.
      expect(items(await show(project), "files_modified")).toHaveLength(3);
    });
  });

  it("names what a rollback left behind, and the rollback", async () => {
    await withDirty(async (project) => {
      await start(project);
      const first = await project.create("--phase", "plan", "--step", "1");
      await project.repo.write("a.txt", "later\n");
      const second = await project.create();
      await project.rollBack(first);
      const session = await show(project);
      const rollback = text(items(session, "rollback_history")[0], "id");
      expect(session).toMatchObject({
        status: "paused",
        current_checkpoint: first,
        invalidated_checkpoints: [{ id: second, invalidated_by: rollback }],
      });
    });
  });

  it("finds one by a part of its id, and says which there are when it does not", async () => {
    await withSeed(async (project) => {
      await start(project, "--id", "implement_auth_1");
      await start(project, "--id", "implement_auth_2");
      expect(field(await show(project, "auth_1"), "id")).toBe("implement_auth_1");
      const several = await project.run("session", "show", "auth");
      expectExit(several, 3);
      expect(items(several.json, "error", "details", "candidates")).toHaveLength(2);
      expectExit(await project.run("session", "show", "nothing"), 3);
    });
  });
});

describe("session save", () => {
  it("keeps what is given, and a rollback brings it back", async () => {
    await withDirty(async (project) => {
      await start(project);
      await save(project, "--state", { step: "one", unknown: { kept: true } }, "--phase", "plan");
      const id = await project.create();
      await save(project, "--state", { step: "two" }, "--phase", "implement", "--iteration", "2");
      expect(await show(project)).toMatchObject({
        state: { step: "two" },
        current_phase: "implement",
        iteration_count: 2,
        completed_phases: 1,
      });
      await project.rollBack(id);
      expect(await show(project)).toMatchObject({
        state: { step: "one", unknown: { kept: true } },
        current_phase: "plan",
        iteration_count: 0,
      });
    });
  });

  it("[R73] is one state with that of create: a rollback restores the one that was saved last", async () => {
    await withDirty(async (project) => {
      const saved = async (): Promise<unknown> => field(await show(project), "state");
      await start(project);
      await save(project, "--state", { step: 0, kept: true });
      await project.repo.write("given.json", JSON.stringify({ step: 1 }));
      const id = await project.create("--state", "given.json", "--state-key", "step");
      expect(await saved()).toEqual({ step: 1, kept: true });
      await save(project, "--state", { step: 2 });
      await project.rollBack(id);
      expect(await saved()).toEqual({ step: 1, kept: true });
      expect(field((await project.ok("diff", id, "--state")).json, "state")).toEqual([]);
      await project.ok("undo", "--yes");
      expect(await saved()).toEqual({ step: 2 });
    });
  });

  it("differs in nothing after a rollback, although that pauses the session", async () => {
    await withDirty(async (project) => {
      await start(project);
      const id = await project.create();
      await project.repo.write("a.txt", "later\n");
      await project.rollBack(id);
      const { json, stderr } = await project.ok("undo", "--dry-run");
      expect(stderr).not.toContain("since that rollback");
      expect(JSON.stringify(json)).not.toContain("workflow state");
      expect((await project.ok("rollback", id, "--yes")).json).toMatchObject({
        rolled_back: false,
        unchanged: true,
      });
    });
  });

  it("[R91] refuses a document with a secret, names the place, and keeps nothing of it", async () => {
    await withDirty(async (project) => {
      await start(project);
      const secret = { safe: 1, github: { auth: [TOKEN] } };
      for (const flag of ["--state", "--outputs", "--team", "--messages", "--knowledge"]) {
        const refused = await save(project, flag, secret, "--step", "3");
        expectExit(refused, 5);
        expect(text(refused.json, "error", "details", "place")).toMatch(/github\.auth\[0\]$/);
        expect(JSON.stringify(refused.json)).not.toContain(TOKEN);
      }
      expect(await show(project)).toMatchObject({ current_step: null, state: null });
      const redacted = await save(project, "--metrics", secret, "--step", "3");
      expect(field(redacted.json, "redacted")).toEqual(["metrics"]);
      const refs = await project.repo.store("rev-list", "--objects", "--glob=refs/waymark/*");
      for (const line of refs.split("\n").filter(Boolean)) {
        const [oid = ""] = line.split(" ");
        expect(await project.repo.store("cat-file", "-p", oid)).not.toContain(TOKEN);
      }
      // A checkpoint of the session can still be taken.
      await project.create();
    });
  });

  it("[R91] refuses what the name of its field makes a secret", async () => {
    await withDirty(async (project) => {
      await start(project);
      const refused = await save(project, "--state", { password: "hunter2hunter2" });
      expectExit(refused, 5);
      expect(text(refused.json, "error", "details", "place")).toBe("state.password");
      expect(await show(project)).toMatchObject({ state: null });
    });
  });

  it("[R91] keeps none in names of phases, types and projects, and can be ended", async () => {
    await withDirty(async (project) => {
      const named = await project.run("phase", TOKEN, "--", "true");
      expectExit(named, 2);
      expect(said(named)).not.toContain(TOKEN);
      const key = ["AKIA", "Q7W3E5R5T2Y6U4I2"].join("");
      await project.ok("session", "start", "--type", TOKEN, "--project", key);
      await project.ok("phase", "plan", "--", "true");
      await project.ok("session", "fail");
      const log = await project.repo.store(
        "log",
        "--all",
        "--format=%D %B",
        "--glob=refs/waymark/*",
      );
      for (const secret of [TOKEN, key]) {
        expect(log.toLowerCase()).not.toContain(secret.toLowerCase());
      }
    });
  });

  it("is not confused by garbage", async () => {
    await withDirty(async (project) => {
      await start(project);
      const { repo } = project;
      await repo.write("deep.json", `${"[".repeat(5000)}${"]".repeat(5000)}`);
      await repo.write("cut.json", '{"a": ');
      for (const file of ["deep.json", "cut.json", "nowhere.json", "."]) {
        expectExit(await project.run("session", "save", "--state", file), 2);
      }
      expectExit(await save(project, "--outputs", [1]), 2);
      expectExit(await save(project, "--messages", { pending: "M1" }), 2);
      expectExit(await project.run("session", "save", "--agent-output", "architect"), 2);
      expectExit(await project.run("session", "save", "--state", "-", "--outputs", "-"), 2);
      const polluted = await save(project, "--state", JSON.parse('{"__proto__": {"x": 1}}'));
      expectExit(polluted, 0);
      const large = { text: "x".repeat(17 * 1024 * 1024) };
      expectExit(await save(project, "--state", large), 1);
      expect(JSON.stringify(field(await show(project), "state"))).toBe('{"__proto__":{"x":1}}');
    });
  });

  it("loses nothing when several save at once", async () => {
    await withSeed(async (project) => {
      await start(project);
      const numbers = [1, 2, 3, 4, 5];
      await Promise.all(
        numbers.map(async (number) => {
          await project.repo.write(`m${number}.json`, JSON.stringify({ [`m${number}`]: number }));
          await project.ok("session", "save", "--metrics", `m${number}.json`, "--merge");
        }),
      );
      const metrics = field(await show(project), "metrics");
      expect(metrics).toEqual(Object.fromEntries(numbers.map((each) => [`m${each}`, each])));
    });
  });

  it("is for whoever runs it and those that they start, while somebody does", async () => {
    await withSeed(async (project) => {
      const id = await start(project);
      await holdSession(project.repo.root, id);
      const refused = await project.run("session", "save", "--step", "2");
      expectExit(refused, 6);
      const env = { ...cliEnvironment(project.repo.env), WAYMARK_SESSION: id };
      const args = [bin, "-C", project.repo.root, "session", "save", "--step", "2"];
      expect((await runCommand(process.execPath, args, { env })).code).toBe(0);
      expect(await show(project)).toMatchObject({ current_step: 2, lease: { alive: true } });
    });
  });
});

describe("the end of a session", () => {
  it("takes a checkpoint, releases it, and is in the journal", async () => {
    await withDirty(async (project) => {
      const id = await start(project);
      await save(project, "--state", { a: 1 }, "--phase", "plan");
      const { json } = await project.ok("session", "fail", "--error", `no ${TOKEN}`, "-m", "why");
      const checkpoint = text(json, "checkpoint_id");
      expect(await show(project)).toMatchObject({
        status: "failed",
        current_checkpoint: checkpoint,
        ended_at: expect.any(String) as string,
        archived_at: expect.any(String) as string,
        last_error: { phase: "plan", message: expect.stringContaining("redacted") as string },
        phases: [{ name: "plan", status: "failed" }],
        lease: { holder: null },
      });
      const log = items((await project.ok("log", "--session", id)).json, "entries");
      const deeds = log.filter((entry) => field(entry, "kind") === "session");
      expect(deeds.map((entry) => field(entry, "details", "became") ?? "saved")).toEqual([
        "failed",
        "saved",
        "active",
      ]);
    });
  });

  it("keeps milestones after success, and says what went", async () => {
    await withDirty(async (project) => {
      await start(project);
      const milestone = await project.create("--trigger", "pre_phase", "--phase", "plan");
      const batch = await project.create("--trigger", "batch_complete", "--phase", "plan");
      const { json } = await project.ok("session", "complete");
      expect(field(json, "removed_checkpoints")).toEqual([batch]);
      const left = items((await project.ok("list")).json, "checkpoints").map((each) =>
        field(each, "id"),
      );
      expect(left).toEqual([field(json, "checkpoint_id"), milestone]);
      await project.ok("delete", "--undo", batch);
    });
  });

  it("cleans up nothing where that is left to people", async () => {
    await withDirty(async (project) => {
      await project.repo.write("waymark.yml", "retention: {auto_cleanup: false}\n");
      await start(project);
      await project.create("--trigger", "batch_complete");
      const { json } = await project.ok("session", "complete");
      expect(field(json, "removed_checkpoints")).toEqual([]);
    });
  });

  it("does not come when its checkpoint fails, unless nobody wants one", async () => {
    await withDirty(async (project) => {
      await start(project);
      await project.agreeTo("capture: {max_files: 1}\n");
      const refused = await project.run("session", "complete");
      expect(refused.code).not.toBe(0);
      expect(text(refused.json, "error", "hint")).toContain("--no-checkpoint");
      expect(await show(project)).toMatchObject({ status: "active", lease: { holder: null } });
      await project.ok("session", "complete", "--no-checkpoint");
      expect(await show(project)).toMatchObject({ status: "completed" });
    });
  });

  it("does not come under whoever runs it: pause is a request, the others are refused", async () => {
    await withSeed(async (project) => {
      const id = await start(project);
      await holdSession(project.repo.root, id);
      for (const action of ["complete", "fail", "abandon"]) {
        const yes = action === "abandon" ? ["--yes"] : [];
        const refused = await project.run("session", action, ...yes);
        expectExit(refused, 6);
        expect(text(refused.json, "error", "code")).toBe("session_held");
      }
      const { json } = await project.ok("session", "pause");
      await project.ok("session", "pause");
      expect(json).toMatchObject({ requested: true, changed: false });
      expect(await show(project)).toMatchObject({
        status: "active",
        requests: [{ command: "*pause" }],
      });
    });
  });

  it("has its last checkpoint taken in its own work tree, and nowhere else", async () => {
    await withSeed(async (project) => {
      await project.repo.git("worktree", "add", "-q", "../linked");
      const id = await start(project.at("linked"));
      const refused = await project.run("session", "complete", id);
      expectExit(refused, 2);
      expect(text(refused.json, "error", "hint")).toContain("--no-checkpoint");
      expectExit(await project.run("session", "save", id, "--step", "1", "--checkpoint"), 2);
      expect(await show(project, id)).toMatchObject({ status: "active", current_step: null });
      await project.ok("session", "complete", id, "--no-checkpoint");
    });
  });

  it("takes the place of an owner that is gone; doctor names such sessions", async () => {
    await withSeed(async (project) => {
      const id = await start(project);
      await loseOwner(project.repo.root, id);
      const doctor = await project.run("doctor");
      expect(doctor.stdout.toString("utf8")).toContain(`waymark resume ${id}`);
      await project.ok("session", "pause");
      expect(await show(project)).toMatchObject({ status: "paused", lease: { holder: null } });
      await project.ok("session", "abandon", "--yes");
      expectExit(await project.run("session", "pause"), 4);
    });
  });
});

describe("session delete", () => {
  it("removes the session and its checkpoints after a question; they can be restored for a while", async () => {
    await withSeed(async (project) => {
      const id = await start(project, "--id", "one");
      const checkpoint = await project.create();
      expectExit(await project.run("session", "delete", id), 5);
      const { json } = await project.ok("session", "delete", id, "--yes", "-m", "not needed");
      expect(json).toMatchObject({
        action: "delete",
        removed_checkpoints: [checkpoint],
        session: { id, current: false },
      });
      expectExit(await project.run("show", checkpoint), 3);
      const listed = await project.ok("session", "list");
      expect(items(listed.json, "sessions")).toEqual([]);
      expect(JSON.stringify((await project.ok("log", "--all")).json)).toContain("not needed");
      // In the trash it is no session any more.
      const all = await project.ok("session", "list", "--all");
      expect(JSON.stringify(items(all.json, "sessions"))).not.toContain(id);
      for (const words of [
        ["show", id],
        ["delete", id, "--yes"],
      ]) {
        const gone = await project.run("session", ...words);
        expectExit(gone, 3);
        expect(text(gone.json, "error", "message")).toContain(`session ${id} was deleted`);
        expect(text(gone.json, "error", "hint")).toContain("waymark delete --undo");
      }
      // Nor does it leave the machine.
      await project.create();
      expect(items((await project.ok("export")).json, "sessions")).not.toContain(id);
      // With a checkpoint that was restored it can go on.
      await project.ok("delete", "--undo", checkpoint);
      await project.repo.write("a.txt", "changed\n");
      await project.ok("--session", id, "rollback", checkpoint, "--yes");
      expect(await show(project, id)).toMatchObject({ status: "paused", archived_at: null });
      await project.ok("session", "delete", id, "--yes", "--force");
      await project.ok("cleanup", "--all", "--now", "--yes");
      expect(await sessionRefs(project)).not.toContain(id);
    });
  });

  it("refuses the work tree's own session, and asks about no checkpoints where there are none", async () => {
    await withSeed(async (project) => {
      await project.create();
      const own = await project.run("session", "delete", "worktree-main", "--yes");
      expectExit(own, 3);
      expect(text(own.json, "error", "message")).toContain("cannot be saved to, ended or deleted");
      const id = await start(project, "--id", "one");
      const { json } = await project.ok("session", "delete", id, "--yes");
      expect(field(json, "removed_checkpoints")).toEqual([]);
    });
  });

  it("removes all of it at once with --now, and refuses what runs and what is pinned", async () => {
    await withSeed(async (project) => {
      const id = await start(project, "--id", "one");
      const pinned = await project.create("--pin");
      const refused = await project.run("session", "delete", id, "--yes");
      expectExit(refused, 5);
      expect(text(refused.json, "error", "hint")).toContain(`waymark unpin ${pinned}`);
      await project.ok("unpin", pinned);
      await project.ok("session", "complete", "--no-checkpoint");
      await project.ok("session", "delete", id, "--now", "--yes");
      expect(await sessionRefs(project)).not.toContain(id);
      expect(await project.repo.storeRefs("refs/waymark/trash")).toBe("");
      expectExit(await project.run("session", "show", id), 3);
    });
  });
});

describe("a session command that cannot be undone", () => {
  it.each(["delete", "abandon", "complete", "fail"])(
    "%s takes no part of an id, and names the sessions that have it",
    async (command) => {
      await withSeed(async (project) => {
        const id = await start(project, "--id", "auth2");
        await project.create();
        const yes = ["delete", "abandon"].includes(command) ? ["--yes"] : [];
        const refused = await project.run("session", command, "auth", ...yes);
        expectExit(refused, 3);
        expect(field(refused.json, "error", "details", "candidates")).toEqual([id]);
        expect(await show(project, id)).toMatchObject({ status: "active", checkpoint_count: 1 });
      });
    },
  );
});

describe("the checkpoints of a session that is deleted", () => {
  it("stay without --force while undo needs them", async () => {
    await withSeed(async (project) => {
      const id = await start(project, "--id", "one");
      const target = await project.create();
      await project.repo.write("work.txt", "work\n");
      const safety = text((await project.rollBack(target)).json, "undo_checkpoint_id");
      const refused = await project.run("session", "delete", id, "--yes");
      expectExit(refused, 5);
      const named = items(refused.json, "error", "details", "checkpoints");
      expect(new Set(named)).toEqual(new Set([safety, target]));
      await project.ok("undo", "--yes");
      const restored = await project.repo.read("work.txt");
      expect(restored.toString()).toBe("work\n");
      await project.ok("session", "delete", id, "--yes", "--force");
    });
  });

  it("stay when they alone hold commits, and no cleanup takes them out of the trash", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const id = await start(project, "--id", "one");
      const target = await project.create();
      const commit = await repo.commit("dropped");
      const rolledBack = await project.ok("rollback", target, "--yes", "--discard-commits");
      const safety = text(rolledBack.json, "undo_checkpoint_id");
      await repo.git("reflog", "expire", "--expire=now", "--all");
      const flags = ["--yes", "--now", "--force"];
      const { json } = await project.ok("session", "delete", id, ...flags);
      expect(field(json, "removed_checkpoints")).toEqual([target]);
      expect(field(json, "warnings")).toContainEqual(
        expect.stringContaining(`${safety} is kept, as it is the only reference to some commits`),
      );
      expect(await sessionRefs(project)).toContain(id);
      await project.ok("delete", safety, "--yes", "--force");
      await project.ok("cleanup", "--all", "--now", "--yes");
      await repo.git("gc", "-q", "--prune=now");
      expect((await repo.store("cat-file", "-t", commit)).trim()).toBe("commit");
      const [left] = items((await project.ok("delete", "--undo")).json, "restorable");
      expect(left).toMatchObject({ id: safety, until: null });
      // By its name it goes, also out of the trash.
      await project.ok("delete", safety, ...flags);
      expect(await repo.storeRefs("refs/waymark/trash")).toBe("");
    });
  });
});

describe("session delete --now", () => {
  it("removes what was in the trash already, and without --now that keeps the session", async () => {
    await withSeed(async (project) => {
      const kept = await start(project, "--id", "kept");
      const first = await project.create();
      await project.ok("delete", first, "--yes");
      await project.ok("session", "delete", kept, "--yes");
      const [listed] = items((await project.ok("delete", "--undo")).json, "restorable");
      expect(listed).toMatchObject({ id: first, why: "deleted explicitly" });
      const { json } = await project.ok("session", "delete", kept, "--yes", "--now");
      expect(field(json, "removed_checkpoints")).toEqual([first]);
      expect(items((await project.ok("delete", "--undo")).json, "restorable")).toEqual([]);
      expect(await sessionRefs(project)).not.toContain(kept);
    });
  });

  it("[R49] is finished when Ctrl+C ends git in the middle of it", async () => {
    await withSeed(async (project) => {
      const id = await start(project, "--id", "one");
      const checkpoint = await project.create();
      let isHeld = false;
      const interruption: Interruption = {
        isAsked: true,
        holdOff: async (work) => {
          isHeld = true;
          return await work();
        },
        handOver: (_onWish, work) => work(),
      };
      const opened = await openGitProject({ directory: project.repo.root, interruption });
      try {
        const plan = await planSessionDeletion(opened, id, { force: false, now: true });
        expect(isHeld).toBe(false);
        vi.spyOn(opened.checkpoints, "remove").mockImplementationOnce(() => {
          expect(isHeld).toBe(true);
          throw new Failure("git_failed", "git was ended by SIGINT", { hint: "" });
        });
        const request = { reason: null, now: true };
        expect(await deleteSession(opened, plan, request)).toMatchObject({
          deleted: [checkpoint],
          goneForGood: [checkpoint],
          isGone: true,
        });
      } finally {
        opened.close();
      }
      expect(await sessionRefs(project)).not.toContain(id);
      expect(await project.repo.storeRefs("refs/waymark/cp")).toBe("");
    });
  });
});

describe("a session that a process on another machine runs", () => {
  it("is ended only with the token that the refusal shows", async () => {
    await withSeed(async (project) => {
      const id = await start(project);
      await holdElsewhere(project.repo.root, id);
      const refused = await project.run("session", "fail");
      expectExit(refused, 6);
      expect(await show(project)).toMatchObject({ lease: { alive: null } });
      const token = String(field(refused.json, "error", "details", "lease", "token"));
      expect(text(refused.json, "error", "hint")).toContain(
        `\`waymark resume ${id} --take-over ${token}\``,
      );
      expectExit(await project.run("session", "fail", "--take-over", "99"), 6);
      await project.ok("session", "fail", "--take-over", token);
      expect(await show(project)).toMatchObject({ status: "failed", lease: { holder: null } });
    });
  });
});

describe("help", () => {
  it.each([
    [["help", "session", "start"], "--type <type>"],
    [["session", "start", "--help"], "--type <type>"],
    [["session", "help", "start"], "--type <type>"],
    [["help", "session"], "abandon [options] [session]"],
    [["session", "help"], "abandon [options] [session]"],
  ])("%j shows it", async (words, shown) => {
    const result = await runCommand(process.execPath, [bin, ...words], { env: process.env });
    expect(result.code).toBe(0);
    expect(result.stdout.toString("utf8")).toContain(shown);
  });
});

describe("cleanup of sessions", () => {
  it("takes a failed one when its time is over: its checkpoints, then itself", async () => {
    await withSeed(async (project) => {
      const id = await endedBefore(project, 31, "failed");
      const first = await project.ok("cleanup");
      expect(items(first.json, "removed")).toHaveLength(2);
      expect(items(first.json, "sessions")).toEqual([]);
      const dry = await project.ok("cleanup", "--now", "--dry-run");
      expect(items(dry.json, "purged")).toHaveLength(2);
      expect(items(dry.json, "sessions")).toMatchObject([{ id }]);
      expect(await sessionRefs(project)).toContain(id);
      const done = await project.ok("cleanup", "--now", "--yes");
      expect(items(done.json, "sessions")).toMatchObject([{ id }]);
      expect(await sessionRefs(project)).not.toContain(id);
      // The journal has what plain git needs to bring it back.
      const log = await project.ok("log", "--all");
      const [, version = ""] = /"version":"([0-9a-f]{40})"/.exec(JSON.stringify(log.json)) ?? [];
      await project.repo.store("update-ref", `refs/waymark/session/${id}`, version);
      expect(await show(project, id)).toMatchObject({ id, status: "failed" });
    });
  });

  it("leaves the one that a work tree is in, and one that is younger", async () => {
    await withSeed(async (project) => {
      const young = await endedBefore(project, 29, "failed");
      const current = await endedBefore(project, 99, "failed");
      const opened = await openGitProject({ directory: project.repo.root });
      opened.currentSession.set(current);
      opened.close();
      const { json } = await project.ok("cleanup", "--now", "--yes");
      expect(items(json, "removed")).toEqual([]);
      expect(await sessionRefs(project)).toEqual(expect.arrayContaining([young, current]));
    });
  });
});
