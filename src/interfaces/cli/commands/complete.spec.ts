import type { CommandSpec } from "../command-spec.ts";

export const completeSpec: CommandSpec = {
  name: "complete",
  group: "Integrations",
  summary: "say what could come next on a command line; the completion scripts ask this",
  arguments: [{ name: "[words...]", text: "the words so far; the last one is being typed" }],
  examples: [{ command: "waymark complete -- rollback cp-", text: "what the scripts run" }],
  kinds: [],
  isHidden: true,
  load: () => import("./complete.ts"),
};
