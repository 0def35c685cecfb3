// Somebody who saves one file again and again: `node writer.mjs KIND FILE LOG STOP SIDE`, until the file STOP is there.
//
// Each save is a line of LOG, written after it: what was saved, and what this very save wrote over (read from the same file that
// was written to, so that nobody else can have come in between).
import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";

const [, , kind = "", file = "", log = "", stop = "", side = ""] = process.argv;
const LINES_PER_OPEN = 40;
let number = 0;
/** @type {{ fd: number, lines: number } | undefined} */ let open;

const pause = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));
const next = () => `${kind} save ${++number} ${"x".repeat(number % 50)}\n`;
const acknowledge = (/** @type {string} */ text, /** @type {string | null} */ over) =>
  appendFileSync(log, `${JSON.stringify({ text, over })}\n`);

/** Through a descriptor of the file as it is now. */
function inPlace() {
  const fd = openSync(file, existsSync(file) ? "r+" : "wx+");
  try {
    const over = readFileSync(fd, "utf8");
    const text = next();
    ftruncateSync(fd, 0);
    writeSync(fd, text, 0);
    acknowledge(text, over);
  } finally {
    closeSync(fd);
  }
}

/** A new file in the place of the old one, as editors do it. */
function byRename() {
  const temporary = join(side, "to-be-renamed");
  const text = next();
  writeFileSync(temporary, text);
  // Nothing comes between this open and the rename: what is unlinked before has no name to open, so its loss is nobody's
  // excuse. Node cannot exchange two files, which alone would leave no moment in between at all.
  const before = existsSync(file) ? openSync(file, "r") : undefined;
  try {
    renameSync(temporary, file);
    // It was there at that moment, and has no name left: it is this rename that took it. Moved away, it would have one.
    const isOver = before !== undefined && fstatSync(before).nlink === 0;
    acknowledge(text, isOver ? readFileSync(before, "utf8") : null);
  } finally {
    if (before !== undefined) closeSync(before);
  }
}

function byAppending() {
  const text = next();
  appendFileSync(file, text);
  acknowledge(text, null);
}

/** A program that has its log open. */
function byHolding() {
  open ??= { fd: openSync(file, "a"), lines: 0 };
  const text = next();
  writeSync(open.fd, text);
  acknowledge(text, null);
  if (++open.lines < LINES_PER_OPEN) return;
  closeSync(open.fd);
  open = undefined;
}

const save = { "in place": inPlace, rename: byRename, append: byAppending, held: byHolding }[kind];
while (!existsSync(stop)) {
  try {
    save?.();
  } catch (error) {
    // The folder or the file went away or came between the look and the open: nothing was saved, so nothing is told.
    if (!["ENOENT", "EEXIST"].includes(/** @type {NodeJS.ErrnoException} */ (error).code ?? ""))
      throw error;
    mkdirSync(dirname(file), { recursive: true });
  }
  await pause(10 + (number % 7) * 5);
}
