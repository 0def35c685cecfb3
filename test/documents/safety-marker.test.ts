/** A safety marker before a mutation: both examples as they are written, with our command, and the rules about it. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type RuleProject, withSeed } from "../spec/project.ts";
import { cliEnvironment, expectExit, waymarkShellCommand } from "../support/cli.ts";
import { hasProgram } from "../support/find-program.ts";
import { field, items, text } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";

/** In a shell that has `waymark`, as the command is printed. */
async function inShell({ repo }: RuleProject, command: string): Promise<number | null> {
  const line = command.replace(/^waymark/, waymarkShellCommand());
  const options = { cwd: repo.root, env: cliEnvironment(repo.env) };
  return (await runCommand("sh", ["-c", line], options)).code;
}

function expectContract(created: unknown, reason: string): void {
  const id = text(created, "checkpoint", "id");
  expect(created).toMatchObject({
    checkpoint_created: true,
    checkpoint: {
      reason,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      restore_command: expect.stringContaining(`waymark rollback ${id}`),
      scope: { files: expect.any(Array), state_keys: [] },
    },
    pre_mutation_state: {
      hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      summary: expect.stringContaining("file"),
    },
    assumptions: expect.any(Array),
  });
  expect(items(created, "next_safe_actions").length).toBeGreaterThan(0);
  expect(items(created, "evidence_anchors").join()).toContain(id);
  const confidence = field(created, "confidence");
  expect(confidence).toBeGreaterThan(0);
  expect(confidence).toBeLessThanOrEqual(1);
}

describe("example 1: files that git knows", () => {
  it("are in the checkpoint of their scope, and the restore command brings them back as it is printed", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      const files = [
        "src/api/handlers/user.py",
        "src/api/handlers/auth.py",
        "tests/test_handlers.py",
      ];
      for (const file of files) await repo.write(file, "committed\n");
      await repo.git("add", "-A");
      await repo.commit("handlers");
      await repo.write("src/api/handlers/user.py", "not committed\n");
      const { json } = await project.ok(
        "create",
        "--scope",
        "src/api/handlers/*.py",
        "--scope",
        "tests/test_handlers.py",
        "-m",
        "Before refactoring API handlers",
        "--type",
        "git_stash",
      );
      expectContract(json, "Before refactoring API handlers");
      expect(json).toMatchObject({ checkpoint: { type: "git_stash", expiry: null } });
      expect(new Set(items(json, "checkpoint", "scope", "files"))).toEqual(new Set(files));
      const scope = field(json, "checkpoint", "scope");
      expect(scope).toMatchObject({
        patterns: ["src/api/handlers/*.py", "tests/test_handlers.py"],
        state_keys: [],
      });
      const id = text(json, "checkpoint", "id");
      expect(field((await project.ok("show", id)).json, "checkpoint", "scope")).toEqual(scope);
      const [listed] = items((await project.ok("list")).json, "checkpoints");
      const { patterns, state_keys } = scope as Record<string, unknown>;
      expect(field(listed, "scope")).toEqual({ patterns, state_keys });
      for (const file of files) await repo.write(file, "refactored\n");
      await repo.write("a.txt", "out of the scope\n");
      expect(await inShell(project, text(json, "checkpoint", "restore_command"))).toBe(0);
      expect(String(await repo.read("src/api/handlers/user.py"))).toBe("not committed\n");
      expect(String(await repo.read("tests/test_handlers.py"))).toBe("committed\n");
      expect(String(await repo.read("a.txt"))).toBe("out of the scope\n");
    });
  });
});

describe("example 2: one file of settings", () => {
  const file = "config/production.yaml";

  it.each([
    ["that git ignores", (project: RuleProject) => project.repo.write(".gitignore", `${file}\n`)],
    ["that git knows", (project: RuleProject) => project.repo.git("add", file)],
    ["in a folder without git", undefined],
  ])(
    "is copied, expires after a day, and the restore command brings it back as it is printed: %s",
    async (_where, prepare) => {
      await withSeed(async (seeded) => {
        const project = prepare === undefined ? seeded.at("plain") : seeded;
        await seeded.repo.write(prepare === undefined ? `../plain/${file}` : file, "old: 1\n");
        await prepare?.(project);
        const { json } = await project.ok(
          "create",
          "--scope",
          file,
          "-m",
          "Before config migration",
          "--type",
          "file_backup",
          "--expires",
          "24h",
        );
        expectContract(json, "Before config migration");
        expect(items(json, "checkpoint", "scope", "files")).toEqual([file]);
        const [expiry, created] = ["expiry", "created_at"].map((name) =>
          Date.parse(text(json, "checkpoint", name)),
        );
        expect((expiry ?? 0) - (created ?? 0)).toBeCloseTo(24 * 3_600_000, -5);
        expect(field(json, "checkpoint", "type")).toBe("file_backup");
        await project.repo.write(file, "new: 2\n");
        expect(await inShell(project, text(json, "checkpoint", "restore_command"))).toBe(0);
        expect(String(await project.repo.read(file))).toBe("old: 1\n");
      });
    },
  );
});

