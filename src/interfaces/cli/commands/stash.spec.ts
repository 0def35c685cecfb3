import type { CommandSpec } from "../command-spec.ts";

export const stashSpec: CommandSpec = {
  name: "stash",
  group: "Storage and transfer",
  summary: "add a checkpoint to git's stash list as an ordinary entry",
  description:
    "Changes only the stash list. `git stash apply --index` then restores staged, changed and untracked files. Permissions, empty " +
    "folders and filtered files (LFS) cannot be stored in a stash entry; files that would not be restored exactly are listed.",
  arguments: [
    {
      name: "<checkpoint>",
      text: "id, part of an id, step, latest, latest~2, start, phase:NAME, session:ID/4",
      completes: "checkpoint",
    },
  ],
  options: [{ flags: "-m, --message <text>", text: "the message of the entry" }],
  examples: [
    { command: "waymark stash latest", text: "then: git stash apply --index" },
    { command: 'waymark stash cp-04-implement -m "half done"', text: "with a message" },
  ],
  kinds: ["stash"],
  whenInterrupted: "`git stash list` shows whether the entry was added.",
  audits: "stash",
  toleratesBadConfig: true,
  load: () => import("./stash.ts"),
};
