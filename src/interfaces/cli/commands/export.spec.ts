import type { CommandSpec } from "../command-spec.ts";

export const exportSpec: CommandSpec = {
  name: "export",
  group: "Storage and transfer",
  summary: "write checkpoints to one file that any machine can import",
  description:
    "The file is a git bundle with everything that the checkpoints need, history too, so it can be imported anywhere and " +
    "read with plain git (`waymark help export-format`). It is verified like an import before it is moved into place. " +
    "Untracked files that look like secrets, databases and copies of files (--scope) stay on this machine: a rollback elsewhere leaves them as they are there. " +
    "--include-secrets and --include-databases let files and databases go along. A checkpoint with a staged file or a state that looks like a secret is not exported unless --include-secrets names it. " +
    "Without --output, it goes to .git/waymark/exports/, in a plain folder to .checkpoints/exports/.",
  arguments: [
    { name: "[checkpoint...]", text: "which ones (default: all)", completes: "checkpoint" },
  ],
  options: [
    { flags: "-o, --output <file>", text: "the file, or a folder for it", completes: "file" },
    { flags: "--force", text: "replace an existing file" },
    { flags: "--since <rev...>", text: "omit history that these revisions contain" },
    { flags: "--thin", text: "omit history that remote-tracking branches contain" },
    {
      flags: "--include-secrets <path...>",
      text: "include these files although they look like secrets; a folder includes everything in it",
      completes: "file",
    },
    {
      flags: "--include-databases",
      text: "include databases, with all of their data",
    },
    { flags: "--skip-damaged", text: "skip damaged checkpoints" },
  ],
  examples: [
    { command: "waymark export", text: "everything, to .git/waymark/exports/" },
    { command: "waymark export latest -o ../latest.bundle", text: "one checkpoint" },
    {
      command: "waymark --session task-12 export --since origin/main",
      text: "a session, for a colleague with a clone of the project",
    },
  ],
  kinds: ["export"],
  whenInterrupted: "An archive is complete or was not written.",
  audits: "export",
  toleratesBadConfig: true,
  load: () => import("./export.ts"),
};
