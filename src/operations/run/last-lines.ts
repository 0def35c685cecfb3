/** The last whole lines of an output that comes in pieces, without those of private keys: they are shown one by one. */
import { KeyLines } from "../../domain/secrets/key-lines.ts";

/** A program that draws bars writes lines without end. */
const LONGEST_LINE = 4096;

export class LastLines {
  readonly #most: number;
  readonly #keys = new KeyLines();
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
    const rest = pieces.pop() ?? "";
    // No half of a word: it may be half of a token, which nobody would know for one.
    this.#rest = rest.length > LONGEST_LINE ? rest.slice(-LONGEST_LINE).replace(/^\S+/, "") : rest;
    const whole = pieces.filter((line) => line.trim() !== "" && !this.#keys.hides(line));
    if (whole.length === 0) return false;
    this.#lines = [...this.#lines, ...whole.map(shortened)].slice(-this.#most);
    return true;
  }

  get last(): string | undefined {
    return this.#lines.at(-1);
  }

  /** With what came after the last end of a line. */
  all(): readonly string[] {
    const rest = this.#rest.trim() === "" || this.#keys.isInside ? [] : [this.#rest];
    return [...this.#lines, ...rest].slice(-this.#most);
  }
}

function shortened(line: string): string {
  return line.length > LONGEST_LINE ? line.slice(0, LONGEST_LINE).replace(/\S+$/, "") : line;
}
