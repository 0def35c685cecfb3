/**
 * What every command prints with `--json`, as cases in real repositories. A command without a case, and a kind of
 * document without one, fails test/cli/json-output.test.ts.
 */
import { tmpdir } from "node:os";
import { expect } from "vitest";
import { takeLock } from "../../src/adapters/files/owned-lock.ts";
import type { FailureCode } from "../../src/domain/failure.ts";
import { deleteObject } from "../support/damage.ts";
import { SECRET_FILE } from "../secrets/fake-secrets.ts";
import { leaveHalfRollback } from "../spec/half-rollback.ts";
import type { RuleProject } from "../spec/project.ts";

export interface JsonCase {
  readonly title: string;
  /** Brings the project (seeded, with changes of every kind) into the state that the case needs. */
  readonly prepare?: (project: RuleProject) => Promise<void>;
  readonly args: readonly string[];
  readonly prints:
    | { readonly kind: string; readonly exit?: number }
    | { readonly error: FailureCode }
    /** No document of ours: a script, a schema. */
    | { readonly text: (stdout: string) => void };
}

/** A checkpoint, then a change: what most cases start from. */
async function checkpointAndChange(project: RuleProject): Promise<void> {
  await project.create("--phase", "implement", "--step", "4", "--trigger", "pre_phase");
  await project.repo.write("b.txt", "beta, changed since\n");
  await project.repo.write("later.txt", "not there then\n");
}

async function secretsAround({ repo }: RuleProject): Promise<void> {
  await repo.write(".env", "A=1\n");
  await repo.write("tools/deploy.ts", SECRET_FILE);
}

async function secretsHeld(project: RuleProject): Promise<void> {
  await secretsAround(project);
  await project.create("--include-secrets", ".env", "tools");
}

async function withScope(project: RuleProject): Promise<void> {
  await project.create("--scope", "dir", "*.log");
  await project.repo.write("trace.log", "changed since\n");
  await project.repo.write("later.log", "not there then\n");
}

async function rolledBack(project: RuleProject): Promise<void> {
  await checkpointAndChange(project);
  await project.ok("rollback", "latest", "--yes");
}

async function undone(project: RuleProject): Promise<void> {
  await rolledBack(project);
  await project.ok("undo", "--yes");
}

/** The same files without git. */
async function plainFolder({ repo }: RuleProject): Promise<void> {
  await repo.remove(".git");
}

async function plainCheckpoint(project: RuleProject): Promise<void> {
  await plainFolder(project);
  await checkpointAndChange(project);
}

async function damaged(project: RuleProject): Promise<void> {
  const id = await project.create();
  const ref = `refs/waymark/cp/${id}:worktree/untracked.txt`;
  await deleteObject(project.repo, (await project.repo.git("rev-parse", ref)).trim());
  await project.repo.remove("untracked.txt");
}

/** As damaged, but the file that was held is still in the project. */
async function repairable(project: RuleProject): Promise<void> {
  const content = await project.repo.read("untracked.txt");
  await damaged(project);
  await project.repo.write("untracked.txt", content);
}

/** The commit has the right tree and no document. */
async function withoutDocument(project: RuleProject): Promise<void> {
  const { repo } = project;
  const ref = `refs/waymark/cp/${await project.create("-m", "why")}`;
  const old = (await repo.git("rev-parse", ref)).trim();
  const commit = await repo.git("commit-tree", `${ref}^{tree}`, "-p", "HEAD", "-m", "garbage");
  await repo.git("update-ref", ref, commit.trim());
  await deleteObject(repo, old);
}

async function oneWholeOneDamaged(project: RuleProject): Promise<void> {
  await damaged(project);
  await project.create();
}

/** A damaged one that is no commit of ours at all. */
async function unreadable(project: RuleProject): Promise<void> {
  await project.repo.git("update-ref", "refs/waymark/cp/cp-damaged", "HEAD");
}

async function wrongSettings(project: RuleProject): Promise<void> {
  const lines = ["strategy: clever", "retention:", "  max_age: soon", "  maxage: 3d", ""];
  await project.repo.write("waymark.yml", lines.join("\n"));
}

async function threeCheckpoints(project: RuleProject): Promise<void> {
  for (let at = 0; at < 3; at++) await project.create();
}

async function pinned(project: RuleProject): Promise<void> {
  await project.create("--pin");
}

