import type { CommandSpec } from "../command-spec.ts";

export const recoverSpec: CommandSpec = {
  name: "recover",
  group: "Going back",
  summary: "finish or take back a rollback that was interrupted",
  description:
    "Every command that changes the project does this first; this one does nothing else.",
  examples: [{ command: "waymark recover", text: "after a crash or a power cut" }],
  toleratesBadConfig: true,
  kinds: ["recovery"],
  audits: "recover",
  load: () => import("./recover.ts"),
};
