import type { CommandSpec } from "../command-spec.ts";
import { duration, wholeNumber } from "../options.ts";

export const cleanupSpec: CommandSpec = {
  name: "cleanup",
  group: "Storage and transfer",
  summary: "remove checkpoints that the retention rules no longer keep",
  description:
    "For a day (retention.grace), `delete --undo` restores removed checkpoints. Pinned checkpoints, the current and the " +
    "newest ones, and whatever undo and redo need stay; --all removes the last two as well. With --keep or --older-than these take the place of the " +
    "configured counts, ages and size; what either of them keeps stays. --keep 0 and --older-than 0d keep none of the newest either. Sessions that ended long enough ago go when none of their " +
    "checkpoints is left.",
  options: [
    { flags: "-n, --dry-run", text: "show what would go and why, and change nothing" },
    { flags: "--keep <n>", text: "keep the newest n of each session", parse: wholeNumber },
    {
      flags: "--older-than <time>",
      text: "keep what is younger than 12h, 7d, 2w …",
      parse: duration,
    },
    {
      flags: "--all",
      text: "everything but pinned checkpoints, what something under way needs, and those that alone hold commits",
    },
    { flags: "--now", text: "remove for good at once, also what is in the trash" },
    { flags: "-y, --yes", text: "do not ask (--all and --now ask)" },
    { flags: "--auto", text: "as after a create: end quietly when another cleanup runs" },
  ],
  examples: [
    { command: "waymark cleanup --dry-run", text: "what would go, and why" },
    { command: "waymark cleanup", text: "by the rules in waymark.yml" },
    { command: "waymark cleanup --keep 10", text: "only the ten newest of each session" },
    { command: "waymark cleanup --all", text: "everything, after a question" },
    { command: "waymark cleanup --older-than 30d --now --yes", text: "for good, from a script" },
  ],
  kinds: ["cleanup"],
  audits: "cleanup",
  load: () => import("./cleanup.ts"),
};
