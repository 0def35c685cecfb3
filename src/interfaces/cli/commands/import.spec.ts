import { OLD_FORMATS } from "../../../domain/old-formats/old-formats.ts";
import type { CommandSpec } from "../command-spec.ts";
import { oldFormat, wholeNumber } from "../options.ts";

export const importSpec: CommandSpec = {
  name: "import",
  group: "Storage and transfer",
  summary: "import checkpoints from a file written by `export`, or from another tool",
  description:
    "The whole file is checked before any of it becomes part of the repository; then all of it is imported, or nothing. " +
    "Files, index and branches do not change; `waymark rollback ID` restores an imported checkpoint.\n\n" +
    `With --from it reads the data of another tool (${OLD_FORMATS.join(", ")}; \`waymark help old-formats\`) and creates sessions from it, and checkpoints from the ` +
    "records whose commit is in this repository. What cannot be converted is listed. The source is never changed.",
  arguments: [
    {
      name: "<file>",
      text: "a file written by `waymark export`; with --from a folder or file of that tool",
      completes: "file",
    },
  ],
  options: [
    {
      flags: "--from <format>",
      text: `the other tool: ${OLD_FORMATS.join(", ")}`,
      parse: oldFormat,
      completes: OLD_FORMATS,
    },
    { flags: "-n, --dry-run", text: "check it and show its contents; change nothing" },
    {
      flags: "--max-size-mb <n>",
      text: "maximum unpacked size in MB (default: 1024, or 200 times the file size if that is more)",
      parse: wholeNumber,
    },
  ],
  examples: [
    { command: "waymark import project-20261115-184530.bundle", text: "on another machine" },
    { command: "waymark import backup.bundle --dry-run", text: "preview only" },
    {
      command: "waymark import --from flowspec .flowspec/checkpoints.json",
      text: "convert the checkpoints of flowspec",
    },
  ],
  makesProject: true,
  kinds: ["import", "old_format_import"],
  whenInterrupted: "Nothing was imported.",
  audits: "import",
  toleratesBadConfig: true,
  load: () => import("./import.ts"),
};
