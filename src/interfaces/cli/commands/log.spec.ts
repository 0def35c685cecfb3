import type { CommandSpec } from "../command-spec.ts";
import { CHECKPOINT_FILTERS } from "../checkpoint-filters.ts";
import { pastTime, wholeNumber } from "../options.ts";

export const logSpec: CommandSpec = {
  name: "log",
  group: "Looking",
  summary: "show the journal: what was done, when, by whom and why, and what failed",
  description:
    "Reads the sessions and the audit log of this work tree, `.checkpoints/audit.log`, which also has what was refused or failed " +
    "and checkpoints that are gone. Piped, it prints one line per entry with tabs between full values.",
  options: [
    { flags: "--all", text: "of every session" },
    { flags: "--failed", text: "only what was refused, failed or was interrupted" },
    {
      flags: "--since <when>",
      text: "24h, 7d, or a date (UTC unless it says otherwise)",
      parse: pastTime,
    },
    ...CHECKPOINT_FILTERS,
    { flags: "--limit <n>", text: "at most this many entries", parse: wholeNumber },
  ],
  examples: [
    { command: "waymark log", text: "the journal of this work tree" },
    { command: "waymark log --failed --since 7d", text: "what went wrong in the last week" },
    {
      command: "waymark log --all --limit 20 --json",
      text: "the last of everything, for a script",
    },
  ],
  kinds: ["journal"],
  toleratesBadConfig: true,
  looksOnly: true,
  load: () => import("./log.ts"),
};
