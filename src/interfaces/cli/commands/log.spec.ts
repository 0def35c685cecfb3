import type { CommandSpec } from "../command-spec.ts";
import { CHECKPOINT_FILTERS } from "../checkpoint-filters.ts";
import { pastTime, rowLimit } from "../options.ts";

export const logSpec: CommandSpec = {
  name: "log",
  group: "Inspect",
  summary: "show the journal: what was done, when, by whom, why, and what failed",
  description:
    "Reads the sessions and the audit log of this work tree (audit.log in .git/waymark/, in a plain folder in .checkpoints/), which also records " +
    "refused and failed commands and deleted checkpoints. Piped, it prints one line per entry with tabs between full values.",
  options: [
    { flags: "--all", text: "entries of every work tree" },
    { flags: "--failed", text: "only commands that were refused, failed or interrupted" },
    {
      flags: "--since <when>",
      text: "24h, 7d, or a date (UTC unless it has an offset)",
      parse: pastTime,
    },
    ...CHECKPOINT_FILTERS,
    { flags: "-n, --limit <n>", text: "at most this many entries, 0 for all", parse: rowLimit },
  ],
  examples: [
    { command: "waymark log", text: "the journal of this work tree" },
    { command: "waymark log --failed --since 7d", text: "what went wrong in the last week" },
    {
      command: "waymark log --all --limit 20 --json",
      text: "the latest entries of all work trees, for a script",
    },
  ],
  kinds: ["journal"],
  toleratesBadConfig: true,
  looksOnly: true,
  load: () => import("./log.ts"),
};
