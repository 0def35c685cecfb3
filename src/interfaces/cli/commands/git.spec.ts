import type { CommandSpec } from "../command-spec.ts";

export const gitSpec: CommandSpec = {
  name: "git",
  group: "Storage and transfer",
  summary: "run a git command on the repository that checkpoints are stored in",
  description:
    "Everything after `git` is passed to git unchanged, with your settings, pager and terminal; the exit code is git's. Checkpoints are below " +
    "refs/waymark/cp, sessions below refs/waymark/session. gc, repack, prune, prune-packed and maintenance are not run: they " +
    "would drop objects that checkpoints borrow from the repository. `waymark cleanup` packs the store.",
  arguments: [
    { name: "[arguments...]", text: "a git command with its options", completes: "command" },
  ],
  examples: [
    { command: "waymark git log --all --oneline", text: "checkpoints with the commits below them" },
    { command: "waymark git fsck", text: "check every object" },
    {
      command: "waymark git show refs/waymark/cp/ID:worktree/FILE",
      text: "a file of a checkpoint",
    },
  ],
  looksOnly: true,
  passesAll: true,
  kinds: [],
  load: () => import("./git.ts"),
};
