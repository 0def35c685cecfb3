import type { CommandSpec } from "../command-spec.ts";
import { wholeNumber } from "../options.ts";

export const logSpec: CommandSpec = {
  name: "log",
  group: "Looking",
  summary: "show the journal: what was done, when, by whom and why",
  options: [
    { flags: "--all", text: "of every session" },
    { flags: "--limit <n>", text: "at most this many entries", parse: wholeNumber },
  ],
  examples: [
    { command: "waymark log", text: "the journal of this work tree" },
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
