/** The last whole lines of an output that comes in pieces. */

/** A program that draws bars writes lines without end. */
const LONGEST_LINE = 4096;

export class LastLines {
  readonly #most: number;
  readonly #decoder = new TextDecoder();
  #lines: string[] = [];
  #rest = "";

  constructor(most: number) {
    this.#most = most;
  }

  /** True: there is a new last line. */
  add(bytes: Uint8Array): boolean {
    const text = this.#rest + this.#decoder.decode(bytes, { stream: true });
    const pieces = text.split(/\r\n|\n|\r/);
    this.#rest = (pieces.pop() ?? "").slice(-LONGEST_LINE);
    const whole = pieces.filter((line) => line.trim() !== "");
    if (whole.length === 0) return false;
    this.#lines = [...this.#lines, ...whole.map((line) => line.slice(0, LONGEST_LINE))].slice(
      -this.#most,
    );
    return true;
  }

  get last(): string | undefined {
    return this.#lines.at(-1);
  }

  /** With what came after the last end of a line. */
  all(): readonly string[] {
    const rest = this.#rest.trim() === "" ? [] : [this.#rest];
    return [...this.#lines, ...rest].slice(-this.#most);
  }
}