async function deletedOne(project: RuleProject): Promise<string> {
  const id = await project.create();
  await project.ok("delete", id, "--yes", "-m", "not needed");
  return id;
}

async function exported(project: RuleProject): Promise<void> {
  await checkpointAndChange(project);
  await project.ok("rollback", "latest", "--yes");
  await project.ok("export", "-o", "../all.bundle");
}

/** What `exported` wrote, in a project that has nothing of it. */
async function archiveOfAnother(project: RuleProject): Promise<void> {
  await exported(project);
  const refs = await project.repo.git("for-each-ref", "--format=delete %(refname)", "refs/waymark");
  await project.repo.gitWithInput(refs, "update-ref", "--stdin");
}

async function archiveWithConflict(project: RuleProject): Promise<void> {
  await exported(project);
  const refs = await project.repo.git("for-each-ref", "--format=%(refname)", "refs/waymark/cp");
  await project.repo.git("update-ref", refs.split("\n")[0] ?? "", "HEAD");
}

async function nothingChanged(project: RuleProject): Promise<void> {
  await project.repo.git("reset", "-q", "--hard");
  await project.repo.git("clean", "-qfd");
  await project.create();
}

async function halfMerged(project: RuleProject): Promise<void> {
  const { repo } = project;
  await repo.git("reset", "-q", "--hard");
  await repo.git("checkout", "-q", "other");
  await repo.write("b.txt", "beta of the other side\r\n");
  await repo.git("commit", "-q", "-am", "other side");
  await repo.git("merge", "-q", "--no-commit", "main");
  // Git does not bring these line ends back.
  await repo.write(".gitattributes", "*.txt text eol=lf\n");
  await repo.write("crlf.txt", "one\r\n");
  await project.create();
}

async function conflicted(project: RuleProject): Promise<void> {
  const { repo } = project;
  await repo.git("reset", "-q", "--hard");
  await repo.git("checkout", "-q", "other");
  await repo.write("a.txt", "other side\n");
  await repo.git("commit", "-q", "-am", "other side");
  await repo.gitStops("merge", "main");
  await project.create();
}

async function halfRolledBack(project: RuleProject): Promise<void> {
  await leaveHalfRollback(project, await project.create());
}

async function committedSince(project: RuleProject): Promise<void> {
  await project.create();
  await project.repo.commit("since");
}

