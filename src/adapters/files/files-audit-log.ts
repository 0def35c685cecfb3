/**
 * The AuditLog port as a file with one line for each entry, and a few older files beside it.
 *
 * Lines are added by one write to a file that is open for appending: the system puts each behind the last, whoever else
 * writes. When the file has become large it is renamed, by one process at a time; who has it open just then adds a line
 * to the renamed one, where readers find it too.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { auditErrorOf, auditLine, parseAuditLine, type AuditEntry } from "../../domain/audit.ts";
import type { AuditLog, AuditRange } from "../../ports/audit-log.ts";
import { errorCode, isMissing } from "./errors.ts";
import { makeFolders } from "./make-folders.ts";
import { openOwn } from "./owner-and-mode.ts";
import { A_MINUTE, takeLockNow } from "./owned-lock.ts";

export interface AuditFiles {
  /** Where the log is. */
  readonly folder: string;
  /** Where an earlier version had it; only read. */
  readonly earlier?: string;
  /** Held while files are renamed. */
  readonly lock: string;
  readonly warn: (message: string) => void;
  readonly mostBytes?: number;
}

const NAME = "audit.log";
/** Some ten thousand entries in each; with the older ones, months of work. */
const MOST_BYTES = 5 * 1024 * 1024;
const OLDER_FILES = 3;

const NEWLINE = 10;

/** A repository can hold links: nothing is written through one. A pipe in its place must not keep us waiting. */
const TO_APPEND =
  constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const TO_READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export class FilesAuditLog implements AuditLog {
  readonly #files: AuditFiles;
  readonly #path: string;
  readonly #mostBytes: number;

  constructor(files: AuditFiles) {
    this.#files = files;
    this.#path = join(files.folder, NAME);
    this.#mostBytes = files.mostBytes ?? MOST_BYTES;
  }

  append(entry: AuditEntry): void {
    try {
      if (this.#add(auditLine(entry)) > this.#mostBytes) this.#rotate();
    } catch (error) {
      this.#files.warn(`the audit log could not be written: ${auditErrorOf(error).message}`);
    }
  }

  read({ since = "" }: AuditRange): AuditEntry[] {
    // Files move to higher numbers only: in this order none is missed, and one that moved meanwhile is seen twice.
    const seen = new Set<string>();
    const files: AuditEntry[][] = [];
    const { folder, earlier } = this.#files;
    const folders = earlier === undefined ? [folder] : [folder, earlier];
    const paths = folders.map((one) => join(one, NAME));
    for (const path of paths.flatMap((one) => [one, ...olderPaths(one)])) {
      const file = readPlainFile(path);
      if (file === undefined || seen.has(file.identity)) continue;
      seen.add(file.identity);
      files.unshift(entriesOf(file.text));
    }
    return files.flat().filter(({ at }) => at >= since);
  }

  /** The size of the file afterwards. */
  #add(line: string): number {
    const fd = this.#open();
    try {
      const stat = fstatSync(fd);
      if (!stat.isFile()) throw new Error(`${this.#path} is not a plain file`);
      // What a killed process or a full disk left of a line ends here.
      const bytes = Buffer.from(endsLine(fd, stat.size) ? line : `\n${line}`);
      const written = writeSync(fd, bytes);
      // The rest is not sent after it: others may have written meanwhile.
      if (written < bytes.length) throw new Error(`only a part of ${this.#path} could be written`);
      return stat.size + written;
    } finally {
      closeSync(fd);
    }
  }

  #open(): number {
    try {
      if (!lstatSync(this.#files.folder).isDirectory()) {
        throw new Error(`${this.#files.folder} is not a folder`);
      }
      return openSync(this.#path, TO_APPEND);
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
    }
    makeFolders(this.#files.folder, 0o700);
    return openOwn(this.#path, TO_APPEND | constants.O_CREAT);
  }

  #rotate(): void {
    // Whoever holds it is renaming just now.
    const lock = takeLockNow(this.#files.lock, "rotating the audit log", A_MINUTE);
    if (lock === undefined) return;
    try {
      // Another process may have done it right before.
      const size = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
      if (size <= this.#mostBytes) return;
      const paths = [this.#path, ...olderPaths(this.#path)];
      for (let at = paths.length - 1; at > 0; at--) {
        renameIfThere(paths[at - 1] ?? "", paths[at] ?? "");
      }
    } finally {
      lock.release();
    }
  }
}

function olderPaths(path: string): string[] {
  return Array.from({ length: OLDER_FILES }, (_, at) => `${path}.${at + 1}`);
}

function endsLine(fd: number, size: number): boolean {
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  return readSync(fd, last, 0, 1, size - 1) === 0 || last[0] === NEWLINE;
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

function readPlainFile(path: string): { identity: string; text: string } | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, TO_READ);
    const { dev, ino } = fstatSync(fd, { bigint: true });
    return { identity: `${dev}:${ino}`, text: readFileSync(fd, "utf8") };
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function entriesOf(text: string): AuditEntry[] {
  return text.split("\n").flatMap((line) => parseAuditLine(line) ?? []);
}
