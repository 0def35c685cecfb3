/** The AgentFiles port on the disk. */
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  rmdirSync,
  unlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { Failure } from "../../domain/failure.ts";
import type { AgentFiles, FileWrite, FoundFile } from "../../ports/agent-files.ts";
import { syncFolder, uniqueName, writeAll } from "../files/durable-write.ts";
import { errorCode, isMissing } from "../files/errors.ts";
import { quickStatOf } from "../files/file-stat.ts";
import { makeFolders } from "../files/make-folders.ts";
import { namesIn } from "../files/names-in.ts";
import { placeFile } from "../files/place-file.ts";
import { whereItLeads } from "../files/real-path.ts";
import { MOST_TEXT_BYTES, TOO_LARGE } from "../files/read-text.ts";

const PERMISSIONS = 0o7777;

/** What a killed process left of its own is removed after this time. */
const LEFT_MS = 600_000;

export class DiskAgentFiles implements AgentFiles {
  readonly #staging: string;

  /** `staging`: a private folder for files that are not in their place yet; best on the same disk. */
  constructor(staging: string) {
    this.#staging = staging;
  }

  read(path: string): FoundFile | undefined {
    let fd: number;
    try {
      // What was a file a moment ago may be a pipe now.
      fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    } catch (error) {
      if (errorCode(error) === "ELOOP") throw noFile(path, "a symbolic link that points to itself");
      if (isMissing(error)) return undefined;
      throw error;
    }
    try {
      const stat = fstatSync(fd);
      if (!stat.isFile())
        throw noFile(path, stat.isDirectory() ? "a folder" : "not a regular file");
      if (stat.size > MOST_TEXT_BYTES) throw noFile(path, TOO_LARGE.replace(/^it is /, ""));
      return { bytes: new Uint8Array(readFileSync(fd)), mode: stat.mode & PERMISSIONS };
    } finally {
      closeSync(fd);
    }
  }

  isThere(path: string): boolean {
    try {
      lstatSync(path);
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  missingFolders(path: string): readonly string[] {
    const missing: string[] = [];
    let at = dirname(whereItLeads(path));
    for (; !existsSync(at); at = dirname(at)) missing.unshift(at);
    return missing;
  }

  modeOfNew(isExecutable: boolean): number {
    return (isExecutable ? 0o777 : 0o666) & ~process.umask();
  }

  write({ path, before, after }: FileWrite): void {
    const target = whereItLeads(path);
    const made = this.missingFolders(path);
    for (const folder of made) mkdirSync(folder);
    const temporary = join(this.#staging, uniqueName());
    try {
      this.#sweep();
      writeNew(temporary, after);
      this.#mustBe(path, before);
      if (!placeFile(temporary, target, before !== undefined)) throw changed(path);
    } catch (error) {
      if (existsSync(temporary)) unlinkSync(temporary);
      this.removeFolders(made);
      throw error;
    }
  }

  remove(path: string, before: FoundFile): void {
    this.#mustBe(path, before);
    const target = whereItLeads(path);
    unlinkSync(target);
    syncFolder(dirname(target));
  }

  removeFolders(folders: readonly string[]): void {
    for (const folder of folders.toSorted((left, right) => right.length - left.length)) {
      try {
        rmdirSync(folder);
      } catch (error) {
        const isKept = errorCode(error) === "ENOTEMPTY" || errorCode(error) === "EEXIST";
        if (!isKept && !isMissing(error)) throw error;
      }
    }
  }

  #sweep(): void {
    makeFolders(this.#staging, 0o700);
    for (const name of namesIn(this.#staging)) {
      const path = join(this.#staging, name);
      const changedMs = quickStatOf(path)?.mtimeMs ?? Number.POSITIVE_INFINITY;
      if (changedMs < Date.now() - LEFT_MS) rmSync(path, { force: true });
    }
  }

  #mustBe(path: string, before: FoundFile | undefined): void {
    const now = this.read(path);
    const isSame =
      now === undefined || before === undefined
        ? now === before
        : Buffer.compare(now.bytes, before.bytes) === 0;
    if (!isSame) throw changed(path);
  }
}

function writeNew(path: string, { bytes, mode }: FoundFile): void {
  const fd = openSync(path, "wx", 0o600);
  try {
    writeAll(fd, Buffer.from(bytes));
    fchmodSync(fd, mode);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function noFile(path: string, what: string): Failure {
  return new Failure("agent_file_invalid", `${path} is ${what}; it was not changed`, {
    hint: "Move it away, then run the command again. Nothing was changed.",
    details: { path },
  });
}

function changed(path: string): Failure {
  return new Failure("repository_busy", `${path} was just changed by another program`, {
    hint: "Run the command again. Nothing was changed.",
    details: { path },
  });
}
