import type { CommandSpec } from "../command-spec.ts";
import { CHECKPOINT_FILTERS } from "../checkpoint-filters.ts";
import { rowLimit } from "../options.ts";

export const listSpec: CommandSpec = {
  name: "list",
  group: "Inspect",
  summary: "list the checkpoints of this work tree, newest first",
  description:
    "Each row shows how long ago the checkpoint was created, how many lines and files changed since the one before it, and its message. `*` marks " +
    "the one that the last create or rollback left this work tree at; checkpoints that were rolled past are dimmed. What an agent did for one prompt is one row: the state after it, and the row below is the state " +
    "before it (with the work of other agents that are busy at the same time).\n\n" +
    "Piped, it prints one line per checkpoint with tabs between full values. Its marks: `*` current, `x` rolled past, `e` expired, `!` damaged, `^` pinned.",
  options: [
    { flags: "--long", text: "also show time, step, phase, trigger, task, commit and session" },
    { flags: "--stat", text: "show how each one differs from the project now" },
    { flags: "--expand", text: "show a row for each checkpoint of a prompt" },
    {
      flags: "--all",
      text: "show those of every work tree, and the safety checkpoints of rollbacks",
    },
    ...CHECKPOINT_FILTERS,
    {
      flags: "-n, --limit <n>",
      text: "show at most this many, 0 for all (default: 20 rows on a terminal, otherwise all)",
      parse: rowLimit,
    },
  ],
  examples: [
    { command: "waymark list", text: "the checkpoints of this work tree" },
    { command: "waymark list --all --json", text: "everything, for a script" },
  ],
  toleratesBadConfig: true,
  looksOnly: true,
  kinds: ["checkpoint_list"],
  load: () => import("./list.ts"),
};
