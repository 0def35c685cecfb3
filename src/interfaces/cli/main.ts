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
import { pathMeant } from "./path-meant.ts";
import { asParsed, buildProgram, commandWord, USAGE_HINT } from "./program.ts";
import { progressOn } from "./progress.ts";

export async function main(given: readonly string[]): Promise<void> {
  const argv = asParsed(given, COMMANDS);
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
    const page = await pageAskedFor(argv);
    if (page === undefined) await program.parseAsync([...argv]);
    else await printPage(page, new Output(globalOptions(program, "/")));
  } catch (error) {
    exitCode = await usageExit(error, program, argv);
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
  const progress = progressOn(output);
  let project: Project | undefined;
  const isDryRun = given.options["dryRun"] === true;
  const operation = auditedAs(spec, given.options);
  const interruption = new SignalInterruption({
    hint: spec.looksOnly === true || isDryRun ? "Nothing was changed." : spec.whenInterrupted,
    say: (line) => output.say(line),
    end: (failure) => {
      record(project, failure);
      project?.close();
      process.exit(output.failure(failure));
    },
  });
  const record = (opened: Project | undefined, error: unknown): void => {
    if (opened === undefined || operation === undefined) return;
    const command = spec.name === operation ? {} : { command: spec.name };
    auditFailure(opened, { operation, ...command }, error);
  };
  const open = async (more: Omit<OpenOptions, "directory">): Promise<Project> => {
    const { openGitProject } = await import("../../app.ts");
    const agent = agentOfEnvironment(process.env) ?? {};
    return openGitProject({ directory: options.directory, progress, interruption, agent, ...more });
  };
  const context: Context = {
    ...given,
    output,
    directory: options.directory,
    sessionId: options.session,
    interruption,
    openProject: async () => {
      if (project !== undefined) return project;
      const makeProject = spec.makesProject === true;
      const opening = async (): Promise<Project> =>
        (project = await open({
          makeProject,
          looksOnly: spec.looksOnly === true || isDryRun,
          onBadConfig: spec.toleratesBadConfig === true ? "warn" : "fail",
          warn: (message) => output.warn(message),
          tell: (message) => output.say(message),
        }));
      // Closing it takes back what was made of a folder.
      const opened = await (makeProject ? interruption.afterwards(opening) : opening());
      output.shortensIds(() => opened.checkpoints.ids());
      return opened;
    },
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
    // Settings that are wrong keep a project from being opened, but not the refusal from being recorded.
    if (isBadConfig(error)) project ??= await open({ onBadConfig: "warn" }).catch(() => undefined);
    record(project, error);
    return output.failure(namingPath(error, spec, given.args, options.directory));
  } finally {
    interruption.stop();
    project?.close();
  }
}

