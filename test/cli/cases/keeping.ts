/** Cases of the commands for what is kept and what goes. */
import { expect } from "vitest";
import { takeLock } from "../../../src/adapters/files/owned-lock.ts";
import {
  checkpointAndChange,
  committedSince,
  conflicted,
  damaged,
  deletedOne,
  halfMerged,
  nothingChanged,
  oneWholeOneDamaged,
  pinned,
  plainCheckpoint,
  rolledBack,
  threeCheckpoints,
  unreadable,
  wrongSettings,
} from "./preparations.ts";
import type { JsonCase } from "./json-case.ts";

export const KEEPING_CASES: Readonly<Record<string, readonly JsonCase[]>> = {
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
  purge: [
    {
      title: "a file that two checkpoints contain, only looked at",
      prepare: threeCheckpoints,
      args: ["purge", "a.txt", "--dry-run"],
      prints: { kind: "purge" },
    },
    {
      title: "a file of commits, checkpoints, the trash and an export",
      prepare: async (project) => {
        await deletedOne(project);
        await threeCheckpoints(project);
        await project.ok("export");
      },
      args: ["purge", "a.txt", "--yes"],
      prints: { kind: "purge" },
    },
    {
      title: "a commit",
      prepare: committedSince,
      args: ["purge", "HEAD", "--yes", "-m", "a password"],
      prints: { kind: "purge" },
    },
    {
      title: "without a question",
      prepare: plainCheckpoint,
      args: ["purge", "a.txt"],
      prints: { error: "needs_confirmation" },
    },
    {
      title: "nothing of that name",
      prepare: checkpointAndChange,
      args: ["purge", "no-such-file", "--yes"],
      prints: { error: "file_not_found" },
    },
    {
      title: "pinned",
      prepare: pinned,
      args: ["purge", "a.txt", "--yes"],
      prints: { error: "checkpoint_protected" },
    },
  ],
  git: [
    {
      title: "on the store",
      prepare: checkpointAndChange,
      args: ["git", "rev-parse", "--is-bare-repository"],
      prints: { text: (stdout) => expect(stdout).toBe("true\n") },
    },
    {
      title: "no checkpoint was ever created",
      args: ["git", "log", "--all"],
      prints: { error: "file_not_found" },
    },
    {
      title: "a garbage collection",
      prepare: checkpointAndChange,
      args: ["git", "-c", "gc.auto=0", "gc", "--prune=now"],
      prints: { error: "usage" },
    },
  ],
  store: [
    {
      title: "with checkpoints",
      prepare: threeCheckpoints,
      args: ["store"],
      prints: { kind: "store" },
    },
    {
      title: "of a plain folder",
      prepare: plainCheckpoint,
      args: ["store"],
      prints: { kind: "store" },
    },
    { title: "without a checkpoint", args: ["store"], prints: { error: "file_not_found" } },
  ],
  "store own": [
    {
      title: "what is borrowed is copied",
      prepare: threeCheckpoints,
      args: ["store", "own"],
      prints: { kind: "store_own" },
    },
    {
      title: "a plain folder borrows nothing",
      prepare: plainCheckpoint,
      args: ["store", "own"],
      prints: { kind: "store_own" },
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
    {
      title: "everything",
      prepare: threeCheckpoints,
      args: ["cleanup", "--all", "--yes"],
      prints: { kind: "cleanup" },
    },
    {
      title: "everything, without an answer",
      prepare: threeCheckpoints,
      args: ["cleanup", "--all"],
      prints: { error: "needs_confirmation" },
    },
    {
      title: "everything, and some of it not",
      args: ["cleanup", "--all", "--keep", "1"],
      prints: { error: "usage" },
    },
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
      args: ["delete", "--undo", "cp-00-manual"],
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
        const head = await project.repo.head();
        await project.repo.store("update-ref", `refs/waymark/cp/${id}`, head);
      },
      args: ["delete", "--undo", "cp-00-manual"],
      prints: { error: "already_exists" },
    },
    {
      title: "more than one deleted",
      prepare: async (project) => {
        await deletedOne(project);
        await deletedOne(project);
      },
      args: ["delete", "--undo", "cp-00-manual"],
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
};
