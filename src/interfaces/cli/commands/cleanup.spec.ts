import type { CommandSpec } from "../command-spec.ts";
import { duration, wholeNumber } from "../options.ts";

export const cleanupSpec: CommandSpec = {
  name: "cleanup",
  group: "Storage and transfer",
  summary: "remove checkpoints that the retention rules no longer keep",
  description:
    "For a day (retention.grace), `delete --undo` restores removed checkpoints. Pinned checkpoints, the current and the " +
    "newest ones, and whatever undo and redo need are kept, but --all keeps only the pinned ones of these. --keep and --older-than replace the " +
    "configured counts, ages and size; with both, a checkpoint that either one keeps stays. --keep 0 and --older-than 0d do not keep the newest ones either. Sessions that ended long enough ago are removed when none of their " +
    "checkpoints is left. --all --now, as before a project is shared, removes every session that no process runs and that has no pinned checkpoint, " +
    "and names exports, which stay.",
  options: [
    { flags: "-n, --dry-run", text: "show what would be removed and why; change nothing" },
    { flags: "--keep <n>", text: "keep the newest n of each session", parse: wholeNumber },
    {
      flags: "--older-than <time>",
      text: "remove only what is older than this: 12h, 7d, 2w …",
      parse: duration,
    },
    {
      flags: "--all",
      text: "remove everything except pinned checkpoints, those that a running command needs, and those that are the only reference to commits",
    },
    { flags: "--now", text: "delete for good immediately, including the trash" },
    {
      flags: "-y, --yes",
      text: "do not ask (--all, --now, and limits that leave no checkpoint ask)",
    },
    { flags: "--auto", text: "as run after `create`: exit quietly if another cleanup is running" },
  ],
  examples: [
    { command: "waymark cleanup --dry-run", text: "what would be removed, and why" },
    { command: "waymark cleanup", text: "by the rules in waymark.yml" },
    { command: "waymark cleanup --keep 10", text: "only the ten newest of each session" },
    { command: "waymark cleanup --all", text: "everything, after a question" },
    { command: "waymark cleanup --older-than 30d --now --yes", text: "for good, from a script" },
  ],
  kinds: ["cleanup"],
  whenInterrupted: "Nothing was removed.",
  audits: "cleanup",
  load: () => import("./cleanup.ts"),
};
