/** Progress of long work on stderr: a bar on a terminal, now and then a line otherwise. Short work shows nothing. */
import type { Progress, ProgressTask, ProgressTotal } from "../../ports/progress.ts";
import type { Output } from "./output.ts";
import { columnsOf } from "./style.ts";
import { humanBytes } from "./units.ts";

const SHOW_AFTER_MS = 300;
const REDRAW_MS = 100;
const LINE_EVERY_MS = 5000;
const BAR_WIDTH = 24;
const CLEAR_LINE = "\r\u001B[K";

export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export function progressOn(output: Output): Progress {
  const isQuiet = output.options.quiet || output.options.json;
  return {
    begin: (label, total) =>
      isQuiet ? SILENT_TASK : new ShownTask(process.stderr, label, total ?? {}, Date.now),
  };
}

const SILENT_TASK: ProgressTask = { advance: () => undefined, end: () => undefined };

export class ShownTask implements ProgressTask {
  readonly #stream: ProgressStream;
  readonly #label: string;
  readonly #total: ProgressTotal;
  readonly #now: () => number;
  readonly #begun: number;
  readonly #isBar: boolean;
  #items = 0;
  #bytes = 0;
  #shownAt = 0;
  #isShown = false;

  constructor(stream: ProgressStream, label: string, total: ProgressTotal, now: () => number) {
    this.#stream = stream;
    this.#label = label;
    this.#total = total;
    this.#now = now;
    this.#begun = now();
    this.#isBar = stream.isTTY === true && process.env["TERM"] !== "dumb";
  }

  advance(items: number, bytes = 0): void {
    this.#items += items;
    this.#bytes += bytes;
    const now = this.#now();
    if (now - this.#begun < SHOW_AFTER_MS) return;
    const pause = this.#isBar ? REDRAW_MS : LINE_EVERY_MS;
    if (this.#isShown && now - this.#shownAt < pause) return;
    this.#shownAt = now;
    this.#isShown = true;
    const text = this.#text();
    this.#stream.write(
      this.#isBar ? `${CLEAR_LINE}${text.slice(0, columnsOf(this.#stream) - 1)}` : `${text}\n`,
    );
  }

  end(): void {
    if (!this.#isShown) return;
    if (this.#isBar) this.#stream.write(CLEAR_LINE);
    else this.#stream.write(`${this.#text()}, done\n`);
  }

  #text(): string {
    const { items, bytes } = this.#total;
    const hasBytes = this.#bytes > 0 || bytes !== undefined;
    const counts = [
      ...(hasBytes && items === undefined && this.#items === 0
        ? []
        : [`${this.#items}${items === undefined ? "" : `/${items}`}`]),
      ...(hasBytes
        ? [`${humanBytes(this.#bytes)}${bytes === undefined ? "" : `/${humanBytes(bytes)}`}`]
        : []),
    ].join(", ");
    const share = this.#share();
    if (!this.#isBar || share === undefined) return `${this.#label}: ${counts}`;
    const filled = Math.round(share * BAR_WIDTH);
    const bar = "#".repeat(filled) + "-".repeat(BAR_WIDTH - filled);
    return `${this.#label} [${bar}] ${Math.floor(share * 100)}%  ${counts}`;
  }

  #share(): number | undefined {
    const { items, bytes } = this.#total;
    if (bytes !== undefined && bytes > 0) return Math.min(1, this.#bytes / bytes);
    if (items !== undefined && items > 0) return Math.min(1, this.#items / items);
    return undefined;
  }
}
