import type { CommandSpec } from "../command-spec.ts";

export const initSpec: CommandSpec = {
  name: "init",
  group: "Set-up",
  summary: "write a file with all settings and say what was found",
  description:
    "Writes waymark.yml with every setting and its default, commented out, and adds .checkpoints/ to .git/info/exclude. Both are " +
    "optional: checkpoints work without them. A waymark.yml that is there stays. Nothing is staged or committed. A folder without git " +
    "becomes a project of its own, also one that `create` refuses as too wide (the root of a file system).\n\n" +
    "For agents that have files in the project hooks are offered, which take a checkpoint before each change that an agent makes; `hooks install` is the " +
    "command for it.",
  options: [
    { flags: "--force", text: "replace a waymark.yml that is there; a copy is kept" },
    { flags: "-n, --dry-run", text: "say what would be done and change nothing" },
    { flags: "--hooks", text: "install hooks for the agents that are found, without a question" },
    { flags: "--no-hooks", text: "do not ask about hooks" },
  ],
  examples: [
    { command: "waymark init", text: "in a project that has none yet" },
    { command: "waymark init --hooks", text: "with hooks for the agents that are found" },
    { command: "waymark init --dry-run --json", text: "only what was found, for a script" },
  ],
  toleratesBadConfig: true,
  kinds: ["init"],
  audits: "init",
  load: () => import("./init.ts"),
};
