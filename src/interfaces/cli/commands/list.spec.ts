import type { CommandSpec } from "../command-spec.ts";
import { CHECKPOINT_FILTERS } from "../checkpoint-filters.ts";
import { wholeNumber } from "../options.ts";

export const listSpec: CommandSpec = {
  name: "list",
  group: "Looking",
  summary: "list the checkpoints of the session, newest first",
  description:
    "Marks: `*` current, `x` invalid (a rollback went back behind it), `e` expired, `!` damaged, `^` pinned. Piped, it prints one line per " +
    "checkpoint with tabs between full values.",
  options: [
    { flags: "--stat", text: "how far each one is from the project now" },
    { flags: "--all", text: "every session, and the checkpoints that rollbacks took" },
    ...CHECKPOINT_FILTERS,
    { flags: "--limit <n>", text: "at most this many", parse: wholeNumber },
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