export const CASES: Readonly<Record<string, readonly JsonCase[]>> = {
  create: [
    {
      title: "with secrets left out and one let in",
      prepare: secretsAround,
      args: ["create", "--include-secrets", ".env"],
      prints: { kind: "checkpoint_created" },
    },
    {
      title: "a file let in that is no secret",
      args: ["create", "--include-secrets", "b.txt"],
      prints: { error: "usage" },
    },
    {
      title: "a new checkpoint",
      args: ["create", "-m", "why"],
      prints: { kind: "checkpoint_created" },
    },
    {
      title: "nothing changed",
      prepare: async (project) => void (await project.create()),
      args: ["create"],
      prints: { kind: "checkpoint_created" },
    },
    {
      title: "with a scope, of which some files are ignored",
      args: ["create", "--scope", "dir", "*.log"],
      prints: { kind: "checkpoint_created" },
    },
    {
      title: "with a scope that matches nothing",
      args: ["create", "--scope", "dri"],
      prints: { error: "usage" },
    },
    {
      title: "with a half rollback to warn about",
      prepare: halfRolledBack,
      args: ["create", "--force"],
      prints: { kind: "checkpoint_created" },
    },
    {
      title: "a plain folder",
      prepare: plainFolder,
      args: ["create"],
      prints: { kind: "checkpoint_created" },
    },
    {
      title: "metrics that are not there",
      args: ["create", "--metrics", "nowhere.json"],
      prints: { error: "usage" },
    },
    { title: "a wrong value", args: ["create", "--step", "x"], prints: { error: "usage" } },
    { title: "an unknown option", args: ["create", "--nmae", "x"], prints: { error: "usage" } },
    {
      title: "wrong settings",
      prepare: wrongSettings,
      args: ["create"],
      prints: { error: "config_invalid" },
    },
    {
      title: "no such folder",
      args: ["-C", "nowhere", "create"],
      prints: { error: "not_a_repository" },
    },
  ],
  list: [
    { title: "nothing yet", args: ["list"], prints: { kind: "checkpoint_list" } },
    {
      title: "a plain folder",
      prepare: plainCheckpoint,
      args: ["list", "--all"],
      prints: { kind: "checkpoint_list" },
    },
    {
      title: "a folder that is no project",
      prepare: plainFolder,
      args: ["list"],
      prints: { error: "not_a_repository" },
    },
    {
      title: "valid, invalid and safety checkpoints",
      prepare: async (project) => {
        await rolledBack(project);
        await project.create();
        await project.ok("rollback", "phase:implement", "--yes");
      },
      args: ["list", "--all"],
      prints: { kind: "checkpoint_list" },
    },
    {
      title: "a damaged one and one of a newer Waymark",
      prepare: async (project) => {
        const { repo } = project;
        await repo.git("update-ref", "refs/waymark/cp/cp-damaged", "HEAD");
        const message = `newer\n\n{"schema_version": 99}`;
        const commit = await repo.git("commit-tree", "HEAD^{tree}", "-m", message);
        await repo.git("update-ref", "refs/waymark/cp/cp-newer", commit.trim());
      },
      args: ["list"],
      prints: { kind: "checkpoint_list" },
    },
    {
      title: "a half rollback",
      prepare: halfRolledBack,
      args: ["list"],
      prints: { kind: "checkpoint_list" },
    },
    {
      title: "a pinned one, and how far each is from now",
      prepare: async (project) => {
        await pinned(project);
        await checkpointAndChange(project);
      },
      args: ["list", "--stat"],
      prints: { kind: "checkpoint_list" },
    },
    {
      title: "how far each is from now, where one is damaged",
      prepare: oneWholeOneDamaged,
      args: ["list", "--stat"],
      prints: { kind: "checkpoint_list" },
    },
  ],
  show: [
    {
      title: "a checkpoint with a scope and copied files",
      prepare: withScope,
      args: ["show", "latest"],
      prints: { kind: "checkpoint" },
    },
    {
      title: "one checkpoint",
      prepare: checkpointAndChange,
      args: ["show", "4"],
      prints: { kind: "checkpoint" },
    },
    {
      title: "a pinned one",
      prepare: pinned,
      args: ["show", "latest"],
      prints: { kind: "checkpoint" },
    },
    {
      title: "a damaged one",
      prepare: unreadable,
      args: ["show", "cp-damaged"],
      prints: { error: "checkpoint_damaged" },
    },
    {
      title: "no such checkpoint",
      prepare: checkpointAndChange,
      args: ["show", "latst"],
      prints: { error: "checkpoint_not_found" },
    },
    {
      title: "more than one",
      prepare: async (project) => {
        await project.create();
        await project.create();
      },
      args: ["show", "cp-"],
      prints: { error: "ambiguous_selector" },
    },
    { title: "none named", args: ["show"], prints: { error: "usage" } },
  ],
  diff: [
    {
      title: "secrets that are held, and one that is not",
      prepare: async (project) => {
        await project.repo.write("deploy.ts", "const token = read();\n");
        await secretsHeld(project);
        await project.repo.write("deploy.ts", SECRET_FILE);
      },
      args: ["diff", "latest", "--patch"],
      prints: { kind: "diff" },
    },
    {
      title: "from a checkpoint to now",
      prepare: async (project) => {
        await checkpointAndChange(project);
        await project.repo.write("moved.bin", Buffer.from([0, 1]));
        await project.repo.commit("since");
      },
      args: ["diff", "latest"],
      prints: { kind: "diff" },
    },
    {
      title: "between two, of one folder, with the patch",
      prepare: async (project) => {
        await project.create("--phase", "plan", "--step", "3");
        await checkpointAndChange(project);
        await project.create();
      },
      args: ["diff", "3", "latest", "--patch", "--paths", "b.txt", "dir"],
      prints: { kind: "diff" },
    },
    {
      title: "nothing differs",
      prepare: async (project) => void (await project.create()),
      args: ["diff", "latest", "--stat"],
      prints: { kind: "diff" },
    },
    {
      title: "one that lost a file",
      prepare: damaged,
      args: ["diff", "latest", "--patch"],
      prints: { error: "checkpoint_damaged" },
    },
    {
      title: "a damaged one",
      prepare: unreadable,
      args: ["diff", "cp-damaged"],
      prints: { error: "checkpoint_damaged" },
    },
    {
      title: "no such checkpoint",
      args: ["diff", "latest"],
      prints: { error: "checkpoint_not_found" },
    },
    { title: "none named", args: ["diff"], prints: { error: "usage" } },
  ],
  log: [
    { title: "nothing yet", args: ["log"], prints: { kind: "journal" } },
    {
      title: "all that can be done",
      prepare: async (project) => {
        await undone(project);
        await project.ok("pin", "latest", "-m", "good");
        await deletedOne(project);
        await project.ok("export");
      },
      args: ["log"],
      prints: { kind: "journal" },
    },
    {
      title: "of every session, the latest",
      prepare: async (project) => {
        await rolledBack(project);
        await project.ok("--session", "task-12", "create", "--force");
      },
      args: ["log", "--all", "--limit", "2"],
      prints: { kind: "journal" },
    },
    {
      title: "what failed",
      prepare: async (project) => {
        await checkpointAndChange(project);
        await project.run("rollback", "latest");
      },
      args: ["log", "--failed", "--since", "1h"],
      prints: { kind: "journal" },
    },
    { title: "a wrong value", args: ["log", "--limit", "x"], prints: { error: "usage" } },
  ],
  rollback: [
    {
      title: "in a plain folder",
      prepare: plainCheckpoint,
      args: ["rollback", "latest", "--yes"],
      prints: { kind: "rollback" },
    },
    {
      title: "to a checkpoint with a scope and copied files",
      prepare: withScope,
      args: ["rollback", "latest", "--yes"],
      prints: { kind: "rollback" },
    },
    {
      title: "a plan with copied files",
      prepare: withScope,
      args: ["rollback", "latest", "--dry-run"],
      prints: { kind: "rollback_plan" },
    },
    {
      title: "done",
      prepare: checkpointAndChange,
      args: ["rollback", "latest", "--yes"],
      prints: { kind: "rollback" },
    },
    {
      title: "after a half rollback",
      prepare: halfRolledBack,
      args: ["rollback", "latest", "--yes"],
      prints: { kind: "rollback" },
    },
    {
      title: "with commits that leave",
      prepare: committedSince,
      args: ["rollback", "latest", "--yes", "--discard-commits"],
      prints: { kind: "rollback" },
    },
    {
      title: "only looked at",
      prepare: committedSince,
      args: ["rollback", "latest", "--dry-run"],
      prints: { kind: "rollback_plan" },
    },
    {
      title: "nobody to ask",
      prepare: checkpointAndChange,
      args: ["rollback", "latest"],
      prints: { error: "needs_confirmation" },
    },
    {
      title: "commits would leave",
      prepare: committedSince,
      args: ["rollback", "latest", "--yes"],
      prints: { error: "commits_would_leave" },
    },
    {
      title: "an expired one",
      prepare: async (project) => void (await project.createExpired()),
      args: ["rollback", "latest", "--yes"],
      prints: { error: "checkpoint_expired" },
    },
    {
      title: "a damaged one",
      prepare: damaged,
      args: ["rollback", "latest", "--yes"],
      prints: { error: "checkpoint_damaged" },
    },
    {
      title: "git at work",
      prepare: async (project) => {
        await checkpointAndChange(project);
        await project.repo.write(".git/index.lock", "");
      },
      args: ["rollback", "latest", "--yes"],
      prints: { error: "index_locked" },
    },
    {
      title: "none named, and nobody to ask",
      prepare: checkpointAndChange,
      args: ["rollback"],
      prints: { error: "needs_confirmation" },
    },
  ],
  undo: [
    { title: "done", prepare: rolledBack, args: ["undo", "--yes"], prints: { kind: "rollback" } },
    { title: "nothing to undo", args: ["undo", "--yes"], prints: { error: "nothing_to_undo" } },
  ],
  redo: [
    { title: "done", prepare: undone, args: ["redo", "--yes"], prints: { kind: "rollback" } },
    { title: "nothing to redo", args: ["redo", "--yes"], prints: { error: "nothing_to_redo" } },
  ],
  recover: [
    { title: "nothing to recover", args: ["recover"], prints: { kind: "recovery" } },
    {
      title: "a half rollback",
      prepare: halfRolledBack,
      args: ["recover"],
      prints: { kind: "recovery" },
    },
  ],
  guard: [
    {
      title: "passed",
      args: ["guard", "--verify", "true", "-m", "why", "--", "sh", "-c", "echo x >> b.txt"],
      prints: { kind: "guard" },
    },
    {
      title: "rolled back, after two attempts and a check that was not run",
      args: [
        "guard",
        "--retries=1",
        "--verify=kill -9 $$",
        "--verify=true",
        "--",
        "git",
        "rm",
        "-qf",
        "b.txt",
      ],
      prints: { kind: "guard", exit: 7 },
    },
    {
      title: "kept",
      args: ["guard", "--keep-on-fail", "--", "sh", "-c", "echo x >> b.txt; exit 3"],
      prints: { kind: "guard", exit: 1 },
    },
    {
      title: "a rollback that cannot be",
      args: ["guard", "--", "sh", "-c", "touch .git/index.lock; exit 1"],
      prints: { error: "guard_not_rolled_back" },
    },
    {
      title: "no such program",
      args: ["guard", "--", "no-such-program"],
      prints: { error: "usage" },
    },
    { title: "no command", args: ["guard", "--verify", "true"], prints: { error: "usage" } },
    {
      title: "wrong settings",
      prepare: wrongSettings,
      args: ["guard", "--", "true"],
      prints: { error: "config_invalid" },
    },
  ],
  validate: [
    {
      title: "all whole",
      prepare: checkpointAndChange,
      args: ["validate"],
      prints: { kind: "validation" },
    },
    {
      title: "damage",
      prepare: damaged,
      args: ["validate"],
      prints: { kind: "validation", exit: 4 },
    },
    {
      title: "no such checkpoint",
      args: ["validate", "nothing"],
      prints: { error: "checkpoint_not_found" },
    },
  ],
  rebuild: [
    {
      title: "nothing was wrong",
      prepare: checkpointAndChange,
      args: ["rebuild", "latest"],
      prints: { kind: "rebuild" },
    },
    {
      title: "a missing file that the project still has",
      prepare: repairable,
      args: ["rebuild", "latest"],
      prints: { kind: "rebuild" },
    },
    {
      title: "with an export",
      prepare: async (project) => {
        const id = await project.create();
        await project.ok("export", "-o", "../all.bundle");
        const ref = `refs/waymark/cp/${id}:worktree/untracked.txt`;
        await deleteObject(project.repo, (await project.repo.git("rev-parse", ref)).trim());
        await project.repo.remove("untracked.txt");
      },
      args: ["rebuild", "latest", "--from", "../all.bundle"],
      prints: { kind: "rebuild" },
    },
    {
      title: "a lost document",
      prepare: withoutDocument,
      args: ["rebuild", "cp-"],
      prints: { kind: "rebuild" },
    },
    {
      title: "a file that nobody has",
      prepare: damaged,
      args: ["rebuild", "latest"],
      prints: { error: "rebuild_failed" },
    },
    {
      title: "no such checkpoint",
      args: ["rebuild", "latest"],
      prints: { error: "checkpoint_not_found" },
    },
    {
      title: "no such place",
      prepare: damaged,
      args: ["rebuild", "latest", "--from", "../nowhere"],
      prints: { error: "usage" },
    },
  ],
  export: [
    {
      title: "a checkpoint with secrets",
      prepare: secretsHeld,
      args: ["export", "latest"],
      prints: { error: "secrets_held" },
    },
    {
      title: "a checkpoint with secrets that may leave",
      prepare: secretsHeld,
      args: ["export", "latest", "-o", "../x.bundle", "--include-secrets", "."],
      prints: { kind: "export" },
    },
    {
      title: "all, but for the one with secrets",
      prepare: async (project) => {
        await project.create();
        await secretsHeld(project);
      },
      args: ["export", "-o", "../x.bundle"],
      prints: { kind: "export" },
    },
    {
      title: "everything, to our own folder",
      prepare: rolledBack,
      args: ["export"],
      prints: { kind: "export" },
    },
    {
      title: "one, without history that others have",
      prepare: checkpointAndChange,
      args: ["export", "latest", "--since", "HEAD", "-o", "../one.bundle"],
      prints: { kind: "export" },
    },
    {
      title: "without a damaged one",
      prepare: oneWholeOneDamaged,
      args: ["export", "--skip-damaged"],
      prints: { kind: "export" },
    },
    {
      title: "with a damaged one",
      prepare: oneWholeOneDamaged,
      args: ["export"],
      prints: { error: "checkpoint_damaged" },
    },
    { title: "nothing there", args: ["export"], prints: { error: "checkpoint_not_found" } },
    {
      title: "a file that is there",
      prepare: exported,
      args: ["export", "-o", "../all.bundle"],
      prints: { error: "already_exists" },
    },
    {
      title: "since nobody knows what",
      prepare: checkpointAndChange,
      args: ["export", "--since", "no-such-branch"],
      prints: { error: "usage" },
    },
  ],
  import: [
    {
      title: "what is new here",
      prepare: archiveOfAnother,
      args: ["import", "../all.bundle"],
      prints: { kind: "import" },
    },
    {
      title: "only looked at",
      prepare: archiveOfAnother,
      args: ["import", "../all.bundle", "--dry-run"],
      prints: { kind: "import" },
    },
    {
      title: "what is here already",
      prepare: exported,
      args: ["import", "../all.bundle"],
      prints: { kind: "import" },
    },
    {
      title: "another one with the same id, only looked at",
      prepare: archiveWithConflict,
      args: ["import", "../all.bundle", "--dry-run"],
      prints: { kind: "import" },
    },
    {
      title: "another one with the same id",
      prepare: archiveWithConflict,
      args: ["import", "../all.bundle"],
      prints: { error: "archive_conflict" },
    },
    {
      title: "no archive",
      args: ["import", "b.txt"],
      prints: { error: "archive_refused" },
    },
    {
      title: "a bundle that is none of ours",
      prepare: async ({ repo }) => void (await repo.git("bundle", "create", "-q", "x", "main")),
      args: ["import", "x"],
      prints: { error: "archive_refused" },
    },
    {
      title: "no such file",
      args: ["import", "nowhere"],
      prints: { error: "checkpoint_not_found" },
    },
  ],
  pin: [
    {
      title: "one",
      prepare: checkpointAndChange,
      args: ["pin", "latest", "-m", "the last good one"],
      prints: { kind: "pin" },
    },
    {
      title: "one that is pinned",
      prepare: pinned,
      args: ["pin", "latest"],
      prints: { kind: "pin" },
    },
    {
      title: "a damaged one",
      prepare: unreadable,
      args: ["pin", "cp-damaged"],
      prints: { error: "checkpoint_damaged" },
    },
    {
      title: "no such checkpoint",
      args: ["pin", "latest"],
      prints: { error: "checkpoint_not_found" },
    },
    { title: "none named", args: ["pin"], prints: { error: "usage" } },
  ],
  unpin: [
    { title: "one", prepare: pinned, args: ["unpin", "latest"], prints: { kind: "pin" } },
    {
      title: "one that is not pinned",
      prepare: checkpointAndChange,
      args: ["unpin", "latest"],
      prints: { kind: "pin" },
    },
    {
      title: "no such checkpoint",
      args: ["unpin", "nothing"],
      prints: { error: "checkpoint_not_found" },
    },
  ],
  cleanup: [
    { title: "nothing there", args: ["cleanup"], prints: { kind: "cleanup" } },
    {
      title: "all but the newest, only looked at",
      prepare: threeCheckpoints,
      args: ["cleanup", "--keep", "1", "--dry-run"],
      prints: { kind: "cleanup" },
    },
    {
      title: "all but the newest",
      prepare: threeCheckpoints,
      args: ["cleanup", "--keep", "1"],
      prints: { kind: "cleanup" },
    },
    {
      title: "for good, with what was deleted before",
      prepare: async (project) => {
        await deletedOne(project);
        await threeCheckpoints(project);
      },
      args: ["cleanup", "--older-than", "0s", "--now", "--yes"],
      prints: { kind: "cleanup" },
    },
    {
      title: "with damaged ones",
      prepare: async (project) => {
        await oneWholeOneDamaged(project);
        await unreadable(project);
      },
      args: ["cleanup", "--keep", "1"],
      prints: { kind: "cleanup" },
    },
    {
      title: "for good, and nobody to ask",
      prepare: threeCheckpoints,
      args: ["cleanup", "--keep", "1", "--now"],
      prints: { error: "needs_confirmation" },
    },
    {
      title: "another one at work",
      prepare: async ({ repo }) => {
        await takeLock(`${repo.root}/.git/waymark/cleanup.lock`, "cleaning up", 0);
      },
      args: ["cleanup"],
      prints: { error: "locked" },
    },
    {
      title: "wrong settings",
      prepare: wrongSettings,
      args: ["cleanup"],
      prints: { error: "config_invalid" },
    },
    { title: "a wrong value", args: ["cleanup", "--keep", "x"], prints: { error: "usage" } },
  ],
  delete: [
    {
      title: "one",
      prepare: checkpointAndChange,
      args: ["delete", "latest", "--yes", "-m", "not needed"],
      prints: { kind: "delete" },
    },
    {
      title: "for good",
      prepare: checkpointAndChange,
      args: ["delete", "latest", "--yes", "--now"],
      prints: { kind: "delete" },
    },
    {
      title: "with commits that nothing else holds, and needed by undo",
      prepare: async (project) => {
        await committedSince(project);
        await project.ok("rollback", "latest", "--yes", "--discard-commits");
      },
      args: ["delete", "rollback", "--yes", "--force"],
      prints: { kind: "delete" },
    },
    {
      title: "a damaged one",
      prepare: unreadable,
      args: ["delete", "cp-damaged", "--yes"],
      prints: { kind: "delete" },
    },
    {
      title: "bring one back",
      prepare: async (project) => void (await deletedOne(project)),
      args: ["delete", "--undo", "cp-"],
      prints: { kind: "delete" },
    },
    {
      title: "what can be brought back",
      prepare: async (project) => void (await deletedOne(project)),
      args: ["delete", "--undo"],
      prints: { kind: "delete" },
    },
    { title: "nothing to bring back", args: ["delete", "--undo"], prints: { kind: "delete" } },
    {
      title: "no such deleted one",
      prepare: checkpointAndChange,
      args: ["delete", "--undo", "latest"],
      prints: { error: "checkpoint_not_found" },
    },
    {
      title: "bring one back where another one is",
      prepare: async (project) => {
        const id = await deletedOne(project);
        await project.repo.git("update-ref", `refs/waymark/cp/${id}`, "HEAD");
      },
      args: ["delete", "--undo", "cp-"],
      prints: { error: "already_exists" },
    },
    {
      title: "more than one deleted",
      prepare: async (project) => {
        await deletedOne(project);
        await deletedOne(project);
      },
      args: ["delete", "--undo", "cp-"],
      prints: { error: "ambiguous_selector" },
    },
    {
      title: "a pinned one",
      prepare: pinned,
      args: ["delete", "latest", "--yes", "--force"],
      prints: { error: "checkpoint_protected" },
    },
    {
      title: "one that undo needs",
      prepare: rolledBack,
      args: ["delete", "rollback", "--yes"],
      prints: { error: "checkpoint_protected" },
    },
    {
      title: "nobody to ask",
      prepare: checkpointAndChange,
      args: ["delete", "latest"],
      prints: { error: "needs_confirmation" },
    },
    {
      title: "no such checkpoint",
      args: ["delete", "nothing", "--yes"],
      prints: { error: "checkpoint_not_found" },
    },
    { title: "none named", args: ["delete", "--yes"], prints: { error: "usage" } },
    {
      title: "two flags that exclude each other",
      args: ["delete", "--undo", "--now"],
      prints: { error: "usage" },
    },
  ],
  stash: [
    {
      title: "in a plain folder",
      prepare: plainCheckpoint,
      args: ["stash", "latest"],
      prints: { error: "cannot_stash" },
    },
    {
      title: "done",
      prepare: checkpointAndChange,
      args: ["stash", "latest", "-m", "half done"],
      prints: { kind: "stash" },
    },
    {
      title: "with files and a merge that do not come back",
      prepare: halfMerged,
      args: ["stash", "latest"],
      prints: { kind: "stash" },
    },
    {
      title: "nothing to stash",
      prepare: nothingChanged,
      args: ["stash", "latest"],
      prints: { error: "cannot_stash" },
    },
    {
      title: "conflicts",
      prepare: conflicted,
      args: ["stash", "latest"],
      prints: { error: "cannot_stash" },
    },
    {
      title: "one that lost a file",
      prepare: damaged,
      args: ["stash", "latest"],
      prints: { error: "checkpoint_damaged" },
    },
    {
      title: "a damaged one",
      prepare: unreadable,
      args: ["stash", "cp-damaged"],
      prints: { error: "checkpoint_damaged" },
    },
    {
      title: "no such checkpoint",
      args: ["stash", "latest"],
      prints: { error: "checkpoint_not_found" },
    },
  ],
  init: [
    { title: "a new file", args: ["init"], prints: { kind: "init" } },
    {
      title: "only looked at, with much to find",
      prepare: async ({ repo }) => {
        await repo.write(".gitattributes", "*.bin filter=lfs\n");
        await repo.write("CLAUDE.md", "");
        await repo.write("backlog/config.yml", "");
        await repo.git("init", "-q", "nested");
        await repo.git("checkout", "-q", "--detach");
      },
      args: ["init", "--dry-run"],
      prints: { kind: "init" },
    },
    {
      title: "a file that is there",
      prepare: wrongSettings,
      args: ["init"],
      prints: { kind: "init" },
    },
    {
      title: "a file that is there is replaced",
      prepare: wrongSettings,
      args: ["init", "--force"],
      prints: { kind: "init" },
    },
    { title: "a plain folder", prepare: plainFolder, args: ["init"], prints: { kind: "init" } },
    {
      title: "a plain folder that is only looked at",
      prepare: plainFolder,
      args: ["init", "--dry-run"],
      prints: { kind: "init" },
    },
    {
      title: "a folder in its place",
      prepare: ({ repo }) => repo.folder("waymark.yml"),
      args: ["init", "--force"],
      prints: { error: "already_exists" },
    },
    {
      title: "no such folder",
      args: ["-C", "nowhere", "init"],
      prints: { error: "not_a_repository" },
    },
  ],
  config: [
    { title: "all defaults", args: ["config"], prints: { kind: "config" } },
    {
      title: "one section, set in a file",
      prepare: ({ repo }) => repo.write("waymark.yml", "phases:\n  never: [plan]\n"),
      args: ["config", "phases"],
      prints: { kind: "config" },
    },
    {
      title: "wrong settings, and names that nobody knows",
      prepare: wrongSettings,
      args: ["config"],
      prints: { kind: "config", exit: 2 },
    },
    {
      title: "a file that is no YAML",
      prepare: ({ repo }) => repo.write("waymark.yml", "a: [\n"),
      args: ["config", "strategy"],
      prints: { kind: "config", exit: 2 },
    },
    { title: "no such setting", args: ["config", "maxage"], prints: { error: "usage" } },
  ],
  doctor: [
    {
      title: "all is well",
      prepare: checkpointAndChange,
      args: ["doctor"],
      prints: { kind: "doctor" },
    },
    {
      title: "a half rollback",
      prepare: halfRolledBack,
      args: ["doctor"],
      prints: { kind: "doctor", exit: 1 },
    },
    {
      title: "a half rollback, put right",
      prepare: halfRolledBack,
      args: ["doctor", "--fix"],
      prints: { kind: "doctor" },
    },
    {
      title: "a damaged checkpoint and wrong settings",
      prepare: async (project) => {
        await unreadable(project);
        await wrongSettings(project);
      },
      args: ["doctor"],
      prints: { kind: "doctor", exit: 1 },
    },
    {
      title: "not in a repository",
      args: ["-C", tmpdir(), "doctor"],
      prints: { kind: "doctor" },
    },
    { title: "an unknown option", args: ["doctor", "--fx"], prints: { error: "usage" } },
  ],
  schema: [
    { title: "the list", args: ["schema"], prints: { kind: "schema_list" } },
    {
      title: "one schema",
      args: ["schema", "rollback"],
      prints: {
        text: (stdout) =>
          expect(JSON.parse(stdout)).toMatchObject({ $id: "urn:waymark:schema:rollback" }),
      },
    },
    {
      title: "the schema of the settings, which is not that of `config --json`",
      args: ["schema", "waymark-yml"],
      prints: {
        text: (stdout) => expect(JSON.parse(stdout)).toMatchObject({ title: "waymark-yml" }),
      },
    },
    { title: "no such schema", args: ["schema", "rolback"], prints: { error: "usage" } },
  ],
  completion: [
    {
      title: "a script",
      args: ["completion", "bash"],
      prints: { text: (stdout) => expect(stdout).toContain("complete -F") },
    },
    { title: "no such shell", args: ["completion", "tcsh"], prints: { error: "usage" } },
  ],
  complete: [
    {
      title: "what could come next",
      args: ["complete", "--", "rollback"],
      prints: { text: (stdout) => expect(stdout).toMatch(/^words\n/) },
    },
  ],
};
