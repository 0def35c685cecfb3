/** Draws a few lines at the end of a terminal again and again, in place; other lines go above them. */
import type { ProgressStream } from "../progress.ts";
import type { LivePrompt } from "./live-prompt.ts";

const REDRAW_MS = 200;
const CLEAR_LINE = "\u001B[K";
const CLEAR_BELOW = "\u001B[J";

export interface LiveStream extends ProgressStream {
  readonly rows?: number;
}

export class LiveView {
  readonly #stream: LiveStream;
  readonly #frame: (columns: number, rows: number) => readonly string[];
  readonly #prompt: LivePrompt | undefined;
  /** How many lines of it are on the screen. */
  #drawn = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isHeld = false;

  constructor(
    stream: LiveStream,
    frame: (columns: number, rows: number) => readonly string[],
    prompt?: LivePrompt,
  ) {
    this.#stream = stream;
    this.#frame = frame;
    this.#prompt = prompt;
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

  /** Other output has the terminal meanwhile. `rows`: how far the cursor is below the view. */
  async aside<Result>(work: () => Promise<Result>, rows = 0): Promise<Result> {
    this.#clear(rows);
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
    const free = this.#prompt === undefined ? 2 : 3;
    const rows = Math.max(2, (this.#stream.rows || 24) - free);
    const lines = this.#frame(columns, rows).slice(0, rows);
    const body = lines.map((line) => `${line}${CLEAR_LINE}\n`).join("");
    this.#stream.write(`${this.#home()}${above}${body}${CLEAR_BELOW}`);
    this.#drawn = lines.length;
    this.#prompt?.draw();
  }

  #clear(rows: number): void {
    this.#stream.write(`${this.#home(rows)}${CLEAR_BELOW}`);
    this.#drawn = 0;
  }

  #home(below = this.#prompt?.rows ?? 0): string {
    const up = this.#drawn + below;
    return up === 0 ? "\r" : `\r\u001B[${up}A`;
  }
}
