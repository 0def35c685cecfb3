import type { OptionSpec } from "./command-spec.ts";

/** What a checkpoint is to hold beside the work tree; `src/interfaces/cli/part-asks.ts` reads them. */
export const PART_OPTIONS: readonly OptionSpec[] = [
  {
    flags: "--state <file>",
    text: "JSON or YAML document with the workflow's state (`-`: standard input)",
    completes: "file",
  },
  { flags: "--state-key <key...>", text: "only these keys of the state" },
  {
    flags: "--outputs <file>",
    text: "the same for the workflow's outputs",
    completes: "file",
  },
  {
    flags: "--database <url...>",
    text: "sqlite:FILE, postgres://…, mysql://…, service:NAME or env:NAME; passwords come from the environment",
  },
  {
    flags: "--scope <patterns...>",
    text: "only these files, folders or patterns (`src/**/*.ts`), also ignored ones and files outside the project",
    completes: "file",
  },
];
