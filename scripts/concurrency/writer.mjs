// Somebody who saves one file again and again: `node writer.mjs KIND FILE LOG STOP SIDE`, until the file STOP is there.
//
// Each save is a line of LOG, written after it: what was saved, and what this very save wrote over (read from the same file that
// was written to, so that nobody else can have come in between).
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
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

/**
 * A new file in the place of the old one, as editors do it. The two change places in one call, so that what was written over is
 * known for sure: between a look at the old file and a plain rename a rollback could put another one there.
 */
function byRename() {
  const temporary = join(side, "to-be-renamed");
  const text = next();
  writeFileSync(temporary, text);
  if (renameWith(EXCHANGE, temporary, file)) acknowledge(text, readFileSync(temporary, "utf8"));
  else if (renameWith(NO_REPLACE, temporary, file)) acknowledge(text, null);
}

const NO_REPLACE = 1;
const EXCHANGE = 2;
/** `renameat2`, which node does not have; git needs perl, so it is there. The number is that of Linux on x86-64, as for all of these proofs. */
const RENAME = "exit(syscall(316, -100, $ARGV[1], -100, $ARGV[2], $ARGV[0] + 0) == 0 ? 0 : $!)";
const [ENOENT, EEXIST] = [2, 17];

/** False: one of the two is not there, or the place is taken. @param {number} how @param {string} from @param {string} to */
function renameWith(how, from, to) {
  const { status, error, stderr } = spawnSync("perl", ["-e", RENAME, String(how), from, to], {
    encoding: "utf8",
  });
  if (status === 0) return true;
  if (status === ENOENT && !existsSync(dirname(to))) mkdirSync(dirname(to), { recursive: true });
  if (status === ENOENT || status === EEXIST) return false;
  throw error ?? new Error(`renameat2 ended with ${status}: ${stderr}`);
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
