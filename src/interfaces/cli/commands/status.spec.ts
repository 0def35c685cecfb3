import type { CommandSpec } from "../command-spec.ts";

export const statusSpec: CommandSpec = {
  name: "status",
  group: "Inspect",
  summary: "show where you are: the last checkpoint, what changed since, what undo would do",
  description:
    "Also shows what was interrupted and how to resume it, and which agents on this machine have hooks that create a checkpoint before each of their changes.",
  examples: [
    { command: "waymark status", text: "before you let an agent work" },
    { command: "waymark status --json", text: "for a script or a prompt" },
  ],
  toleratesBadConfig: true,
  looksOnly: true,
  kinds: ["status"],
  load: () => import("./status.ts"),
};
