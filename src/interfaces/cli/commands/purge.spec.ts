import type { CommandSpec } from "../command-spec.ts";

export const purgeSpec: CommandSpec = {
  name: "purge",
  group: "Storage and transfer",
  summary: "remove a commit, a blob or a path from the store for good",
  description:
    "Finds every checkpoint (also deleted ones), session and export that contains the object, or any version of the path, lists them and " +
    "asks. The checkpoints are deleted for good, the store is packed without them, and Waymark checks that no copy of the object is left in it.\n\n" +
    "Your own repository is never changed: its history may contain the object too. The commands that remove it there are printed. " +
    "A file that git converts (line ends, filters) has other content in checkpoints than in commits: name its path. Exports are listed and not deleted.",
  arguments: [
    { name: "<object>", text: "a commit, a blob, REV:FILE, or a path", completes: "file" },
  ],
  options: [
    { flags: "-n, --dry-run", text: "only show what contains it" },
    { flags: "-y, --yes", text: "do not ask" },
    { flags: "-m, --reason <text>", text: "why, for the journal", alias: "--message" },
  ],
  examples: [
    { command: "waymark purge secrets.env --dry-run", text: "what contains any version of it" },
    { command: "waymark purge secrets.env", text: "remove every version of it" },
    { command: "waymark purge HEAD@{1}", text: "a commit that was amended away" },
  ],
  kinds: ["purge"],
  whenInterrupted: "Nothing was removed.",
  audits: "purge",
  toleratesBadConfig: true,
  load: () => import("./purge.ts"),
};
