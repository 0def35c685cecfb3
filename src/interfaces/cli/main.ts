/** Parses the command line and runs one command. */
import { type Command, CommanderError } from "commander";
import { Failure } from "../../domain/failure.ts";
import type { Project } from "../../operations/project.ts";
import type { CommandSpec, Context } from "./command-spec.ts";
import { COMMANDS } from "./command-table.ts";
import { globalOptions, wantsJson } from "./global-options.ts";
import { SignalInterruption } from "./interruption.ts";
import { Output } from "./output.ts";
import { buildProgram } from "./program.ts";
import { progressOn } from "./progress.ts";

/** What is always true after an interruption. */
const WHEN_INTERRUPTED =
  "A checkpoint is complete or not there: `waymark list` shows which there are. Run the command again.";

export async function main(argv: readonly string[]): Promise<void> {
  // Whoever reads our output may have had enough of it.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  // A command that never gets to its end has failed.
  process.exitCode = 1;
  let exitCode = 0;
  const program = buildProgram(COMMANDS, argv, async (spec, given) => {
    exitCode = await runCommand(program, spec, given);
  });
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    exitCode = usageExit(error, program, argv);
  }
  process.exitCode = exitCode;
}

async function runCommand(
  program: Command,
  spec: CommandSpec,
  given: Pick<Context, "args" | "options">,
): Promise<number> {
  const options = globalOptions(program);
  const output = new Output(options);
  let project: Project | undefined;
  const interruption = new SignalInterruption({
    hint: spec.whenInterrupted ?? WHEN_INTERRUPTED,
    say: (line) => output.say(line),
    end: (failure) => process.exit(output.failure(failure)),
  });
  const context: Context = {
    ...given,
    output,
    directory: options.directory,
    sessionId: options.session,
    openProject: async () => {
      if (project !== undefined) return project;
      const { openGitProject } = await import("../../app.ts");
      project = await openGitProject({
        directory: options.directory,
        progress: progressOn(output),
        interruption,
        warn: (message) => output.warn(message),
      });
      return project;
    },
  };
  try {
    const { run } = await spec.load();
    return (await run(context)) ?? 0;
  } catch (error) {
    return output.failure(interruption.explain(error));
  } finally {
    interruption.stop();
    project?.close();
  }
}

function usageExit(error: unknown, program: Command, argv: readonly string[]): number {
  const options = { ...globalOptions(program), json: wantsJson(argv) };
  if (!(error instanceof CommanderError)) return new Output(options).failure(error);
  // Help and version are printed by then and are no failure.
  if (error.exitCode === 0) return 0;
  if (!options.json) return 2;
  const message = error.message.replace(/^error: /, "");
  return new Output(options).failure(
    new Failure("usage", message === "(outputHelp)" ? "which command? None was named" : message, {
      hint: "See `waymark --help`.",
    }),
  );
}
