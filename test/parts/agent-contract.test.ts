// What agents are promised: fields, hashes that anybody can compute, commands that work as they are printed.
import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bin, shellQuote } from "../support/cli.ts";
import { hasProgram } from "../support/find-program.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { runCommand } from "../support/run-command.ts";
import { type TempRepository, withTempProject } from "../support/temp-repository.ts";
import { RuleProject, withDirty } from "../spec/project.ts";

interface Created {
  readonly checkpoint: {
    readonly id: string;
    readonly type: string;
    readonly scope: { readonly files: string[]; readonly state_keys: string[] };
    readonly restore_command: string;
    readonly expiry: string | null;
    readonly created_at: string;
  };
  readonly pre_mutation_state: { readonly hash: string; readonly summary: string };
  readonly restore: {
    readonly command: string;
    readonly order: string[];
    readonly prerequisites: string[];
  };
  readonly next_safe_actions: string[];
  readonly confidence: number;
  readonly evidence_anchors: string[];
  readonly assumptions: string[];
}

async function created(project: RuleProject, ...args: string[]): Promise<Created> {
  return (await project.ok("create", "--force", ...args)).json as Created;
}

/** A shell as a person opens it: nothing but `waymark` on the PATH beside what the system has. */
async function inShell({ repo }: RuleProject, command: string): Promise<string> {
  await provideWaymark(repo);
  const env = { ...repo.env, PATH: `${join(repo.base, "bin")}:${process.env["PATH"] ?? ""}` };
  const result = await runCommand("sh", ["-c", command], { cwd: repo.root, env });
  if (result.code !== 0) throw new Error(`${command}: ${result.stderr}`);
  return result.stdout.toString("utf8");
}

