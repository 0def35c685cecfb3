import type { CommandSpec } from "../command-spec.ts";

export const showSpec: CommandSpec = {
  name: "show",
  group: "Looking",
  summary: "show one checkpoint: what it holds and what it does not",
  arguments: [
    { name: "<checkpoint>", text: "id, part of an id, step, latest …", completes: "checkpoint" },
  ],
  examples: [
    { command: "waymark show latest", text: "the last one" },
    { command: "waymark show 4 --json", text: "the one of step 4, for a script" },
  ],
  toleratesBadConfig: true,
  looksOnly: true,
  kinds: ["checkpoint"],
  load: () => import("./show.ts"),
};
