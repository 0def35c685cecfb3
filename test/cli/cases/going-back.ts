/** Cases of the commands for going back. */
import {
  checkpointAndChange,
  committedSince,
  damaged,
  halfRolledBack,
  plainCheckpoint,
  rolledBack,
  taskSince,
  undone,
  withScope,
  workedInSession,
  workedOnByOthers,
  wrongSettings,
} from "./preparations.ts";
import type { JsonCase } from "./json-case.ts";

export const GOING_BACK_CASES: Readonly<Record<string, readonly JsonCase[]>> = {
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
      title: "with a task of Backlog.md",
      prepare: taskSince,
      args: ["rollback", "latest", "--yes"],
      prints: { kind: "rollback" },
    },
    {
      title: "a plan that leaves the task of Backlog.md",
      prepare: taskSince,
      args: ["rollback", "latest", "--dry-run", "--keep-task"],
      prints: { kind: "rollback_plan" },
    },
    {
      title: "a plan with copied files",
      prepare: withScope,
      args: ["rollback", "latest", "--dry-run"],
      prints: { kind: "rollback_plan" },
    },
    {
      title: "what one session did",
      prepare: workedInSession,
      args: ["rollback", "--only-session", "a11ce", "--yes"],
      prints: { kind: "rollback" },
    },
    {
      title: "a plan of what one session did",
      prepare: workedOnByOthers,
      args: ["rollback", "--only-paths-of", "a11ce", "--dry-run"],
      prints: { kind: "rollback_plan" },
    },
    {
      title: "what one session did, with nothing left of it",
      prepare: workedOnByOthers,
      args: ["rollback", "--only-session", "a11ce", "--yes"],
      prints: { kind: "rollback_plan" },
    },
    {
      title: "what a session did that nobody knows",
      prepare: checkpointAndChange,
      args: ["rollback", "--only-session", "whoever", "--yes"],
      prints: { error: "session_not_found" },
    },
    {
      title: "what one session did, and commits",
      args: ["rollback", "--only-session", "whoever", "--discard-commits"],
      prints: { error: "usage" },
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
    {
      title: "only a look",
      prepare: rolledBack,
      args: ["undo", "--dry-run"],
      prints: { kind: "rollback_plan" },
    },
    { title: "nothing to undo", args: ["undo", "--yes"], prints: { error: "nothing_to_undo" } },
  ],
  redo: [
    { title: "done", prepare: undone, args: ["redo", "--yes"], prints: { kind: "rollback" } },
    {
      title: "only a look",
      prepare: undone,
      args: ["redo", "--dry-run"],
      prints: { kind: "rollback_plan" },
    },
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
};
