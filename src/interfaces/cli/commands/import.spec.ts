import { OLD_FORMATS } from "../../../domain/old-formats/old-formats.ts";
import type { CommandSpec } from "../command-spec.ts";
import { oldFormat, wholeNumber } from "../options.ts";

export const importSpec: CommandSpec = {
  name: "import",
  group: "Keeping and moving",
  summary: "take in the checkpoints of a file that `export` wrote, or those of another tool",
  description:
    "Everything in the file is checked before anything of it becomes part of the repository, and then all of it does or nothing. " +
    "Files, index and branches stay as they are; `waymark rollback` goes to an imported checkpoint by its id.\n\n" +
    `With --from it reads what another tool wrote (${OLD_FORMATS.join(", ")}; docs/old-formats.md) and makes sessions of it, and checkpoints of the records whose ` +
    "commit is in this repository. What cannot be carried is listed and stops nothing else. The source is never written.",
  arguments: [
    {
      name: "<file>",
      text: "what `waymark export` wrote; with --from a folder or file of that tool",
      completes: "file",
    },
  ],
  options: [
    {
      flags: "--from <format>",
      text: `what another tool wrote: ${OLD_FORMATS.join(", ")}`,
      parse: oldFormat,
      completes: OLD_FORMATS,
    },
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
    {
      command: "waymark import --from flowspec .flowspec/checkpoints.json",
      text: "take over the checkpoints of flowspec",
    },
  ],
  makesProject: true,
  kinds: ["import", "old_format_import"],
  audits: "import",
  toleratesBadConfig: true,
  load: () => import("./import.ts"),
};
