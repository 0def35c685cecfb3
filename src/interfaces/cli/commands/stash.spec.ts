import type { CommandSpec } from "../command-spec.ts";

export const stashSpec: CommandSpec = {
  name: "stash",
  group: "Keeping and moving",
  summary: "put a checkpoint on git's stash list as an ordinary entry",
  description:
    "Changes the stash list and nothing else. `git stash apply --index` then brings back what was staged, changed and untracked. " +
    "Permissions, empty folders and files with a filter (LFS) do not fit into a stash entry; files that do not come back " +
    "as they were are named.",
  arguments: [
    {
      name: "<checkpoint>",
      text: "id, part of an id, step, latest, latest~2, phase:NAME, session:ID/4",
      completes: "checkpoint",
    },
  ],
  options: [{ flags: "-m, --message <text>", text: "the message of the entry" }],
  examples: [
    { command: "waymark stash latest", text: "then: git stash apply --index" },
    { command: 'waymark stash cp-04-implement -m "half done"', text: "with a message" },
  ],
  kinds: ["stash"],
  audits: "stash",
  toleratesBadConfig: true,
  load: () => import("./stash.ts"),
};
