import type { CommandSpec } from "../command-spec.ts";

export const diffSpec: CommandSpec = {
  name: "diff",
  group: "Inspect",
  summary: "show the differences between two checkpoints, or between a checkpoint and now",
  description:
    "Shows files with lines added and removed, changes in the workflow's state, and commits between. Filters and diff programs of " +
    "the repository are not run. With --patch, output on a terminal goes through the pager ($GIT_PAGER, core.pager of your own git settings, $PAGER, " +
    "less).",
  arguments: [
    { name: "[from]", text: "a checkpoint (default: latest)", completes: "checkpoint" },
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
    { command: "waymark diff", text: "changes since the last checkpoint" },
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
