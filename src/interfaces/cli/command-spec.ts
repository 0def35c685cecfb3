/**
 * What a command takes, as data: the parser, `--help`, the completion scripts, the man page and docs/cli.md are all made
 * from it. The code that acts is loaded when the command runs, so that a start pays for nothing else.
 */
import type { AuditedOperation } from "../../domain/audit.ts";
import type { Project } from "../../operations/project.ts";
import type { Interruption } from "../../ports/interruption.ts";
import type { Output } from "./output.ts";

/** What a shell may offer for a value. */
export type Completes =
  | "checkpoint"
  | "session"
  | "file"
  | "folder"
  | "command"
  | "schema"
  | "setting"
  | readonly string[];

export interface OptionSpec {
  /** As commander takes it: `-m, --reason <text>`. */
  readonly flags: string;
  readonly text: string;
  /** Throws `BadValue` with what is allowed. */
  readonly parse?: (value: string) => unknown;
  /** May be given several times; the value is a list then. */
  readonly repeats?: boolean;
  /** Another long name that means the same, and is not in the help. Only for options without `parse` and `repeats`. */
  readonly alias?: string;
  readonly completes?: Completes;
}

export interface ArgumentSpec {
  /** `<checkpoint>`, `[checkpoint]`, `[checkpoint...]` */
  readonly name: string;
  readonly text: string;
  readonly completes?: Completes;
}

export interface Example {
  readonly command: string;
  readonly text: string;
}

export const GROUPS = [
  "Checkpoints",
  "Restore",
  "Workflows",
  "Inspect",
  "Storage and transfer",
  "Setup",
  "Integrations",
] as const;

export interface CommandSpec {
  /** One word, or two: `session start` is the command `start` of the family `session`. */
  readonly name: string;
  readonly group: (typeof GROUPS)[number];
  /** One line, begins with a verb, no full stop. */
  readonly summary: string;
  /** More, for `--help`, the man page and docs/cli.md; paragraphs. */
  readonly description?: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  readonly examples: readonly Example[];
  /** Goes on with defaults, after a warning, when settings are wrong: nobody is kept from their work by a typing error. */
  readonly toleratesBadConfig?: boolean;
  /** A folder that is in no project becomes one. */
  readonly makesProject?: boolean;
  /** Changes nothing, so it also leaves checkpoints from before a `git init` where they are. */
  readonly looksOnly?: boolean;
  /** Every word after its name is an argument, options too. */
  readonly passesAll?: boolean;
  /** The kinds of document that `--json` prints: names of schemas. Empty: it prints no document. */
  readonly kinds: readonly string[];
  /** What the audit log calls it when it is refused or interrupted; what only looks has none, and so has a dry run. */
  readonly audits?: AuditedOperation | ((options: Context["options"]) => AuditedOperation);
  /** What is true after an interruption that came before anything had to reach its end; for the hint. */
  readonly whenInterrupted?: string;
  /** For programs: works, and is in no help, man page or completion. */
  readonly isHidden?: boolean;
  readonly load: () => Promise<CommandModule>;
}

/** Commands whose names begin with the same word; help lists them as one. */
export interface CommandFamily {
  readonly name: string;
  readonly group: (typeof GROUPS)[number];
  readonly summary: string;
}

/** The word that calls a command, or the family that it is of. */
export function firstWord({ name }: Pick<CommandSpec, "name">): string {
  return name.split(" ", 1)[0] ?? name;
}

/** What calls it within its family; undefined: it is of none. */
export function secondWord({ name }: Pick<CommandSpec, "name">): string | undefined {
  return name.split(" ")[1];
}

export interface CommandModule {
  readonly run: (context: Context) => Promise<number | void>;
}

/** What a running command is given. */
export interface Context {
  readonly output: Output;
  readonly args: readonly unknown[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly directory: string;
  readonly sessionId: string | undefined;
  /** Opened once, closed when the command ends. */
  readonly openProject: () => Promise<Project>;
  /** Ctrl+C and signals, for a command that opens projects itself. */
  readonly interruption: Interruption;
  /** For a command that goes on for long: what was read before is forgotten. */
  readonly reopenProject: () => Promise<Project>;
}

/** A value that an option does not take; the message says what it takes. */
export class BadValue extends Error {}
