/** Options that every command takes. */
import { resolve } from "node:path";
import type { Command } from "commander";
import { Failure } from "../../domain/failure.ts";
import type { OptionSpec } from "./command-spec.ts";
import { notBlank } from "./options.ts";
import type { GlobalOptions } from "./output.ts";
import { hasColor } from "./style.ts";

export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  { flags: "-C <dir>", text: "run in this folder", completes: "folder" },
  {
    flags: "--session <id>",
    text: "the session to use (default: the one started here, else the work tree's own)",
    parse: notBlank,
    completes: "session",
  },
  { flags: "--json", text: "print one JSON document on stdout" },
  { flags: "-q, --quiet", text: "print only results and errors" },
  { flags: "--no-color", text: "disable colors" },
];

export function globalOptions(
  program: Command,
  directory = folderToWorkIn(program),
): GlobalOptions {
  const options = program.opts<{
    session?: string;
    json?: boolean;
    quiet?: boolean;
    color: boolean;
  }>();
  return {
    directory,
    json: options.json === true,
    quiet: options.quiet === true,
    color: options.color && hasColor(process.stdout),
    colorOfTalk: options.color && hasColor(process.stderr),
    session: options.session ?? (process.env["WAYMARK_SESSION"] || undefined),
  };
}

function folderToWorkIn(program: Command): string {
  const { C: given = "." } = program.opts<{ C?: string }>();
  try {
    return resolve(given);
  } catch (error) {
    // A rollback takes away folders that its checkpoint has not, also the one that somebody is in.
    throw new Failure("not_a_repository", "the current folder no longer exists", {
      hint: "`cd` to the project, or name it with -C.",
      cause: error,
    });
  }
}

/** For a command line that could not be parsed: errors have to be JSON then too. */
export function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end < 0 ? argv : argv.slice(0, end)).includes("--json");
}
