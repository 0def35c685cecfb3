/**
 * What every command prints with `--json`, as cases in real repositories. A command without a case, and a kind of
 * document without one, fails test/cli/json-output.test.ts.
 */
import { expect } from "vitest";
import type { FailureCode } from "../../src/domain/failure.ts";
import { deleteObject } from "../support/damage.ts";
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

async function rolledBack(project: RuleProject): Promise<void> {
  await checkpointAndChange(project);
  await project.ok("rollback", "latest", "--yes");
}

async function undone(project: RuleProject): Promise<void> {
  await rolledBack(project);
  await project.ok("undo", "--yes");
}

async function damaged(project: RuleProject): Promise<void> {
  const id = await project.create();
  const ref = `refs/waymark/cp/${id}:worktree/untracked.txt`;
  await deleteObject(project.repo, (await project.repo.git("rev-parse", ref)).trim());
  await project.repo.remove("untracked.txt");
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
      title: "with a half rollback to warn about",
      prepare: halfRolledBack,
      args: ["create", "--force"],
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
      title: "no such folder",
      args: ["-C", "nowhere", "create"],
      prints: { error: "not_a_repository" },
    },
  ],
  list: [
    { title: "nothing yet", args: ["list"], prints: { kind: "checkpoint_list" } },
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
  ],
  show: [
    {
      title: "one checkpoint",
      prepare: checkpointAndChange,
      args: ["show", "4"],
      prints: { kind: "checkpoint" },
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
  rollback: [
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
      prepare: async (project) => void (await project.create("--expires", "2020-01-01")),
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
    { title: "none named", args: ["rollback"], prints: { error: "usage" } },
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
