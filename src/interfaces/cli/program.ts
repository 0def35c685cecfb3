/** The commands as a commander program: the one that is called, or all of them where help is asked for. A start is paid often. */
import { Argument, Command, Help, InvalidArgumentError, Option } from "commander";
import { Failure } from "../../domain/failure.ts";
import {
  BadValue,
  firstWord,
  GROUPS,
  secondWord,
  type CommandFamily,
  type CommandSpec,
  type Context,
  type OptionSpec,
} from "./command-spec.ts";
import { readFlags } from "./completion/flags.ts";
import { EXIT_MEANINGS } from "./exit-codes.ts";
import { GLOBAL_OPTIONS } from "./global-options.ts";
import { VERSION } from "./version.ts";

export const USAGE_HINT =
  "`waymark help` lists the commands; `waymark COMMAND --help` describes one.";

export type Start = (spec: CommandSpec, given: Pick<Context, "args" | "options">) => Promise<void>;

export interface CommandTable {
  readonly commands: readonly CommandSpec[];
  readonly families: readonly CommandFamily[];
}

export function buildProgram(
  { commands, families }: CommandTable,
  argv: readonly string[],
  start: Start,
): Command {
  const program = new Command("waymark")
    .description("Checkpoint, roll back and resume for projects that coding agents work on.")
    .version(VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand("help [command]", "Print the help of a command, or a page of the docs")
    .usage("[options] <command>")
    .configureHelp({ sortOptions: false, showGlobalOptions: true })
    // `main` prints it like every other failure.
    .configureOutput({ outputError: () => undefined })
    .exitOverride();
  for (const option of GLOBAL_OPTIONS) addOption(program, option);
  const called = commandWord(argv);
  const only = commands.filter((spec) => firstWord(spec) === called);
  const family = families.find(({ name }) => name === called);
  if (family !== undefined) addFamily(program, family, only, start);
  else for (const spec of only) addCommand(parentOf(program, spec), spec, true, start);
  if (only.length > 0) return program;
  for (const group of GROUPS) {
    program.commandsGroup(`${group}:`);
    for (const spec of commands.filter((each) => secondWord(each) === undefined)) {
      if (spec.group === group) addCommand(program, spec, argv.includes(spec.name), start);
    }
    for (const each of families.filter((found) => found.group === group)) {
      const own = commands.filter((spec) => firstWord(spec) === each.name);
      addFamily(program, each, argv.includes(each.name) ? own : [], start);
    }
  }
  const columns = process.stdout.columns ?? USUAL_COLUMNS;
  program.addHelpText("after", new Help().boxWrap(AFTER, columns));
  return program;
}

/** `config trust` belongs to `config`, which is a command itself and comes first in the table. */
function parentOf(program: Command, spec: CommandSpec): Command {
  const isNested = secondWord(spec) !== undefined;
  const first = program.commands.find((command) => command.name() === firstWord(spec));
  return isNested && first !== undefined ? first.helpCommand(false) : program;
}

const TAKE_A_VALUE = new Set(["-C", "--session"]);

/** The first word that is neither an option nor the value of one. */
export function commandWord(argv: readonly string[]): string | undefined {
  for (let at = 2; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (TAKE_A_VALUE.has(word)) at += 1;
    else if (!word.startsWith("-")) return word;
  }
  return undefined;
}

const USUAL_COLUMNS = 80;

const AFTER = `
Exit codes: ${EXIT_MEANINGS.map(({ code, short }) => `${code} ${short}`).join(", ")}.
\`waymark help <command>\` shows options and examples of a command; \`waymark help <page>\` shows a page of the docs, such as agents, workflows, recovery, configuration or troubleshooting.`;

const CONFIG_VERBS = new Set(["get", "list", "show"]);

/** `version` is `--version`, `config get KEY` is `config KEY`, and `config list` is `config`. `help session start` and `session help start` are `session start --help`: the parser looks at one word after `help` only. The options of a command that is run are its own. */
export function asParsed(
  argv: readonly string[],
  commands: readonly CommandSpec[],
): readonly string[] {
  const called = commandWord(argv);
  const at = argv.indexOf(called ?? "", 2);
  if (called === "version") return argv.with(at, "--version");
  if (called === "config" && CONFIG_VERBS.has(argv[at + 1] ?? "")) return argv.toSpliced(at + 1, 1);
  const running = commands.find(
    (spec) => spec.name === called && spec.arguments?.at(-1)?.completes === "command",
  );
  if (running !== undefined) return withCommandApart(argv, at, running);
  const words = at < 0 ? [] : argv.slice(at, at + 2);
  const family = words.find((word) =>
    commands.some((spec) => secondWord(spec) !== undefined && firstWord(spec) === word),
  );
  if (family === undefined || !words.includes("help")) return argv;
  return [...argv.slice(0, at), family, ...argv.slice(at + 2), "--help"];
}

/** `guard make -C sub` is `guard -- make -C sub`: a command that is run keeps its own options. */
function withCommandApart(
  argv: readonly string[],
  at: number,
  { arguments: known = [], options = [], passesAll = false }: CommandSpec,
): readonly string[] {
  if (passesAll) {
    const isOwn = ["--help", "-h", "--"].includes(argv[at + 1] ?? "");
    return isOwn ? argv : argv.toSpliced(at + 1, 0, "--");
  }
  let ownArguments = known.length - 1;
  for (let next = at + 1; next < argv.length && argv[next] !== "--"; next++) {
    const word = argv[next] ?? "";
    if (!word.startsWith("-")) {
      if (ownArguments === 0) return argv.toSpliced(next, 0, "--");
      ownArguments -= 1;
      continue;
    }
    const name = /^(?:--[^=]*|-.?)/.exec(word)?.[0] ?? "";
    const option = [...options, ...GLOBAL_OPTIONS].find((each) =>
      [each.alias, ...readFlags(each).names].includes(name),
    );
    // The parser refuses it.
    if (option === undefined) return argv;
    const { value, isVariadic } = readFlags(option);
    if (value === undefined || word !== name) continue;
    const after = argv.findIndex((each, place) => place > next + 1 && each.startsWith("-"));
    if (!isVariadic) next += 1;
    else next = after < 0 ? argv.length : after - 1;
  }
  return argv;
}

function addFamily(
  program: Command,
  { name, summary }: CommandFamily,
  commands: readonly CommandSpec[],
  start: Start,
): void {
  const family = program
    .command(name)
    .summary(capital(summary))
    .description(`${capital(summary)}.`);
  if (commands.length === 0) return;
  family.usage("<command>").helpCommand(false);
  for (const spec of commands) addCommand(family, spec, true, start);
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function addCommand(program: Command, spec: CommandSpec, isMentioned: boolean, start: Start): void {
  const command = program
    .command(secondWord(spec) ?? spec.name, { hidden: spec.isHidden === true })
    .summary(capital(spec.summary));
  if (!isMentioned) return;
  command.description(
    [
      `${capital(spec.summary)}.`,
      ...(spec.description === undefined ? [] : [spec.description]),
    ].join("\n\n"),
  );
  for (const { name, text } of spec.arguments ?? []) command.addArgument(new Argument(name, text));
  for (const option of spec.options ?? []) addOption(command, option);
  command.addHelpText("after", exampleHelp(spec));
  command.action(async (...given: unknown[]) => {
    const count = spec.arguments?.length ?? 0;
    const args = given.slice(0, count);
    refuseBlank(spec, args);
    await start(spec, { args, options: given[count] as Readonly<Record<string, unknown>> });
  });
}

/** What an empty variable of a script makes of `rollback "$ID"`. */
function refuseBlank({ arguments: specs = [] }: CommandSpec, args: readonly unknown[]): void {
  for (const [at, { completes }] of specs.entries()) {
    if (completes !== "checkpoint" && completes !== "session") continue;
    const isBlank = [args[at]].flat().some((one) => typeof one === "string" && one.trim() === "");
    if (!isBlank) continue;
    const lists = completes === "session" ? "session list" : "list";
    throw new Failure("usage", `an empty text names no ${completes}`, {
      hint: `\`waymark ${lists}\` shows them.`,
    });
  }
}

function addOption(command: Command, { flags, text, parse, repeats, alias }: OptionSpec): void {
  if (alias !== undefined) {
    const hidden = new Option(`${alias} <value>`).hideHelp();
    hidden.attributeName = () => new Option(flags).attributeName();
    command.addOption(hidden);
  }
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

function exampleHelp(spec: CommandSpec): string {
  const lines = spec.examples.flatMap(({ command, text }) => [`  # ${text}`, `  ${command}`]);
  return `\nExamples:\n${lines.join("\n")}\n`;
}
