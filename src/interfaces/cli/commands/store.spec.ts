import type { CommandSpec } from "../command-spec.ts";

export const storeSpec: CommandSpec = {
  name: "store",
  group: "Storage and transfer",
  summary: "show where checkpoints are stored and what that borrows from the repository",
  description:
    "Checkpoints and sessions are in a bare repository of their own, .git/waymark/store. It borrows commits of your repository, which refs " +
    "below refs/waymark/keep keep from being pruned.",
  examples: [
    { command: "waymark store", text: "path, size, borrowed commits" },
    { command: "waymark store own", text: "copy what is borrowed, before history is rewritten" },
  ],
  looksOnly: true,
  toleratesBadConfig: true,
  kinds: ["store"],
  load: () => import("./store.ts"),
};

export const storeOwnSpec: CommandSpec = {
  name: "store own",
  group: "Storage and transfer",
  summary: "copy everything that the store borrows, so that it needs nothing of the repository",
  description:
    "Use it before a history rewrite (git filter-repo, BFG), on unreliable disks, or where no refs can be written. Afterwards checkpoints stay " +
    "intact whatever happens to the repository, and new commits are copied with each checkpoint. It takes as much disk space as the borrowed " +
    "history. Interrupted or killed, it continues where it was when it is run again.",
  examples: [
    { command: "waymark store own", text: "before `git filter-repo`" },
    { command: "waymark validate", text: "proves it: nothing of the repository is read" },
  ],
  toleratesBadConfig: true,
  kinds: ["store_own"],
  audits: "store_own",
  whenInterrupted: "The store still borrows; what was copied stays for the next run.",
  load: () => import("./store-own.ts"),
};