async function provideWaymark(repo: TempRepository): Promise<void> {
  const program = join(repo.base, "bin", "waymark");
  await mkdir(join(repo.base, "bin"), { recursive: true });
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`);
  await chmod(program, 0o755);
}

interface Way {
  readonly name: string;
  readonly make: (project: RuleProject) => Promise<Created>;
  /** What happens after the checkpoint. */
  readonly spoil: (project: RuleProject) => Promise<void>;
  /** Everything that it covers, as it is. */
  readonly look: (project: RuleProject) => Promise<unknown>;
  readonly type: string;
  readonly order: readonly string[];
  readonly files: readonly string[];
}

async function sql({ repo }: RuleProject, text: string): Promise<string> {
  const result = await runCommand("sqlite3", ["app.db", text], { cwd: repo.root, env: repo.env });
  return result.stdout.toString("utf8");
}

const changeAndStage = async ({ repo }: RuleProject): Promise<void> => {
  await repo.write("new-file", "made later\n");
  await repo.write("flow.json", '{"step": 2}\n');
  await repo.git("add", "-A");
};

const wholeProject = async ({ repo }: RuleProject): Promise<unknown> => {
  const { paths, git } = await takeFingerprint(repo);
  const entries = [...paths].filter(([name]) => !name.startsWith("app.db"));
  const found = entries.map(([name, { type, mode, content }]) => [name, type, mode, content]);
  return [found, git?.status];
};

const USUAL = {
  spoil: changeAndStage,
  look: wholeProject,
  type: "git_stash",
  order: ["git_stash"],
  files: ["."],
} as const;

const WAYS: readonly Way[] = [
  { ...USUAL, name: "the work tree", make: (project) => created(project, "-m", "before") },
  {
    ...USUAL,
    name: "the work tree and a state",
    order: ["git_stash", "state_snapshot"],
    make: async (project) => {
      await project.repo.write("flow.json", '{"step": 1}\n');
      return created(project, "--state", join(project.repo.root, "flow.json"));
    },
  },
  {
    name: "a tracked file, as a file backup that expires",
    type: "file_backup",
    order: ["git_stash"],
    files: ["b.txt"],
    make: (project) => {
      const file = join(project.repo.root, "b.txt");
      return created(project, "--type", "file_backup", "--expires", "24h", "--scope", file);
    },
    spoil: ({ repo }) => repo.write("b.txt", "migrated\n"),
    look: ({ repo }) => repo.read("b.txt"),
  },
  { ...USUAL, name: "one that expires", make: (project) => created(project, "--expires", "24h") },
  {
    name: "an ignored file and a file outside",
    type: "file_backup",
    order: ["git_stash", "file_backup"],
    files: ["made/x.log"],
    make: async (project) => {
      const { repo } = project;
      await repo.write("made/x.log", "log\n", 0o600);
      await writeFile(join(repo.base, "beside.txt"), "beside\n");
      const outside = join(repo.base, "beside.txt");
      return created(
        project,
        "--type",
        "file_backup",
        "--scope",
        join(repo.root, "made/*.log"),
        outside,
      );
    },
    spoil: async ({ repo }) => {
      await repo.write("made/x.log", "other\n");
      await repo.write("made/later.log", "later\n");
      await rm(join(repo.base, "beside.txt"));
    },
    look: async ({ repo }) => [
      await readdir(repo.path("made")),
      (await repo.read("made/x.log")).toString("utf8"),
      await readFile(join(repo.base, "beside.txt"), "utf8").catch(() => null),
    ],
  },
  ...(hasProgram("sqlite3")
    ? [
        {
          ...USUAL,
          name: "the work tree and a database",
          order: ["git_stash", "database_savepoint"],
          make: async (project: RuleProject) => {
            await sql(project, "create table t (a); insert into t values (1);");
            return created(project, "--database", `sqlite:${project.repo.root}/app.db`);
          },
          spoil: async (project: RuleProject) => {
            await changeAndStage(project);
            await sql(project, "insert into t values (2); create table u (b);");
          },
          look: async (project: RuleProject) => [
            await wholeProject(project),
            await sql(project, "select name from sqlite_master; select a from t;"),
          ],
        },
      ]
    : []),
];

if (!hasProgram("sqlite3")) console.warn("agent contract: sqlite3 is missing, its case is skipped");

describe.each(WAYS)("a checkpoint of $name", (way) => {
  it("[R70] has a hash that git and sha256sum compute", () =>
    withDirty(async (project) => {
      const { checkpoint, pre_mutation_state } = await way.make(project);
      const names =
        "conflicts database files index outputs.json outputs.source state.json state.source worktree";
      const said = await inShell(
        project,
        `git --git-dir=${shellQuote(project.repo.storeDir)} ls-tree refs/waymark/cp/${checkpoint.id} -- ${names} | sha256sum`,
      );
      expect(`sha256:${said.split(" ", 1)[0]}`).toBe(pre_mutation_state.hash);
    }));

  it("[R71] has a restore command that works as it is printed, in a fresh shell", () =>
    withDirty(async (project) => {
      const { checkpoint, restore } = await way.make(project);
      const before = await way.look(project);
      await way.spoil(project);
      expect(await way.look(project)).not.toEqual(before);
      // Later commits are kept in the safety checkpoint, and do not stop it.
      await project.repo.git("commit", "-q", "--allow-empty", "-am", "later");
      expect(restore.prerequisites.join()).toMatch(
        way.files[0] === "." ? /commits made after/ : /^(?!.*commits made after)/,
      );
      expect(restore.command).toBe(checkpoint.restore_command);
      await inShell(project, checkpoint.restore_command);
      expect(await way.look(project)).toEqual(before);
    }));

  it("says what it is, what proves it and what it rests on", () =>
    withDirty(async (project) => {
      const { checkpoint, ...rest } = await way.make(project);
      expect(checkpoint.type).toBe(way.type);
      expect(checkpoint.scope.files).toEqual(expect.arrayContaining([...way.files]));
      expect(rest.restore.order).toEqual(way.order);
      // The work tree and, after it, each part.
      expect(rest.pre_mutation_state.summary.split("; ")).toHaveLength(way.order.length);
      expect(rest.pre_mutation_state.summary).toMatch(/\d+ files?/);
      expect(rest.next_safe_actions.length).toBeGreaterThan(0);
      expect(rest.assumptions.length).toBeGreaterThan(0);
      expect(rest.confidence).toBeGreaterThan(0.5);
      expect(rest.confidence).toBeLessThanOrEqual(1);
      const anchors = rest.evidence_anchors;
      expect(anchors).toContain(`checkpoint:${checkpoint.id}`);
      for (const anchor of anchors) {
        if (anchor.startsWith("tool:bash:")) await inShell(project, anchor.slice(10));
        if (anchor.startsWith("file:")) await project.repo.read(anchor.slice(5));
      }
    }));
});

describe("what agents are told", () => {
  it("is less sure about a checkpoint that leaves something out", () =>
    withDirty(async (project) => {
      const sure = await created(project);
      await project.repo.fifo("pipe");
      const lessSure = await created(project);
      const notSynced = await created(project, "--durability", "fast");
      expect(sure.confidence).toBe(1);
      expect(lessSure.confidence).toBe(0.9);
      expect(notSynced.confidence).toBe(0.85);
    }));

  it("is everything about a rollback", () =>
    withDirty(async (project) => {
      const { checkpoint, pre_mutation_state } = await created(project);
      await project.repo.write("later", "x\n");
      const { json } = await project.ok("rollback", checkpoint.id, "--yes");
      expect(json).toMatchObject({
        rolled_back: true,
        restored_to: checkpoint.id,
        changes_reverted: [{ file: "later", operation: "removed" }],
        verification: {
          match: true,
          checkpoint_hash: pre_mutation_state.hash,
          post_state_hash: pre_mutation_state.hash,
        },
        confidence: 1,
      });
      const document = json as Created & { undo_checkpoint_id: string; next_actions: string[] };
      expect(document.evidence_anchors).toContain(`checkpoint:${checkpoint.id}`);
      expect(document.evidence_anchors).toContain(`checkpoint:${document.undo_checkpoint_id}`);
      expect(document.next_actions.length).toBeGreaterThan(0);
      expect(document.assumptions.length).toBeGreaterThan(0);
    }));

  it("is the command that really takes it back, after an undo too", () =>
    withDirty(async (project) => {
      const { checkpoint } = await created(project);
      await project.repo.write("later", "x\n");
      await project.ok("rollback", checkpoint.id, "--yes");
      const undone = (await project.ok("undo", "--yes")).json as { next_actions: string[] };
      expect(undone).toMatchObject({ undo_command: "waymark redo" });
      const [back = ""] = undone.next_actions.filter((action) => action.startsWith("undo: "));
      await inShell(project, back.slice("undo: ".length));
      await expect(project.repo.read("later")).rejects.toThrow("ENOENT");
    }));

  it("holds in a plain folder too: hashes, commands and the way back", () =>
    withTempProject(async (folder) => {
      const project = new RuleProject(folder);
      await folder.write("notes.txt", "one\n");
      const { checkpoint, pre_mutation_state, evidence_anchors } = await created(project);
      const [, , hash = ""] = evidence_anchors;
      const said = await inShell(project, hash.slice("tool:bash:".length));
      expect(`sha256:${said.split(" ", 1)[0]}`).toBe(pre_mutation_state.hash);
      await folder.write("notes.txt", "two\n");
      await inShell(project, checkpoint.restore_command);
      expect((await folder.read("notes.txt")).toString("utf8")).toBe("one\n");
    }));

  it("is a file backup of a file in a plain folder, too", () =>
    withTempProject(async (folder) => {
      const project = new RuleProject(folder);
      await folder.write("config/production.yaml", "a: 1\n");
      await folder.write("other.txt", "1\n");
      const args = ["--type", "file_backup", "--expires", "24h"];
      const file = join(folder.root, "config/production.yaml");
      const { checkpoint, restore, pre_mutation_state } = await created(
        project,
        ...args,
        "--scope",
        file,
      );
      expect(pre_mutation_state.summary).toMatch(/^1 file, /);
      expect([checkpoint.type, checkpoint.scope.files]).toEqual([
        "file_backup",
        ["config/production.yaml"],
      ]);
      expect(restore.prerequisites.join()).not.toContain("commits");
      await folder.write("config/production.yaml", "a: 2\n");
      await folder.write("other.txt", "2\n");
      await inShell(project, checkpoint.restore_command);
      expect((await folder.read("config/production.yaml")).toString("utf8")).toBe("a: 1\n");
      expect((await folder.read("other.txt")).toString("utf8")).toBe("2\n");
    }));

  it("names git's user", () =>
    withDirty(async (project) => {
      await project.repo.git("config", "user.name", "Ada Lovelace");
      const { json } = await project.ok("create");
      expect(json).toMatchObject({ checkpoint: { created_by: { user: "Ada Lovelace" } } });
    }));
});
