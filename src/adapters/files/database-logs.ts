/**
 * What SQLite writes beside a database, and plays into whatever file has its name when that is opened next. With a file of another time it
 * would leave a mixture of both.
 */
import { closeSync, constants, openSync, readdirSync, readSync, type Stats } from "node:fs";
import { nameOf, parentOf, type BytePath } from "../../domain/byte-path.ts";
import { onDisk, quickPath, type RootFolder } from "./byte-names.ts";
import { errorCode } from "./errors.ts";
import { quickStatOf } from "./file-stat.ts";

/** As they begin (https://www.sqlite.org/fileformat.html); one that does not is empty or spent, and never played. */
const BEGINNINGS: readonly (readonly [end: string, beginning: string])[] = [
  ["-wal", "377f0682"],
  ["-wal", "377f0683"],
  ["-journal", "d9d505f920a163d7"],
];
const ENDS = [...new Set(BEGINNINGS.map(([end]) => end))];
/** Below that a folder may have far more names than there are files to look for. */
const MANY_FILES = 100;
const READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** The file that a log with this name belongs to; undefined: it has no such name. */
export function fileOfLog(path: BytePath): BytePath | undefined {
  const end = ENDS.find((ending) => path.endsWith(ending));
  return end === undefined ? undefined : (path.slice(0, -end.length) as BytePath);
}

/** Logs that lie beside these files, each of them in a real folder. */
export function databaseLogs(root: RootFolder, files: readonly BytePath[]): BytePath[] {
  const mayBeThere = files.length < MANY_FILES ? () => true : inListing(root);
  return files.flatMap((file) =>
    ENDS.map((end) => [end, `${file}${end}` as BytePath] as const)
      .filter(([end, log]) => mayBeThere(log) && isLog(quickPath(root, log), end))
      .map(([, log]) => log),
  );
}

/** Reading a folder once is quicker than looking for two names beside each of its files. */
function inListing(root: RootFolder): (path: BytePath) => boolean {
  const listings = new Map<BytePath, ReadonlySet<string> | undefined>();
  return (path) => {
    const folder = parentOf(path);
    if (!listings.has(folder)) listings.set(folder, namesOrNothing(onDisk(root, folder)));
    return listings.get(folder)?.has(nameOf(path)) !== false;
  };
}

/** Undefined: any name may be there. */
function namesOrNothing(folder: Buffer): ReadonlySet<string> | undefined {
  try {
    return new Set(readdirSync(folder, { encoding: "latin1" }));
  } catch {
    return undefined;
  }
}

/** The same for a database by its path alone. */
export function logsBeside(database: string): string[] {
  return ENDS.filter((end) => isLog(`${database}${end}`, end)).map((end) => `${database}${end}`);
}

function isLog(path: Buffer | string, end: string): boolean {
  const stat = statIfItMayBe(path);
  if (stat?.isFile() !== true || stat.size === 0) return false;
  const begins = beginningOf(path);
  return BEGINNINGS.some(([of, beginning]) => of === end && begins.startsWith(beginning));
}

/** A name that is too long with the ending is the name of nothing. */
function statIfItMayBe(path: Buffer | string): Stats | undefined {
  try {
    return quickStatOf(path);
  } catch (error) {
    if (errorCode(error) === "ENAMETOOLONG") return undefined;
    throw error;
  }
}

function beginningOf(path: Buffer | string): string {
  const bytes = Buffer.alloc(8);
  const fd = openSync(path, READ);
  try {
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0)).toString("hex");
  } finally {
    closeSync(fd);
  }
}
