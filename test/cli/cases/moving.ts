/** Cases of the commands for moving checkpoints to another machine. */
import { join } from "node:path";
import {
  archiveOfAnother,
  archiveWithConflict,
  checkpointAndChange,
  exported,
  oneWholeOneDamaged,
  rolledBack,
  secretsHeld,
} from "./preparations.ts";
import type { JsonCase } from "./json-case.ts";
import { writeFlowspec, writeGoTeam, writeSource } from "../../old-formats/sources.ts";

export const MOVING_CASES: Readonly<Record<string, readonly JsonCase[]>> = {
  export: [
    {
      title: "a checkpoint with a staged secret",
      prepare: async (project) => {
        await project.repo.write(".env", "DB_PASSWORD=hunter2\n");
        await project.repo.git("add", "-f", ".env");
        await project.create();
      },
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
      title: "all, without withheld files",
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
      title: "the sessions of another tool",
      prepare: async ({ repo }) => void (await writeGoTeam(repo)),
      args: ["import", "--from", "go-team", "../go-team"],
      prints: { kind: "old_format_import" },
    },
    {
      title: "the stash entries of another tool, only looked at",
      prepare: async ({ repo }) => void (await writeFlowspec(repo)),
      args: ["import", "--from", "flowspec", "../flowspec/checkpoints.json", "--dry-run"],
      prints: { kind: "old_format_import" },
    },
    {
      title: "what another tool wrote, of which nothing can be used",
      prepare: async ({ repo }) => writeSource(join(repo.base, "broken", "a.json"), "{"),
      args: ["import", "--from", "claude-checkpoints", "../broken"],
      prints: { kind: "old_format_import", exit: 4 },
    },
    {
      title: "nothing of another tool",
      args: ["import", "--from", "crunch", "."],
      prints: { error: "checkpoint_not_found" },
    },
    {
      title: "an unknown tool",
      args: ["import", "--from", "svn", "."],
      prints: { error: "usage" },
    },
    {
      title: "a limit for archives and another tool",
      args: ["import", "--from", "crunch", ".", "--max-size-mb", "1"],
      prints: { error: "usage" },
    },
    {
      title: "no such file",
      args: ["import", "nowhere"],
      prints: { error: "file_not_found" },
    },
  ],
};
