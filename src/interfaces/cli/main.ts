/** Parses the command line and runs one command. */
import { resolve } from "node:path";
import { Command, CommanderError } from "commander";
import { Failure } from "../../domain/failure.ts";
import { addCreate } from "./commands/create.ts";
import { addList } from "./commands/list.ts";
import { addRecover } from "./commands/recover.ts";
import { addRedo, addUndo } from "./commands/undo.ts";
import { addRollback } from "./commands/rollback.ts";
import { addShow } from "./commands/show.ts";
import { addValidate } from "./commands/validate.ts";
import { Output, type GlobalOptions } from "./output.ts";
import type { RunCommand } from "./run-command.ts";
import { openGitProject } from "../../app.ts";
import { VERSION } from "./version.ts";

export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command("waymark");
  let exitCode = 0;
  const run: RunCommand = async (command, act) => {
    const output = new Output(globalOptions(program));
    try {
      const project = await openGitProject({ directory: output.options.directory });
      try {
        exitCode = (await act(project, output)) ?? 0;
      } finally {
        project.close();
      }
    } catch (error) {
      exitCode = output.failure(error);
    }
    void command;
  };
  program
    .description("Checkpoint, roll back and undo for git work trees that agents change.")
    .version(VERSION, "-V, --version", "print the version")
    .option("-C <dir>", "work in this folder", ".")
    .option("--session <id>", "the session to work with (default: the work tree's own)")
    .option("--json", "print one JSON document on stdout")
    .option("-q, --quiet", "print results and errors only")
    .option("--no-color", "print without colours")
    .helpOption("-h, --help", "print help")
    .showSuggestionAfterError()
    .exitOverride();
  for (const add of [
    addCreate,
    addList,
    addShow,
    addRollback,
    addUndo,
    addRedo,
    addValidate,
    addRecover,
  ]) {
    add(program, run);
  }
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    exitCode = usageExit(error, program);
  }
  process.exitCode = exitCode;
}

function usageExit(error: unknown, program: Command): number {
  if (!(error instanceof CommanderError)) {
    return new Output(globalOptions(program)).failure(error);
  }
  // Help and version are printed by then and are no failure.
  if (error.exitCode === 0) return 0;
  const options = globalOptions(program);
  if (options.json) {
    return new Output(options).failure(
      new Failure("usage", error.message.replace(/^error: /, ""), {
        hint: "See `waymark --help`.",
      }),
    );
  }
  return 2;
}

function globalOptions(program: Command): GlobalOptions {
  const options = program.opts<{
    C: string;
    session?: string;
    json?: boolean;
    quiet?: boolean;
    color: boolean;
  }>();
  const isPlain = process.env["NO_COLOR"] !== undefined && process.env["NO_COLOR"] !== "";
  const forced = process.env["FORCE_COLOR"] !== undefined && process.env["FORCE_COLOR"] !== "0";
  return {
    directory: resolve(options.C),
    json: options.json === true || process.argv.includes("--json"),
    quiet: options.quiet === true,
    color:
      options.color &&
      !isPlain &&
      (forced || (process.stdout.isTTY && process.env["TERM"] !== "dumb")),
    session: options.session,
  };
}
