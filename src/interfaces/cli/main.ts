/** Parses the command line and runs one command. */
import { type Command, CommanderError } from "commander";
import { agentOfEnvironment } from "../../domain/agents/agent-of-environment.ts";
import type { AuditedOperation } from "../../domain/audit.ts";
import { Failure } from "../../domain/failure.ts";
import { auditFailure } from "../../operations/audited.ts";
import type { Project } from "../../operations/project.ts";
import type { OpenOptions } from "../../app.ts";
import type { CommandSpec, Context } from "./command-spec.ts";
import { COMMANDS, FAMILIES } from "./command-table.ts";
import { globalOptions, wantsJson } from "./global-options.ts";
import { SignalInterruption } from "./interruption.ts";
import { Output } from "./output.ts";
import { buildProgram, USAGE_HINT, withHelpOfFamily } from "./program.ts";
import { progressOn } from "./progress.ts";

export async function main(given: readonly string[]): Promise<void> {
  const argv = withHelpOfFamily(given, COMMANDS);
  let isLost = false;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (!isLost && !isUnread(error)) sayLost(error);
    isLost ||= !isUnread(error);
    process.exitCode = isLost ? 1 : process.exitCode;
  });
  // Nobody hears what is said: the work goes on all the same.
  process.stderr.on("error", () => undefined);
  // A command that never gets to its end has failed.
  process.exitCode = 1;
  let exitCode = 0;
  const table = { commands: COMMANDS, families: FAMILIES };
  const program = buildProgram(table, argv, async (spec, asked) => {
    exitCode = await runCommand(program, spec, asked);
  });
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    exitCode = usageExit(error, program, argv);
  }
  process.exitCode = isLost && exitCode === 0 ? 1 : exitCode;
}

async function runCommand(
  program: Command,
  spec: CommandSpec,
  given: Pick<Context, "args" | "options">,
): Promise<number> {
  const options = globalOptions(program);
  const output = new Output(options, printsLines(spec));
  let project: Project | undefined;
  const operation = auditedAs(spec, given.options);
  const interruption = new SignalInterruption({
    hint: spec.whenInterrupted,
    say: (line) => output.say(line),
    end: (failure) => {
      record(project, failure);
      project?.close();
      process.exit(output.failure(failure));
    },
  });
  const record = (opened: Project | undefined, error: unknown): void => {
    if (opened !== undefined && operation !== undefined) auditFailure(opened, operation, error);
  };
  const open = async (more: Omit<OpenOptions, "directory">): Promise<Project> => {
    const { openGitProject } = await import("../../app.ts");
    const progress = progressOn(output);
    const agent = agentOfEnvironment(process.env) ?? {};
    return openGitProject({ directory: options.directory, progress, interruption, agent, ...more });
  };
  const context: Context = {
    ...given,
    output,
    directory: options.directory,
    sessionId: options.session,
    interruption,
    openProject: async () =>
      (project ??= await open({
        makeProject: spec.makesProject === true,
        looksOnly: spec.looksOnly === true || given.options["dryRun"] === true,
        onBadConfig: spec.toleratesBadConfig === true ? "warn" : "fail",
        warn: (message) => output.warn(message),
        tell: (message) => output.say(message),
      })),
    reopenProject: () => {
      project?.close();
      project = undefined;
      return context.openProject();
    },
  };
  try {
    const { run } = await spec.load();
    return (await run(context)) ?? 0;
  } catch (error) {
    const explained = interruption.explain(error);
    // Settings that are wrong keep a project from being opened, but not the refusal from being recorded.
    if (isBadConfig(error)) project ??= await open({ onBadConfig: "warn" }).catch(() => undefined);
    record(project, explained);
    return output.failure(explained);
  } finally {
    interruption.stop();
    project?.close();
  }
}

function auditedAs(
  { audits }: CommandSpec,
  options: Context["options"],
): AuditedOperation | undefined {
  if (options["dryRun"] === true) return undefined;
  return typeof audits === "function" ? audits(options) : audits;
}

function isBadConfig(error: unknown): boolean {
  return error instanceof Failure && error.code === "config_invalid";
}

function usageExit(error: unknown, program: Command, argv: readonly string[]): number {
  // Where it was to work does not matter any more, and may be what is wrong.
  const options = { ...globalOptions(program, "/"), json: wantsJson(argv) };
  const output = new Output(
    options,
    COMMANDS.some((spec) => argv.includes(spec.name) && printsLines(spec)),
  );
  if (!(error instanceof CommanderError)) return output.failure(error);
  // Help and version are printed by then and are no failure.
  if (error.exitCode === 0 || isHelp(argv)) return 0;
  if (!options.json) return 2;
  const [message = "", suggestion] = error.message.replace(/^error: /, "").split("\n");
  return output.failure(
    new Failure("usage", message === "(outputHelp)" ? "which command? None was named" : message, {
      hint: suggestion === undefined ? USAGE_HINT : `${suggestion.slice(1, -1)} ${USAGE_HINT}`,
    }),
  );
}

function printsLines({ kinds }: CommandSpec): boolean {
  return kinds.includes("run_event");
}

/** `waymark help`, with or without a command. */
function isHelp(argv: readonly string[]): boolean {
  return argv.slice(2).find((word) => !word.startsWith("-")) === "help";
}

/** Whoever read our output has had enough of it, or its terminal was closed. */
function isUnread({ code }: NodeJS.ErrnoException): boolean {
  return (
    code === "EPIPE" || code === "ERR_STREAM_DESTROYED" || (code === "EIO" && process.stdout.isTTY)
  );
}

/** A full disk is worth a word. What the command does comes to its end before it fails: a workflow may be under way. */
function sayLost(error: Error): void {
  process.stderr.write(`error: the result could not be written: ${error.message}\n`);
  process.stderr.write("hint: The command goes on; `waymark list` shows where you are.\n");
}
