import type { CommandSpec } from "../command-spec.ts";

export const rollbackSpec: CommandSpec = {
  name: "rollback",
  group: "Going back",
  summary: "make the project equal a checkpoint again; `undo` takes it back",
  description:
    "Shows what will happen and asks. A checkpoint of the present state is taken first, so nothing is lost. " +
    "What the checkpoint does not hold (ignored files, secrets, nested repositories) stays as it is. Copied files, state and databases " +
    "that it holds come back too: all of it or nothing. So does the task of Backlog.md that it was taken for: its folder, " +
    "its status and its workflow label.\n\n" +
    "With --only-session or --only-paths-of the project is not made equal to a checkpoint: what one session did is taken out of it, from the " +
    "checkpoint on that is named, or all that is known. HEAD, branches, commits, what is staged, state and databases stay " +
    "(docs/selective-undo.md).",
  arguments: [
    {
      name: "[checkpoint]",
      text: "id, part of an id, step, latest, latest~2, phase:NAME, session:ID/4",
      completes: "checkpoint",
    },
  ],
  options: [
    { flags: "-y, --yes", text: "do not ask" },
    { flags: "-n, --dry-run", text: "show what would happen and change nothing" },
    { flags: "--keep-head", text: "leave HEAD and branches where they are" },
    { flags: "--discard-commits", text: "move the branch back even if commits leave it" },
    { flags: "--files-only", text: "restore files; leave HEAD and the index alone" },
    { flags: "--state-only", text: "restore the workflow's state and nothing else" },
    { flags: "--paths <path...>", text: "restore only these files and folders", completes: "file" },
    {
      flags: "--only-session <id>",
      text: "take back only what this session of an agent or workflow did; what others did since stays, line by line",
    },
    {
      flags: "--only-paths-of <id>",
      text: "the same for whole files: those that only this session changed",
    },
    { flags: "--keep-task", text: "leave the task of Backlog.md as it is" },
    { flags: "--even-if-expired", text: "accept an expired checkpoint" },
    { flags: "-m, --reason <text>", text: "why, for the journal" },
  ],
  examples: [
    { command: "waymark rollback latest", text: "back to the last checkpoint" },
    {
      command: "waymark rollback phase:implement --yes",
      text: "before that phase, without a question",
    },
    { command: "waymark rollback cp-04-implement --dry-run", text: "only look" },
    { command: "waymark rollback latest~2 --paths src/api", text: "one folder only" },
    {
      command: "waymark rollback --only-session 4f9c21d8 --dry-run",
      text: "what one agent's session did, and nobody else",
    },
  ],
  toleratesBadConfig: true,
  kinds: ["rollback", "rollback_plan"],
  audits: "rollback",
  whenInterrupted: "Nothing was rolled back.",
  load: () => import("./rollback.ts"),
};
