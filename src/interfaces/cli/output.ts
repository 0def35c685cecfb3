/** Data goes to stdout, talk to stderr. With --json exactly one document is printed. */
import { Failure } from "../../domain/failure.ts";
import { ShortIds } from "../../domain/short-id.ts";
import { asFailure } from "../../domain/system-error.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { jsonText } from "./json-text.ts";
import { printable } from "./printable.ts";
import { columnsOf, ID_STYLE, painter, type Paint } from "./style.ts";
import { wrapped } from "./wrap.ts";

export interface GlobalOptions {
  readonly directory: string;
  readonly json: boolean;
  readonly quiet: boolean;
  /** On stdout. */
  readonly color: boolean;
  /** On stderr. */
  readonly colorOfTalk: boolean;
  readonly session: string | undefined;
}

export class Output {
  readonly options: GlobalOptions;
  /** For text that goes to stdout. */
  readonly paint: Paint;
  /** For text that goes to stderr. */
  readonly paintTalk: Paint;
  readonly #indent: 0 | 1;
  readonly #warnings = new Set<string>();
  #knownIds: (() => readonly string[]) | undefined;
  /** Called before a line goes to stderr: a bar may be on it. */
  beforeTalk: () => void = () => undefined;

  /** `isLines`: a command that prints a document on each line; its errors are lines, too. */
  constructor(options: GlobalOptions, isLines = false) {
    this.options = options;
    this.#indent = isLines ? 0 : 1;
    this.paint = painter(options.color);
    this.paintTalk = painter(options.colorOfTalk);
  }

  /** From here on a terminal is shown short forms of these. Pipes, `--json` and `--quiet` keep whole ids: a script may use them later. */
  shortensIds(known: () => readonly string[]): void {
    if (!this.options.quiet && !this.options.json) this.#knownIds = known;
  }

  /** Those of stdout, for tables; undefined: whole ids. */
  shortIds(): ShortIds | undefined {
    return process.stdout.isTTY && this.#knownIds !== undefined
      ? new ShortIds(this.#knownIds())
      : undefined;
  }

  /** A text for this stream, with short ids where it is a terminal. */
  forReader(text: string, stream: { readonly isTTY?: boolean } = process.stderr): string {
    const mayHaveIds = stream.isTTY === true && text.includes("cp-");
    return mayHaveIds && this.#knownIds !== undefined
      ? new ShortIds(this.#knownIds()).inText(text)
      : text;
  }

  /** The short form of an id for stdout, highlighted. */
  id(id: string): string {
    const short = this.shortIds()?.of(id);
    return short === undefined ? id : this.paint(ID_STYLE, short);
  }

  /** Columns of stdout; endless where it is no terminal. */
  get columns(): number {
    return columnsOf(process.stdout);
  }

  /** One document: as JSON, or the lines for people; `isVerbatim`: they are copied, with whole ids and no more line breaks. */
  result(
    kind: string,
    document: Readonly<Record<string, unknown>> | (() => Readonly<Record<string, unknown>>),
    lines: readonly string[],
    { isVerbatim = false } = {},
  ): void {
    if (this.options.json) {
      const fields = typeof document === "function" ? document() : document;
      const whole = { schema_version: 1, kind, ...fields, ...this.#withWarnings(fields) };
      process.stdout.write(`${jsonText(whole, 1)}\n`);
    } else if (lines.length > 0) {
      const text = lines.join("\n");
      process.stdout.write(`${isVerbatim ? text : this.#fitting(text, process.stdout)}\n`);
    }
  }

  /** Those of the document come first; the others are about settings and what was done on the way. */
  #withWarnings({ warnings = [] }: Readonly<Record<string, unknown>>): object {
    if (this.#warnings.size === 0 || !Array.isArray(warnings)) return {};
    return { warnings: [...new Set<unknown>([...warnings, ...this.#warnings])] };
  }

  /** One of many documents, each on a line of its own. */
  line(kind: string, document: Readonly<Record<string, unknown>>): void {
    process.stdout.write(`${jsonText({ schema_version: 1, kind, ...document })}\n`);
  }

  /** As `result`, where stdout belongs to a command that was run: the lines go to stderr. */
  closing(
    kind: string,
    document: Readonly<Record<string, unknown>>,
    lines: readonly string[],
  ): void {
    if (this.options.json) this.result(kind, document, []);
    else if (lines.length > 0) this.#talk(lines.join("\n"));
  }

  say(line: string): void {
    if (!this.options.quiet && !this.options.json) this.#talk(printable(line));
  }

  #talk(text: string): void {
    this.beforeTalk();
    process.stderr.write(`${this.#fitting(text, process.stderr)}\n`);
  }

  /** On a terminal with short ids, and broken between words. */
  #fitting(text: string, stream: NodeJS.WriteStream): string {
    const shown = this.forReader(text, stream);
    return stream.isTTY ? wrapped(shown, columnsOf(stream)) : shown;
  }

  /** Lines that are printable already, and may be painted. */
  page(lines: readonly string[]): void {
    if (this.options.quiet || this.options.json) return;
    if (lines.length > 0) this.#talk(lines.join("\n"));
  }

  /** What a question is about, and the end of a run: also with --quiet. */
  question(lines: readonly string[]): void {
    if (lines.length > 0) this.#talk(lines.join("\n"));
  }

  /** Once, however many parts of a command come across it. With --json it is in `warnings` of the document. */
  warn(line: string): void {
    if (this.#warnings.has(line)) return;
    this.#warnings.add(line);
    if (this.options.json) return;
    this.#talk(`${this.paintTalk("yellow", "warning:")} ${printable(line)}`);
  }

  /** The exit code of an error that was printed. */
  failure(thrown: unknown): number {
    const error = asFailure(thrown);
    if (!(error instanceof Failure)) return this.#bug(error);
    if (this.options.json) {
      const { code, message, hint, details } = error;
      process.stdout.write(
        `${jsonText({ schema_version: 1, kind: "error", error: { code, message, hint, details } }, this.#indent)}\n`,
      );
    } else if (error.code === "cancelled") {
      process.stderr.write(`${printable(error.message)}\n`);
    } else {
      this.#talk(`${this.paintTalk("red", "error:")} ${printable(error.message)}`);
      this.#talk(`${this.paintTalk("dim", "hint:")} ${printable(error.hint)}`);
    }
    return EXIT_CODES[error.code];
  }

  #bug(error: unknown): number {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    if (this.options.json) {
      const message = error instanceof Error ? error.message : String(error);
      const hint = "This is a bug in Waymark. Please report it with the stack trace on stderr.";
      process.stdout.write(
        `${jsonText({ schema_version: 1, kind: "error", error: { code: "internal", message, hint } })}\n`,
      );
    }
    process.stderr.write(
      `${text}\n\nThis is a bug in Waymark. Please report it with the lines above.\n`,
    );
    return 1;
  }
}
