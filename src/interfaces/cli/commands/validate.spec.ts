import type { CommandSpec } from "../command-spec.ts";

export const validateSpec: CommandSpec = {
  name: "validate",
  group: "Inspect",
  summary: "check that every object of every checkpoint is present and intact",
  arguments: [
    { name: "[checkpoint...]", text: "which ones (default: all)", completes: "checkpoint" },
  ],
  examples: [
    { command: "waymark validate", text: "all checkpoints" },
    { command: "waymark --session task-12 validate", text: "those of a session" },
    { command: "waymark validate latest --json", text: "one, for a script" },
  ],
  toleratesBadConfig: true,
  kinds: ["validation"],
  whenInterrupted: "Nothing was changed.",
  audits: "validate",
  load: () => import("./validate.ts"),
};
