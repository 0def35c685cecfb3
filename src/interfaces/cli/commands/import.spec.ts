import type { CommandSpec } from "../command-spec.ts";
import { wholeNumber } from "../options.ts";

export const importSpec: CommandSpec = {
  name: "import",
  group: "Keeping and moving",
  summary: "take in the checkpoints of a file that `export` wrote",
  description:
    "Everything in the file is checked before anything of it becomes part of the repository, and then all of it does or nothing. " +
    "Files, index and branches stay as they are; `waymark rollback` goes to an imported checkpoint by its id.",
  arguments: [{ name: "<file>", text: "what `waymark export` wrote", completes: "file" }],
  options: [
    { flags: "-n, --dry-run", text: "check it, show what is in it, and change nothing" },
    {
      flags: "--max-size-mb <n>",
      text: "how much it may unfold to (default: 1024, or 200 times its size)",
      parse: wholeNumber,
    },
  ],
  examples: [
    { command: "waymark import project-20261115-184530.bundle", text: "on another machine" },
    { command: "waymark import backup.bundle --dry-run", text: "only look" },
  ],
  makesProject: true,
  kinds: ["import"],
  audits: "import",
  toleratesBadConfig: true,
  load: () => import("./import.ts"),
};
