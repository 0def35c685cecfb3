import type { CommandSpec } from "../command-spec.ts";

export const recoverSpec: CommandSpec = {
  name: "recover",
  group: "Restore",
  summary: "finish or revert an interrupted rollback",
  description:
    "Every command that changes the project does this first; this one does nothing else.",
  options: [
    {
      flags: "--take-over <rollback>",
      text: "take over the rollback of a process on another machine or in a container that is definitely gone; the error shows the id",
    },
  ],
  examples: [{ command: "waymark recover", text: "after a crash or a power cut" }],
  toleratesBadConfig: true,
  kinds: ["recovery"],
  audits: "recover",
  load: () => import("./recover.ts"),
};
