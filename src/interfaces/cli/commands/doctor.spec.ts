import type { CommandSpec } from "../command-spec.ts";

export const doctorSpec: CommandSpec = {
  name: "doctor",
  group: "Set-up",
  summary: "check the machine, the repository and the store, and say what to do",
  description:
    "Looks at git and Node, settings that would delete or publish checkpoints, what killed commands left behind, damaged checkpoints, the " +
    "configuration and free disk space, and tries whether a checkpoint could be taken. Works in a broken repository and outside of one. " +
    "Ends with exit code 1 when there is a problem; warnings are no problem.",
  options: [
    {
      flags: "--fix",
      text: "finish or take back an interrupted rollback and remove leftovers",
    },
  ],
  examples: [
    { command: "waymark doctor", text: "is everything as it should be?" },
    { command: "waymark doctor --fix", text: "after a crash" },
    { command: "waymark doctor --json", text: "for a script" },
  ],
  toleratesBadConfig: true,
  kinds: ["doctor"],
  load: () => import("./doctor.ts"),
};
