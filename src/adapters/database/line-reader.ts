/** Cuts a stream of bytes into lines, without their ends. */
const NEWLINE = 10;

export class LineReader {
  readonly #onLine: (line: Buffer) => void;
  #rest: Buffer[] = [];

  constructor(onLine: (line: Buffer) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.#emit(chunk.subarray(from, at));
      from = at + 1;
    }
    if (from < chunk.length) this.#rest.push(chunk.subarray(from));
  }

  end(): void {
    if (this.#rest.length > 0) this.#emit(Buffer.alloc(0));
  }

  #emit(last: Buffer): void {
    const line = this.#rest.length === 0 ? last : Buffer.concat([...this.#rest, last]);
    this.#rest = [];
    this.#onLine(line);
  }
}
