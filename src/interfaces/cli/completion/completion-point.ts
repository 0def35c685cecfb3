/** What could come next on a command line that is being typed. Pure: it knows the table of commands and the words. */
import {
  firstWord,
  secondWord,
  type CommandSpec,
  type Completes,
  type OptionSpec,
} from "../command-spec.ts";
import { readFlags } from "./flags.ts";

export interface CompletionPoint {
  readonly wants: Wanted;
  /** What stands before the value in the same word: `--trigger=`. */
  readonly prefix: string;
  /** The part of the value that is typed already. */
  readonly typed: string;
  /** What `-C` and `--session` say so far. */
  readonly directory: string | undefined;
  readonly sessionId: string | undefined;
}

export type Wanted =
  /** One of a family, or, undefined, any. */
  | { readonly kind: "command"; readonly family: string | undefined }
  | { readonly kind: "option"; readonly options: readonly OptionSpec[] }
  /** `orCommandOf`: or the second word of a command that begins with this one. */
  | {
      readonly kind: "value";
      readonly completes: Completes | undefined;
      readonly orCommandOf?: string;
    };

interface Table {
  readonly commands: readonly CommandSpec[];
  readonly globals: readonly OptionSpec[];
}

/** `words` is everything after the name of the program; the last one is being typed, and may be empty. */
export function completionPoint(words: readonly string[], table: Table): CompletionPoint {
  const walk = new Walk(table);
  for (const word of words.slice(0, -1)) walk.pass(word);
  return walk.end(words.at(-1) ?? "");
}

class Walk {
  readonly #table: Table;
  readonly #values = new Map<string, string>();
  #command: CommandSpec | "help" | undefined;
  #family: string | undefined;
  #open: OptionSpec | undefined;
  #onlyArguments = false;
  #passedArguments = 0;

  constructor(table: Table) {
    this.#table = table;
  }

  pass(word: string): void {
    if (!this.#onlyArguments && word.startsWith("-") && !this.#needsValue()) {
      this.#passOption(word);
    } else if (this.#open !== undefined) {
      this.#keep(this.#open, word);
      if (!readFlags(this.#open).isVariadic) this.#open = undefined;
    } else if (this.#command === undefined) {
      this.#passCommand(word);
    } else if (this.#command === "help" && this.#isFamily(word)) {
      this.#family ??= word;
      this.#passedArguments++;
    } else {
      const nested = this.#nested(word);
      if (nested !== undefined) this.#command = nested;
      else {
        // The options of a command that is run are its own.
        if (this.#completes() === "command") this.#onlyArguments = true;
        this.#passedArguments++;
      }
    }
  }

  #completes(): Completes | undefined {
    return typeof this.#command === "object" ? this.#argument(this.#command)?.completes : undefined;
  }

  /** `config trust`, where `config` takes other words, too. */
  #nested(word: string): CommandSpec | undefined {
    if (typeof this.#command !== "object" || this.#passedArguments > 0) return undefined;
    const name = `${this.#command.name} ${word}`;
    return this.#table.commands.find((spec) => spec.name === name);
  }

  #passCommand(word: string): void {
    if (this.#family === undefined && this.#isFamily(word)) {
      this.#family = word;
      return;
    }
    const name = this.#family === undefined ? word : `${this.#family} ${word}`;
    this.#command =
      name === "help" ? "help" : this.#table.commands.find((spec) => spec.name === name);
    // A word that is no command: whatever follows, nothing is known about it.
    this.#onlyArguments = this.#command === undefined;
  }

  #isFamily(word: string): boolean {
    return this.#isFirstWord(word) && !this.#table.commands.some((spec) => spec.name === word);
  }

  #isFirstWord(word: string): boolean {
    return this.#table.commands.some(
      (spec) => secondWord(spec) !== undefined && firstWord(spec) === word,
    );
  }

  end(word: string): CompletionPoint {
    const assigned = this.#onlyArguments ? null : /^(--[^=]+)=(.*)$/s.exec(word);
    const option = assigned === null ? undefined : this.#find(assigned[1] ?? "");
    const [prefix, typed] =
      assigned === null ? ["", word] : [`${assigned[1] ?? ""}=`, assigned[2] ?? ""];
    return {
      wants:
        assigned === null ? this.#wanted(word) : { kind: "value", completes: option?.completes },
      prefix,
      typed,
      directory: this.#values.get("-C"),
      sessionId: this.#values.get("--session"),
    };
  }

  #passOption(word: string): void {
    this.#open = undefined;
    if (word === "--") {
      this.#onlyArguments = true;
      return;
    }
    const [name = "", value] = word.startsWith("--") ? split(word) : [word];
    const option = this.#find(name);
    if (option === undefined || readFlags(option).value === undefined) return;
    if (value === undefined) this.#open = option;
    else this.#keep(option, value);
  }

  #keep(option: OptionSpec, value: string): void {
    for (const name of readFlags(option).names) this.#values.set(name, value);
  }

  /** The word after `-m` is its value even if it begins with a dash. */
  #needsValue(): boolean {
    if (this.#open === undefined) return false;
    const { value, isVariadic } = readFlags(this.#open);
    return value?.startsWith("<") === true && !isVariadic;
  }

  #wanted(word: string): Wanted {
    if (this.#open !== undefined && (this.#needsValue() || !word.startsWith("-"))) {
      return { kind: "value", completes: this.#open.completes };
    }
    if (!this.#onlyArguments && word.startsWith("-")) return this.#optionsWanted();
    const isNext = this.#passedArguments === (this.#family === undefined ? 0 : 1);
    if (this.#command === "help" && isNext) return { kind: "command", family: this.#family };
    if (this.#command === "help") return { kind: "value", completes: undefined };
    if (this.#command === undefined) {
      return this.#onlyArguments
        ? { kind: "value", completes: undefined }
        : { kind: "command", family: this.#family };
    }
    const argument = this.#argument(this.#command);
    if (argument !== undefined) {
      const { name } = this.#command;
      return {
        kind: "value",
        completes: argument.completes,
        ...(this.#passedArguments === 0 && this.#isFirstWord(name) ? { orCommandOf: name } : {}),
      };
    }
    return this.#onlyArguments ? { kind: "value", completes: undefined } : this.#optionsWanted();
  }

  #optionsWanted(): Wanted {
    const own = typeof this.#command === "object" ? (this.#command.options ?? []) : [];
    return { kind: "option", options: [...own, ...this.#table.globals, HELP] };
  }

  #argument(command: CommandSpec) {
    const known = command.arguments ?? [];
    const last = known.at(-1);
    return known[this.#passedArguments] ?? (last?.name.includes("...") === true ? last : undefined);
  }

  #find(name: string): OptionSpec | undefined {
    const own = typeof this.#command === "object" ? (this.#command.options ?? []) : [];
    return [...own, ...this.#table.globals].find((option) =>
      readFlags(option).names.includes(name),
    );
  }
}

const HELP: OptionSpec = { flags: "-h, --help", text: "print help" };

function split(word: string): [name: string, value: string | undefined] {
  const at = word.indexOf("=");
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}
