import type { CommandSpec } from "../command-spec.ts";

export const initSpec: CommandSpec = {
  name: "init",
  group: "Setup",
  summary: "Write waymark.yml and offer hooks for your agents",
  description:
    "Writes waymark.yml with the ten settings that matter most, commented out. It is optional: checkpoints work without it. An existing waymark.yml is not changed. Nothing is staged or committed. A folder without git " +
    "becomes a project of its own, also one that `create` refuses because it is too broad (the root of a file system).\n\n" +
    "If the project has files of coding agents, it offers to install hooks, which create a checkpoint before each change of an agent " +
    "(see `waymark hooks install`).",
  options: [
    { flags: "--force", text: "replace an existing waymark.yml; a copy is kept" },
    { flags: "-n, --dry-run", text: "show what would be done; change nothing" },
    { flags: "--hooks", text: "install hooks for the agents found, without asking" },
    { flags: "--no-hooks", text: "do not ask about hooks" },
  ],
  examples: [
    { command: "waymark init", text: "in a project without a waymark.yml" },
    { command: "waymark init --hooks", text: "with hooks for the agents found" },
    { command: "waymark init --dry-run --json", text: "preview only, for a script" },
  ],
  toleratesBadConfig: true,
  kinds: ["init"],
  audits: "init",
  load: () => import("./init.ts"),
};
