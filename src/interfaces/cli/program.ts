/** The commands as a commander program: the one that is called, or all of them where help is asked for. A start is paid often. */
import { Argument, Command, InvalidArgumentError } from "commander";
import {
  BadValue,
  GROUPS,
  type CommandSpec,
  type Context,
  type OptionSpec,
} from "./command-spec.ts";
import { EXIT_MEANINGS } from "./exit-codes.ts";
import { GLOBAL_OPTIONS } from "./global-options.ts";
import { printable } from "./printable.ts";
import { VERSION } from "./version.ts";

export const USAGE_HINT =
  "`waymark help` lists the commands, `waymark help COMMAND` shows what one takes.";

export type Start = (spec: CommandSpec, given: Pick<Context, "args" | "options">) => Promise<void>;

export function buildProgram(
  commands: readonly CommandSpec[],
  argv: readonly string[],
  start: Start,
): Command {
  const program = new Command("waymark")
    .description("Checkpoint, roll back and undo for projects that agents change.")
    .version(VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand("help [command]", "print the help of a command")
    .usage("[options] <command>")
    .showSuggestionAfterError()
    .showHelpAfterError(`hint: ${USAGE_HINT}`)
    .configureHelp({ sortOptions: false })
    .configureOutput({ outputError: (text, write) => write(printable(text)) })
    .exitOverride();
  for (const option of GLOBAL_OPTIONS) addOption(program, option);
  const only = commands.find(({ name }) => name === commandWord(argv));
  if (only !== undefined) {
    addCommand(program, only, true, start);
    return program;
  }
  for (const group of GROUPS) {
    program.commandsGroup(`${group}:`);
    for (const spec of commands) {
      if (spec.group === group) addCommand(program, spec, argv.includes(spec.name), start);
    }
  }
  program.addHelpText("after", AFTER);
  return program;
}

const TAKE_A_VALUE = new Set(["-C", "--session"]);

/** The first word that is neither an option nor the value of one. */
function commandWord(argv: readonly string[]): string | undefined {
  for (let at = 2; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (TAKE_A_VALUE.has(word)) at += 1;
    else if (!word.startsWith("-")) return word;
  }
  return undefined;
}

const AFTER = `
Exit codes: ${EXIT_MEANINGS.map(({ code, short }) => `${code} ${short}`).join(", ")}.
\`waymark help <command>\` shows options and examples of a command.`;

function addCommand(program: Command, spec: CommandSpec, isMentioned: boolean, start: Start): void {
  const command = program
    .command(spec.name, { hidden: spec.isHidden === true })
    .summary(spec.summary);
  if (!isMentioned) return;
  command.description(
    [`${spec.summary}.`, ...(spec.description === undefined ? [] : [spec.description])].join(
      "\n\n",
    ),
  );
  for (const { name, text } of spec.arguments ?? []) command.addArgument(new Argument(name, text));
  for (const option of spec.options ?? []) addOption(command, option);
  command.addHelpText("after", () => globalHelp() + exampleHelp(spec));
  command.action(async (...given: unknown[]) => {
    const count = spec.arguments?.length ?? 0;
    await start(spec, {
      args: given.slice(0, count),
      options: given[count] as Readonly<Record<string, unknown>>,
    });
  });
}

function addOption(command: Command, { flags, text, parse, repeats }: OptionSpec): void {
  if (repeats === true) {
    command.option(flags, text, (value: string, before: readonly string[] | undefined) => [
      ...(before ?? []),
      value,
    ]);
    return;
  }
  if (parse === undefined) {
    command.option(flags, text);
    return;
  }
  command.option(flags, text, (value: string): unknown => {
    try {
      return parse(value);
    } catch (error) {
      if (error instanceof BadValue) throw new InvalidArgumentError(error.message);
      throw error;
    }
  });
}

function globalHelp(): string {
  const width = Math.max(...GLOBAL_OPTIONS.map((option) => option.flags.length)) + 2;
  const lines = GLOBAL_OPTIONS.map((option) => `  ${option.flags.padEnd(width)}${option.text}`);
  return `\nGlobal options:\n${lines.join("\n")}\n`;
}

function exampleHelp(spec: CommandSpec): string {
  const lines = spec.examples.flatMap(({ command, text }) => [`  # ${text}`, `  ${command}`]);
  return `\nExamples:\n${lines.join("\n")}\n`;
}
