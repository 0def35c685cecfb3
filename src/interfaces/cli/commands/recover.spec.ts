import type { CommandSpec } from "../command-spec.ts";

export const recoverSpec: CommandSpec = {
  name: "recover",
  group: "Going back",
  summary: "finish or take back a rollback that was interrupted",
  description:
    "Every command that changes the project does this first; this one does nothing else.",
  options: [
    {
      flags: "--take-over <rollback>",
      text: "although a process on another machine or in a container began it, which is surely gone: the id that the refusal shows",
    },
  ],
  examples: [{ command: "waymark recover", text: "after a crash or a power cut" }],
  toleratesBadConfig: true,
  kinds: ["recovery"],
  audits: "recover",
  load: () => import("./recover.ts"),
};