interface Type {
  readonly type: string;
  readonly file: string;
  readonly flags: (path: string) => readonly string[];
  readonly content: readonly [before: string, after: string, restored?: string];
}

const TYPES: readonly Type[] = [
  { type: "git_stash", file: "code.txt", flags: () => [], content: ["old", "new"] },
  {
    type: "file_backup",
    file: "code.txt",
    flags: (path) => ["--scope", path],
    content: ["old", "new"],
  },
  {
    type: "state_snapshot",
    file: "state.json",
    flags: (path) => ["--state", path, "--state-key", "phase"],
    content: [
      '{"phase": "plan", "n": 1}',
      '{"phase": "build", "n": 2}',
      '{"phase": "plan", "n": 2}',
    ],
  },
];

async function sql({ repo }: RuleProject, statement: string): Promise<string> {
  return String((await runCommand("sqlite3", [join(repo.root, "app.db"), statement], repo)).stdout);
}

/** After a commit, and in a folder without git. */
async function inBoth(body: (project: RuleProject, later: () => Promise<void>) => Promise<void>) {
  await withSeed(async (project) => {
    // Of a file that git ignores, the rollback changes the captured keys only.
    for (const place of ["", "../plain/"])
      await project.repo.write(`${place}.gitignore`, "state.json\n");
    await body(project, async () => {
      await project.repo.git("add", "-A");
      await project.repo.commit("later");
    });
    await body(project.at("plain"), () => Promise.resolve());
  });
}

async function makeTyped(project: RuleProject, type: string, ...flags: readonly string[]) {
  const { json } = await project.ok("create", "--type", type, ...flags);
  const id = text(json, "checkpoint", "id");
  const command = text(json, "checkpoint", "restore_command");
  expect(command).toBe(`waymark rollback ${id} --yes --discard-commits`);
  expect(field(json, "checkpoint", "type")).toBe(type);
  return { json, command };
}

describe("the exact restore command works after a commit and in a folder without git", () => {
  it.each(TYPES)("for a $type", async ({ type, file, flags, content }) => {
    const [before, after, restored = before] = content;
    await inBoth(async (project, later) => {
      await project.repo.write(file, before);
      const { json, command } = await makeTyped(
        project,
        type,
        ...flags(join(project.repo.root, file)),
      );
      const keys = type === "state_snapshot" ? ["phase"] : [];
      expect(field(json, "checkpoint", "scope", "state_keys")).toEqual(keys);
      await project.repo.write(file, after);
      await later();
      expect(await inShell(project, command)).toBe(0);
      expect(String(await project.repo.read(file))).toBe(restored);
    });
  });

  it.skipIf(!hasProgram("sqlite3"))("for a database_savepoint", async () => {
    await inBoth(async (project, later) => {
      await sql(project, "create table t (a); insert into t values (1);");
      const database = `sqlite:${join(project.repo.root, "app.db")}`;
      const { command } = await makeTyped(project, "database_savepoint", "--database", database);
      await sql(project, "insert into t values (2);");
      await later();
      expect(await inShell(project, command)).toBe(0);
      expect(await sql(project, "select a from t;")).toBe("1\n");
    });
  });
});

describe("the rules about it", () => {
  it("is whole right after it was made, and stays until it is deleted by hand", async () => {
    await withSeed(async (project) => {
      const id = await project.create("-m", "before the mutation");
      expect(field((await project.ok("validate", id)).json, "valid")).toBe(1);
      expectExit(await project.run("delete", id), 5);
      await project.ok("delete", id, "--yes");
    });
  });

  it("leaves secrets out and says so, and keeps the reason for the audit", async () => {
    await withSeed(async (project) => {
      await project.repo.write(".env", "PASSWORD=hunter2-hunter2-hunter2\n");
      const { json } = await project.ok("create", "--force", "-m", "before the mutation");
      const excluded = items(json, "checkpoint", "coverage", "excluded");
      expect(excluded.map((each) => text(each, "path"))).toContain(".env");
      const log = await project.ok("log");
      expect(JSON.stringify(log.json)).toContain("before the mutation");
    });
  });

  it("is refused where the scope matches nothing, or the type is not what would be captured", async () => {
    await withSeed(async (project) => {
      expectExit(await project.run("create", "--scope", "src/**/*.nothing"), 2);
      for (const type of ["file_backup", "state_snapshot", "database_savepoint"]) {
        expectExit(await project.run("create", "--type", type), 2);
      }
      expect(await project.repo.storeRefs("refs/waymark/cp")).toBe("");
    });
  });

  it("comes before the act, and a rollback without a valid reference is refused", async () => {
    await withSeed(async (project) => {
      expectExit(await project.run("rollback", "cp-00-none", "--yes"), 3);
      const guard = await project.run(
        "guard",
        "--verify",
        "test -e good.txt",
        "--",
        "sh",
        "-c",
        "echo bad > a.txt",
      );
      expectExit(guard, 7);
      expect(guard.json).toMatchObject({ passed: false, rolled_back: true });
      expect(String(await project.repo.read("a.txt"))).not.toBe("bad\n");
    });
  });
});
