import type { CommandSpec } from "../command-spec.ts";

export const showSpec: CommandSpec = {
  name: "show",
  group: "Inspect",
  summary: "show one checkpoint and what it contains",
  arguments: [
    {
      name: "[checkpoint]",
      text: "id, part of an id, step, latest (default) …",
      completes: "checkpoint",
    },
  ],
  examples: [
    { command: "waymark show", text: "the last one" },
    { command: "waymark show 4 --json", text: "the one of step 4, for a script" },
  ],
  toleratesBadConfig: true,
  looksOnly: true,
  kinds: ["checkpoint"],
  load: () => import("./show.ts"),
};
