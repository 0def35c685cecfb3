/** Draws a few lines at the end of a terminal again and again, in place; other lines go above them. */
import type { ProgressStream } from "../progress.ts";

const REDRAW_MS = 200;
const CLEAR_LINE = "\u001B[K";
const CLEAR_BELOW = "\u001B[J";

export interface LiveStream extends ProgressStream {
  readonly rows?: number;
}

export class LiveView {
  readonly #stream: LiveStream;
  readonly #frame: (columns: number, rows: number) => readonly string[];
  /** How many lines of it are on the screen. */
  #drawn = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isHeld = false;

  constructor(stream: LiveStream, frame: (columns: number, rows: number) => readonly string[]) {
    this.#stream = stream;
    this.#frame = frame;
  }

  begin(): void {
    this.#timer = setInterval(() => this.draw(), REDRAW_MS);
    this.#timer.unref();
    this.draw();
  }

  /** In one write, so that nothing flickers. */
  draw(): void {
    if (this.#isHeld || this.#timer === undefined) return;
    this.#write("");
  }

  /** A line that stays. */
  above(line: string): void {
    if (this.#isHeld || this.#timer === undefined) this.#stream.write(`${line}\n`);
    else this.#write(`${line}${CLEAR_LINE}\n`);
  }

  /** Somebody else has the terminal meanwhile. */
  async aside<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#clear();
    this.#isHeld = true;
    try {
      return await work();
    } finally {
      this.#isHeld = false;
      this.draw();
    }
  }

  /** What was drawn last stays. */
  end(): void {
    if (this.#timer === undefined) return;
    this.#write("");
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #write(above: string): void {
    // One column and one row are left free: some terminals wrap or scroll at the very last.
    const columns = Math.max(10, (this.#stream.columns || 80) - 1);
    const rows = Math.max(2, (this.#stream.rows || 24) - 2);
    const lines = this.#frame(columns, rows).slice(0, rows);
    const body = lines.map((line) => `${line}${CLEAR_LINE}\n`).join("");
    this.#stream.write(`${this.#home()}${above}${body}${CLEAR_BELOW}`);
    this.#drawn = lines.length;
  }

  #clear(): void {
    this.#stream.write(`${this.#home()}${CLEAR_BELOW}`);
    this.#drawn = 0;
  }

  #home(): string {
    return this.#drawn === 0 ? "\r" : `\r\u001B[${this.#drawn}A`;
  }
}
