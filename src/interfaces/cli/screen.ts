/** A full screen of text that answers to keys, and leaves the terminal as it was however it ends. */
import { emitKeypressEvents, type Key } from "node:readline";

const ENTER = "\u001B[?1049h\u001B[?25l";
const LEAVE = "\u001B[?25h\u001B[?1049l";
const HOME = "\u001B[H";
const CLEAR_LINE = "\u001B[K";
const CLEAR_BELOW = "\u001B[J";

export interface Size {
  readonly rows: number;
  readonly columns: number;
}

export interface ScreenProgram<Result> {
  /** At most `rows` lines of at most `columns` columns. */
  readonly frame: (size: Size) => readonly string[];
  /** Undefined: go on. */
  readonly key: (key: Key, size: Size) => { readonly result: Result } | undefined;
  /** Is given a function that draws again, for what becomes known later. */
  readonly start: (redraw: () => void) => void;
}

export async function runScreen<Result>(program: ScreenProgram<Result>): Promise<Result> {
  const { stdin, stderr } = process;
  const size = (): Size => ({ rows: stderr.rows || 24, columns: stderr.columns || 80 });
  const draw = (): void => {
    const now = size();
    const lines = program.frame(now).slice(0, now.rows);
    stderr.write(HOME + lines.map((line) => line + CLEAR_LINE).join("\r\n") + CLEAR_BELOW);
  };
  const restore = (): void => {
    stdin.setRawMode(false);
    stderr.write(LEAVE);
  };
  emitKeypressEvents(stdin);
  stdin.setRawMode(true);
  stdin.resume();
  stderr.write(ENTER);
  process.once("exit", restore);
  let onKey: ((text: string | undefined, key: Key) => void) | undefined;
  try {
    return await new Promise<Result>((resolve) => {
      onKey = (_text, key) => {
        const done = program.key(key, size());
        if (done === undefined) draw();
        else resolve(done.result);
      };
      stdin.on("keypress", onKey);
      stderr.on("resize", draw);
      program.start(draw);
      draw();
    });
  } finally {
    if (onKey !== undefined) stdin.off("keypress", onKey);
    stderr.off("resize", draw);
    stdin.pause();
    process.off("exit", restore);
    restore();
  }
}
