import type { CommandSpec } from "../command-spec.ts";

export const rollbackSpec: CommandSpec = {
  name: "rollback",
  group: "Restore",
  summary: "restore the project to a checkpoint; `undo` reverts it",
  description:
    "Shows what will change and asks. First creates a safety checkpoint of the present state, so nothing is lost. What the checkpoint " +
    "does not contain (ignored files, secrets, nested repositories) is not touched. Copied files, state and databases in it are " +
    "restored too, all or nothing, and so is its Backlog.md task: folder, status and workflow label.\n\n" +
    "With --only-session or --only-paths-of, only the changes of one session are undone: those since the given checkpoint, or all that are " +
    "known. HEAD, branches, commits, the index, state and databases do not change (`waymark help selective-undo`).",
  arguments: [
    {
      name: "[checkpoint]",
      text: "id, part of an id, step, latest, latest~2, start, phase:NAME, session:ID/4",
      completes: "checkpoint",
    },
  ],
  options: [
    { flags: "-y, --yes", text: "do not ask" },
    { flags: "-n, --dry-run", text: "show what would happen and change nothing" },
    { flags: "--keep-head", text: "do not move HEAD and branches" },
    { flags: "--discard-commits", text: "move the branch back even if that drops commits from it" },
    { flags: "--files-only", text: "restore files; leave HEAD and the index alone" },
    { flags: "--state-only", text: "restore the workflow's state and nothing else" },
    { flags: "--database-only", text: "restore its databases and nothing else" },
    { flags: "--paths <path...>", text: "restore only these files and folders", completes: "file" },
    {
      flags: "--only-session <id>",
      text: "undo only the changes of this session of an agent or workflow; later changes of others are kept, line by line",
    },
    {
      flags: "--only-paths-of <id>",
      text: "the same for whole files: those that only this session changed",
    },
    { flags: "--keep-task", text: "leave the task of Backlog.md as it is" },
    { flags: "--even-if-expired", text: "accept an expired checkpoint" },
    { flags: "-m, --reason <text>", text: "why, for the journal", alias: "--message" },
  ],
  examples: [
    { command: "waymark rollback latest", text: "back to the last checkpoint" },
    {
      command: "waymark rollback phase:implement --yes",
      text: "before that phase, without a question",
    },
    { command: "waymark rollback cp-04-implement --dry-run", text: "preview only" },
    { command: "waymark rollback latest~2 --paths src/api", text: "one folder only" },
    {
      command: "waymark rollback --only-session 4f9c21d8 --dry-run",
      text: "only the changes of one agent's session",
    },
  ],
  toleratesBadConfig: true,
  kinds: ["rollback", "rollback_plan"],
  audits: "rollback",
  whenInterrupted: "Nothing was rolled back.",
  load: () => import("./rollback.ts"),
};
