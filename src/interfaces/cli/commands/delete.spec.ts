import type { CommandSpec } from "../command-spec.ts";

export const deleteSpec: CommandSpec = {
  name: "delete",
  group: "Keeping and moving",
  summary: "delete checkpoints; they can be brought back for a while",
  description:
    "Shows what goes and asks. Pinned checkpoints and those that a rollback under way needs are refused. A deleted checkpoint " +
    "can be brought back with --undo for a day (retention.grace); --undo without a checkpoint lists what can be.",
  arguments: [
    {
      name: "[checkpoint...]",
      text: "id, part of an id, step, latest, latest~2, phase:NAME, session:ID/4",
      completes: "checkpoint",
    },
  ],
  options: [
    { flags: "-y, --yes", text: "do not ask" },
    { flags: "-m, --reason <text>", text: "why, for the journal" },
    { flags: "--now", text: "for good, without the time in which it can be brought back" },
    { flags: "--undo", text: "bring back deleted checkpoints; without one: list them" },
    {
      flags: "--force",
      text: "delete it although undo, redo, the saved state of a session or a merge needs it",
    },
  ],
  examples: [
    { command: "waymark delete cp-04-implement --yes", text: "one checkpoint, without a question" },
    { command: "waymark delete --undo", text: "what can be brought back" },
    { command: "waymark delete --undo cp-04-implement", text: "bring it back" },
    {
      command: 'waymark delete latest --now --yes -m "held a password"',
      text: "for good; git removes its objects when it next collects garbage",
    },
  ],
  kinds: ["delete"],
  audits: ({ undo }) => (undo === true ? "undelete" : "delete"),
  toleratesBadConfig: true,
  load: () => import("./delete.ts"),
};
