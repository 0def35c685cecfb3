import type { CommandSpec } from "../command-spec.ts";

export const completeSpec: CommandSpec = {
  name: "complete",
  group: "Integrations",
  summary: "print candidates for the next word of a command line, for the completion scripts",
  arguments: [{ name: "[words...]", text: "the words so far; the last one is being typed" }],
  examples: [{ command: "waymark complete -- rollback cp-", text: "what the scripts run" }],
  kinds: [],
  isHidden: true,
  load: () => import("./complete.ts"),
};
