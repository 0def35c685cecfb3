import type { CommandSpec } from "../command-spec.ts";

export const deleteSpec: CommandSpec = {
  name: "delete",
  group: "Storage and transfer",
  summary: "delete checkpoints; `--undo` restores them for a day",
  description:
    "Shows the checkpoints and asks. Pinned checkpoints and those needed by a rollback in progress are refused. For a day " +
    "(retention.grace), --undo restores a deleted checkpoint; --undo without a checkpoint lists those that can be restored.",
  arguments: [
    {
      name: "[checkpoint...]",
      text: "id, part of an id, step, latest, latest~2, start, phase:NAME, session:ID/4",
      completes: "checkpoint",
    },
  ],
  options: [
    { flags: "-y, --yes", text: "do not ask" },
    { flags: "-m, --reason <text>", text: "why, for the journal", alias: "--message" },
    { flags: "--now", text: "delete for good, without a day to change your mind" },
    { flags: "--undo", text: "restore deleted checkpoints; without one: list them" },
    { flags: "--all", text: "with --undo: restore everything that can be restored" },
    {
      flags: "--force",
      text: "delete it even if undo, redo, the saved state of a session or a merge needs it",
    },
  ],
  examples: [
    { command: "waymark delete cp-04-implement --yes", text: "one checkpoint, without a question" },
    { command: "waymark delete --undo", text: "list what can be restored" },
    { command: "waymark delete --undo cp-04-implement", text: "restore it" },
    { command: "waymark delete --undo --all", text: "restore everything" },
    {
      command: 'waymark delete latest --now --yes -m "contained a password"',
      text: "for good; git removes its objects at its next garbage collection",
    },
  ],
  kinds: ["delete"],
  whenInterrupted: "Nothing was deleted or restored.",
  audits: ({ undo }) => (undo === true ? "undelete" : "delete"),
  toleratesBadConfig: true,
  load: () => import("./delete.ts"),
};
