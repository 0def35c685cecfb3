/** Progress of long work on stderr: a bar on a terminal, otherwise a line for what lasts over a second. Short work shows nothing. */
import type { Progress, ProgressTask, ProgressTotal } from "../../ports/progress.ts";
import type { Output } from "./output.ts";
import { columnsOf } from "./style.ts";
import { humanBytes } from "./units.ts";

const SHOW_AFTER_MS = 300;
/** A line stays in a log. */
const LINE_AFTER_MS = 1000;
const REDRAW_MS = 100;
const LINE_EVERY_MS = 5000;
const BAR_WIDTH = 24;
/** A shorter one says nothing. */
const LEAST_BAR = 5;
const CLEAR_LINE = "\r\u001B[K";

export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export function progressOn(output: Output): Progress {
  const isQuiet = output.options.quiet || output.options.json;
  let shown: ShownTask | undefined;
  let busySince = 0;
  let endedAt = Number.NEGATIVE_INFINITY;
  output.beforeTalk = () => shown?.clear();
  return {
    begin: (label, total = {}) => {
      if (isQuiet) return SILENT_TASK;
      const now = Date.now();
      // One phase right after the other: the user waits for all of them.
      if (now - endedAt > SHOW_AFTER_MS) busySince = now;
      const task = new ShownTask(process.stderr, label, total, Date.now, busySince);
      const outer = shown;
      shown = task;
      return {
        advance: (items, bytes) => task.advance(items, bytes),
        end: () => {
          task.end();
          endedAt = Date.now();
          shown = outer;
          outer?.resume();
        },
      };
    },
  };
}

const SILENT_TASK: ProgressTask = { advance: () => undefined, end: () => undefined };

/** For work behind a screen of its own. */
export const SILENT: Progress = { begin: () => SILENT_TASK };

export class ShownTask implements ProgressTask {
  readonly #stream: ProgressStream;
  readonly #label: string;
  readonly #total: ProgressTotal;
  readonly #now: () => number;
  readonly #isBar: boolean;
  readonly #showAt: number;
  readonly #timer: NodeJS.Timeout | undefined;
  #items = 0;
  #bytes = 0;
  #shownAt = 0;
  #isShown = false;

  /** `busySince`: when the first of the phases began that follow one another. */
  constructor(
    stream: ProgressStream,
    label: string,
    total: ProgressTotal,
    now: () => number,
    busySince = now(),
  ) {
    this.#stream = stream;
    this.#label = label;
    this.#total = total;
    this.#now = now;
    this.#isBar = stream.isTTY === true && process.env["TERM"] !== "dumb";
    this.#showAt = this.#isBar ? busySince + SHOW_AFTER_MS : now() + LINE_AFTER_MS;
    if (!this.#isBar) return;
    // The first step of it may take long.
    const wait = Math.max(0, this.#showAt - now());
    this.#timer = setTimeout(() => this.#draw(), wait).unref();
  }

  advance(items: number, bytes = 0): void {
    this.#items += items;
    this.#bytes += bytes;
    const now = this.#now();
    if (now < this.#showAt) return;
    const pause = this.#isBar ? REDRAW_MS : LINE_EVERY_MS;
    if (this.#isShown && now - this.#shownAt < pause) return;
    this.#draw();
  }

  /** Takes the bar off the line, for other text; the next step draws it again. */
  clear(): void {
    if (this.#isShown && this.#isBar) this.#stream.write(CLEAR_LINE);
  }

  /** A part of it has ended, and what comes next may not say so for a while. */
  resume(): void {
    if (this.#isBar && this.#now() >= this.#showAt) this.#draw();
  }

  end(): void {
    clearTimeout(this.#timer);
    if (!this.#isShown) return;
    if (this.#isBar) this.#stream.write(CLEAR_LINE);
    else this.#stream.write(`${this.#line()}, done\n`);
  }

  #draw(): void {
    this.#shownAt = this.#now();
    this.#isShown = true;
    this.#stream.write(this.#isBar ? `${CLEAR_LINE}${this.#bar()}` : `${this.#line()}\n`);
  }

  #line(): string {
    return `${this.#label}: ${this.#counts()}`;
  }

  #bar(): string {
    const columns = columnsOf(this.#stream) - 1;
    const share = this.#share();
    if (share === undefined) {
      const counts = this.#items + this.#bytes === 0 ? "…" : this.#counts();
      return `${this.#label}: ${counts}`.slice(0, columns);
    }
    const percent = `${Math.floor(share * 100)}%`;
    const counts = this.#counts();
    const width = Math.min(
      BAR_WIDTH,
      columns - this.#label.length - percent.length - counts.length - " [] ".length - "  ".length,
    );
    if (width < LEAST_BAR) return `${this.#label} ${percent}  ${counts}`.slice(0, columns);
    const filled = Math.round(share * width);
    const bar = "#".repeat(filled) + "-".repeat(width - filled);
    return `${this.#label} [${bar}] ${percent}  ${counts}`;
  }

  #counts(): string {
    const { items, bytes } = this.#total;
    const hasBytes = this.#bytes > 0 || bytes !== undefined;
    const hasItems = !hasBytes || items !== undefined || this.#items > 0;
    return [
      ...(hasItems ? [outOf(this.#items, items, (count) => count.toLocaleString("en-US"))] : []),
      ...(hasBytes ? [outOf(this.#bytes, bytes, humanBytes)] : []),
    ].join(", ");
  }

  #share(): number | undefined {
    const { items, bytes } = this.#total;
    if (bytes !== undefined && bytes > 0) return Math.min(1, this.#bytes / bytes);
    if (items !== undefined && items > 0) return Math.min(1, this.#items / items);
    return undefined;
  }
}

function outOf(done: number, total: number | undefined, text: (count: number) => string): string {
  return total === undefined ? text(done) : `${text(done)}/${text(total)}`;
}
