import type { CommandSpec } from "../command-spec.ts";

export const diffSpec: CommandSpec = {
  name: "diff",
  group: "Looking",
  summary: "show what lies between two checkpoints, or a checkpoint and now",
  description:
    "Files with lines added and removed, what the workflow reported, and commits between. No filter and no diff program of the " +
    "repository is run. On a terminal a patch goes through the pager ($GIT_PAGER, core.pager of your own git settings, $PAGER, less).",
  arguments: [
    { name: "<from>", text: "a checkpoint", completes: "checkpoint" },
    {
      name: "[to]",
      text: "another checkpoint (default: the project now)",
      completes: "checkpoint",
    },
  ],
  options: [
    { flags: "--stat", text: "only the files, with lines added and removed" },
    { flags: "-p, --patch", text: "the changes themselves" },
    {
      flags: "--state",
      text: "only phase, step, metrics, the workflow's state and outputs, and commits",
    },
    { flags: "--paths <path...>", text: "only these files and folders", completes: "file" },
  ],
  examples: [
    { command: "waymark diff latest", text: "what was done since the last checkpoint" },
    { command: "waymark diff 3 4 --patch", text: "what step 4 changed, line by line" },
    {
      command: "waymark diff phase:implement --stat --paths src",
      text: "one folder, as a summary",
    },
  ],
  kinds: ["diff"],
  toleratesBadConfig: true,
  looksOnly: true,
  load: () => import("./diff.ts"),
};
