import type { CommandSpec } from "../command-spec.ts";
import { duration, wholeNumber } from "../options.ts";

export const cleanupSpec: CommandSpec = {
  name: "cleanup",
  group: "Keeping and moving",
  summary: "remove checkpoints that the retention rules no longer keep",
  description:
    "What goes can be brought back with `delete --undo` for a day (retention.grace). Pinned checkpoints, the current and the " +
    "newest ones, and whatever undo and redo need always stay. With --keep or --older-than these take the place of the " +
    "configured counts, ages and size; what either of them keeps stays. Sessions that ended long enough ago go when none of their " +
    "checkpoints is left.",
  options: [
    { flags: "-n, --dry-run", text: "show what would go and why, and change nothing" },
    { flags: "--keep <n>", text: "keep the newest n of each session", parse: wholeNumber },
    {
      flags: "--older-than <time>",
      text: "keep what is younger than 12h, 7d, 2w …",
      parse: duration,
    },
    { flags: "--now", text: "remove for good at once, also what is in the trash" },
    { flags: "-y, --yes", text: "do not ask (only --now asks)" },
    { flags: "--auto", text: "as after a create: end quietly when another cleanup runs" },
  ],
  examples: [
    { command: "waymark cleanup --dry-run", text: "what would go, and why" },
    { command: "waymark cleanup", text: "by the rules in waymark.yml" },
    { command: "waymark cleanup --keep 10", text: "only the ten newest of each session" },
    { command: "waymark cleanup --older-than 30d --now --yes", text: "for good, from a script" },
  ],
  kinds: ["cleanup"],
  audits: "cleanup",
  load: () => import("./cleanup.ts"),
};
