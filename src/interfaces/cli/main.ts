/** Parses the command line and runs one command. */
import { type Command, CommanderError } from "commander";
import { openGitProject } from "../../app.ts";
import { Failure } from "../../domain/failure.ts";
import type { Project } from "../../operations/project.ts";
import type { CommandSpec, Context } from "./command-spec.ts";
import { COMMANDS } from "./command-table.ts";
import { globalOptions, wantsJson } from "./global-options.ts";
import { Output } from "./output.ts";
import { buildProgram } from "./program.ts";
import { progressOn } from "./progress.ts";

export async function main(argv: readonly string[]): Promise<void> {
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
  const context: Context = {
    ...given,
    output,
    directory: options.directory,
    sessionId: options.session,
    openProject: async () =>
      (project ??= await openGitProject({
        directory: options.directory,
        progress: progressOn(output),
        warn: (message) => output.warn(message),
        onBadConfig: spec.toleratesBadConfig === true ? "warn" : "fail",
      })),
  };
  try {
    const { run } = await spec.load();
    return (await run(context)) ?? 0;
  } catch (error) {
    return output.failure(error);
  } finally {
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