function namingPath(
  error: unknown,
  spec: CommandSpec,
  args: readonly unknown[],
  directory: string,
): unknown {
  if (!(error instanceof Failure) || error.code !== "checkpoint_not_found") return error;
  const hint = pathMeant(spec, args, directory);
  if (hint === undefined) return error;
  return new Failure(error.code, error.message, { hint, details: error.details, cause: error });
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

async function usageExit(
  error: unknown,
  program: Command,
  argv: readonly string[],
): Promise<number> {
  // Where it was to work does not matter any more, and may be what is wrong.
  const options = { ...globalOptions(program, "/"), json: wantsJson(argv) };
  const output = new Output(
    options,
    COMMANDS.some((spec) => argv.includes(spec.name) && printsLines(spec)),
  );
  if (!(error instanceof CommanderError)) return output.failure(error);
  // Help and version are printed by then and are no failure.
  const isUnknown = error.code === "commander.unknownCommand";
  if (error.exitCode === 0 || (isHelp(argv) && !isUnknown)) return 0;
  const [message = "", suggestion] = error.message.replace(/^error: /, "").split("\n");
  if (message === "(outputHelp)") {
    if (!options.json) return 2;
    return output.failure(new Failure("usage", "no command given", { hint: USAGE_HINT }));
  }
  const missing = MISSING.get(error.code === "commander.missingArgument" ? message : "");
  if (missing !== undefined) {
    return output.failure(new Failure("usage", missing.message, { hint: missing.hint }));
  }
  const word = isUnknown ? /'(.*)'$/.exec(message)?.[1] : undefined;
  const meant =
    word === undefined
      ? (suggestion?.slice(1, -1) ?? yesMeant(message, argv))
      : await commandsMeant(word, wordsOf(argv)[0]);
  const runs =
    error.code === "commander.unknownOption"
      ? otherCase(program, message)
      : error.code === "commander.excessArguments"
        ? (unquoted(argv) ?? pathBeyond(argv, globalOptions(program).directory))
        : undefined;
  const hint = [...(meant === undefined ? [] : [meant]), runs ?? hintAbout(argv)].join(" ");
  return output.failure(new Failure("usage", message, { hint }));
}

/** What was not named, and the command that lists it. */
const MISSING = new Map(
  [
    { argument: "checkpoint", what: "checkpoint", lists: "list" },
    { argument: "session", what: "session", lists: "session list" },
    { argument: "key", what: "setting", lists: "config" },
  ].map(({ argument, what, lists }) => [
    `missing required argument '${argument}'`,
    { message: `no ${what} given`, hint: `\`waymark ${lists}\` shows them.` },
  ]),
);

/** The command and the word behind it; of `help`, those that help is asked for. */
function wordsOf(argv: readonly string[]): readonly string[] {
  const at = argv.indexOf(commandWord(argv) ?? "", 2);
  const words = at < 0 ? [] : argv.slice(at).filter((word) => !word.startsWith("-"));
  return words[0] === "help" ? words.slice(1) : words;
}

function specCalled(argv: readonly string[]): CommandSpec | undefined {
  const [first, second] = wordsOf(argv);
  const named = (name: string): CommandSpec | undefined =>
    COMMANDS.find((spec) => spec.name === name);
  return named(`${first} ${second}`) ?? named(first ?? "");
}

/** The parser prints the general help for a command that does not exist. Undefined: help on a command, or no help at all. */
async function pageAskedFor(argv: readonly string[]): Promise<string | undefined> {
  const own = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  const [first, second] = wordsOf(own);
  const isAsked = isHelp(own) || own.includes("--help") || own.includes("-h");
  if (!isAsked || first === undefined || first === "help") return undefined;
  if (specCalled(own) !== undefined) return undefined;
  const isFamily = FAMILIES.some(({ name }) => name === first);
  const word = isFamily ? second : first;
  if (word === undefined) return undefined;
  if (isHelp(own) && !isFamily) {
    const { helpPages } = await import("./help-page.ts");
    if (helpPages().includes(word)) return word;
  }
  throw new CommanderError(2, "commander.unknownCommand", `error: unknown command '${word}'`);
}

async function printPage(page: string, output: Output): Promise<void> {
  const { printHelpPage } = await import("./help-page.ts");
  await printHelpPage(page, output);
}

/** Elsewhere a question is answered by force. */
function yesMeant(message: string, argv: readonly string[]): string | undefined {
  const asks = specCalled(argv)?.options?.some(({ flags }) => flags.includes("--yes")) === true;
  return asks && /'(?:-f|--force)'$/.test(message) ? "Did you mean --yes?" : undefined;
}

/** For `-v`, where there is only `-V`. */
function otherCase(program: Command, message: string): string | undefined {
  const letter = /^unknown option '-([a-z])'$/i.exec(message)?.[1] ?? "";
  const isUpper = letter === letter.toUpperCase();
  const other = `-${isUpper ? letter.toLowerCase() : letter.toUpperCase()}`;
  const known = program.options.find(({ short }) => short === other);
  return known === undefined ? undefined : `Did you mean ${other} (${known.description})?`;
}

/** For `create two words`: only a message may have several. */
function unquoted(argv: readonly string[]): string | undefined {
  if (specCalled(argv)?.name !== "create") return undefined;
  const words = argv.slice(argv.indexOf("create") + 1).filter((word) => !word.startsWith("-"));
  return `Quote the message: \`waymark create "${words.join(" ")}"\`.`;
}

/** For `rollback latest notes.txt`. */
function pathBeyond(argv: readonly string[], directory: string): string | undefined {
  const spec = specCalled(argv);
  return spec === undefined ? undefined : pathMeant(spec, wordsOf(argv).slice(1), directory);
}

function hintAbout(argv: readonly string[]): string {
  const name = specCalled(argv)?.name;
  return name === undefined
    ? USAGE_HINT
    : `\`waymark ${name} --help\` shows its options and examples.`;
}

async function commandsMeant(
  word: string,
  called: string | undefined,
): Promise<string | undefined> {
  const { guessCommands } = await import("./guesses.ts");
  const guesses = guessCommands(word, called === word ? undefined : called);
  const names = guesses.map((name) => `\`waymark ${name}\``);
  return names.length === 0 ? undefined : `Did you mean ${names.join(" or ")}?`;
}

function printsLines({ kinds }: CommandSpec): boolean {
  return kinds.includes("run_event");
}

/** `waymark help`, with or without a command. */
function isHelp(argv: readonly string[]): boolean {
  return commandWord(argv) === "help";
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
  process.stderr.write("hint: The command continues; `waymark list` shows the checkpoints.\n");
}
