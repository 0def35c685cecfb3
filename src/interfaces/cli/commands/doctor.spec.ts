import type { CommandSpec } from "../command-spec.ts";

export const doctorSpec: CommandSpec = {
  name: "doctor",
  group: "Setup",
  summary: "Check the machine, the repository and the store",
  description:
    "Checks git and Node, git settings that would delete or publish checkpoints, files left by killed commands, damaged checkpoints, the " +
    "configuration and free disk space, and tries a checkpoint without storing it. Works in a broken repository and outside one. " +
    "The exit code is 1 when there is a problem; warnings do not affect it.",
  options: [
    {
      flags: "--fix",
      text: "finish or revert an interrupted rollback and remove temporary files",
    },
    { flags: "--all", text: "list every path, however many there are" },
  ],
  examples: [
    { command: "waymark doctor", text: "check everything" },
    { command: "waymark doctor --fix", text: "after a crash" },
    { command: "waymark doctor --json", text: "for a script" },
  ],
  toleratesBadConfig: true,
  whenInterrupted: "`waymark doctor` shows what is left to do.",
  kinds: ["doctor"],
  load: () => import("./doctor.ts"),
};
