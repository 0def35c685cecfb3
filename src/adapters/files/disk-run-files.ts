/** The RunFiles port on the disk: `runs/<session>/` in Waymark's own folder. */
import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { Failure } from "../../domain/failure.ts";
import { makeFolders } from "./make-folders.ts";
import { openOwn } from "./owner-and-mode.ts";
import { slug } from "../../domain/workflow/session-id.ts";
import { readProblem } from "../../domain/system-error.ts";
import type {
  AttemptLog,
  AttemptPlace,
  FoundFile,
  ReadJson,
  RunFiles,
  StartingPlace,
} from "../../ports/run-files.ts";
import { writeAll, writeDurably } from "./durable-write.ts";
import { namesIn } from "./names-in.ts";
import { takeLock } from "./owned-lock.ts";
import { fromRoot } from "./real-path.ts";
import { staysBelow } from "./state/exchange-file.ts";

/** Whoever starts a workflow here is done with it in a moment. */
const START_WAIT_MS = 10_000;
/** A log has at most twice of this: when it is full, it becomes the older half and a new one begins. */
const HALF_LOG_BYTES = 8_388_608;
/** It becomes part of the session document, which is written with every step. */
const MOST_JSON_BYTES = 1_048_576;
/** Of a file that was given to a command, which may have put spaces into it; what is in it has a limit of its own. */
const MOST_GIVEN_BYTES = 16_777_216;
const CHUNK_BYTES = 65_536;

export interface RunFilesPlace {
  /** The project. */
  readonly root: string;
  /** Waymark's own folder of it. */
  readonly folder: string;
  readonly lock: string;
}

export class DiskRunFiles implements RunFiles {
  readonly #place: RunFilesPlace;
  readonly #halfLogBytes: number;

  constructor(place: RunFilesPlace, halfLogBytes = HALF_LOG_BYTES) {
    this.#place = place;
    this.#halfLogBytes = halfLogBytes;
  }

  async enter(what = "starting a workflow"): Promise<StartingPlace> {
    const lock = await takeLock(this.#place.lock, what, START_WAIT_MS);
    return { leave: () => lock.release() };
  }

  openLog(place: AttemptPlace): Promise<AttemptLog> {
    const path = this.#freePath(place, "log");
    const shown = fromRoot(this.#place.root, path);
    return Promise.resolve(new CappedLog(path, shown, this.#halfLogBytes));
  }

  endOfLog(path: string): Promise<Uint8Array | undefined> {
    const folder = join(this.#place.folder, "runs");
    // It may be a path of another place, from before the project was moved or from an earlier version.
    const name = join(basename(dirname(path)), basename(path));
    if (!existsSync(folder)) return Promise.resolve(undefined);
    const end = readingInside(folder, name, (fd, size) => {
      const bytes = Buffer.alloc(Math.min(size, CHUNK_BYTES));
      return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, size - bytes.length));
    });
    return Promise.resolve(end instanceof Uint8Array ? end : undefined);
  }

  writeJson(place: AttemptPlace, what: string, value: unknown): Promise<string> {
    const path = this.#pathOf(place, `${what}.json`);
    writeDurably(path, `${JSON.stringify(value, null, 1)}\n`, false);
    return Promise.resolve(path);
  }

  readJson(path: string): Promise<ReadJson | undefined> {
    return Promise.resolve(existsSync(path) ? jsonIn(path, MOST_GIVEN_BYTES) : undefined);
  }

  remove(path: string): Promise<void> {
    rmSync(path, { force: true });
    return Promise.resolve();
  }

  sweep(sessionId: string): Promise<void> {
    const folder = this.#folderOf(sessionId);
    const given = namesIn(folder).filter((name) => name.endsWith(".json"));
    for (const name of given) rmSync(join(folder, name), { force: true });
    return Promise.resolve();
  }

  forget(sessionId: string): Promise<void> {
    rmSync(this.#folderOf(sessionId), { recursive: true, force: true });
    return Promise.resolve();
  }

  find(folder: string, path: string): Promise<FoundFile> {
    return Promise.resolve(
      readingInside(folder, path, (fd, size): FoundFile => {
        const hash = createHash("sha256");
        for (const chunk of chunksOf(fd)) hash.update(chunk);
        return { kind: "file", size, sha256: hash.digest("hex") };
      }),
    );
  }

  findJson(folder: string, path: string): Promise<ReadJson> {
    return Promise.resolve(
      readingInside(folder, path, (fd, size) => parsed(fd, size, MOST_JSON_BYTES)),
    );
  }

  /**
   * One component, whatever a document says that its session is called: this folder is removed with the session. That of a plain folder may be a link
   * that came with a copy of it.
   */
  #folderOf(sessionId: string): string {
    const isPlain = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/.test(sessionId);
    const tag = createHash("sha256").update(sessionId).digest("hex").slice(0, 12);
    const name = isPlain ? sessionId : `${slug(sessionId, "session")}-${tag}`;
    const own = this.#place.folder;
    const folder = join(own, "runs", name);
    if (!existsSync(own) || staysBelow(own, join(folder, "log"))) return folder;
    const path = fromRoot(this.#place.root, folder);
    throw new Failure("obstructed", `${path} points outside the project`, {
      hint: "Move the link away, then run the command again. Nothing was written or removed there.",
      details: { path },
    });
  }

  /** After a rollback the attempts of a node are counted from an earlier number: their logs stay beside the others. */
  #freePath(place: AttemptPlace, ending: string): string {
    for (let again = 1; ; again++) {
      const path = this.#pathOf(place, again === 1 ? ending : `again-${again}.${ending}`);
      if (!existsSync(path) && !existsSync(`${path}.1`)) return path;
    }
  }

  #pathOf({ sessionId, step, name, attempt }: AttemptPlace, ending: string): string {
    const folder = this.#folderOf(sessionId);
    makeFolders(folder, 0o700);
    // Names that become the same word are told apart by a digest.
    const plain = slug(name, "node");
    const tag = createHash("sha256").update(name).digest("hex").slice(0, 6);
    const shown = plain === name ? plain : `${plain}-${tag}`;
    return join(folder, `${String(step).padStart(2, "0")}-${shown}.${attempt}.${ending}`);
  }
}

/** Nobody's work ends because its log cannot be written: what is wrong is kept, and the rest is dropped. */
class CappedLog implements AttemptLog {
  readonly path: string;
  readonly #file: string;
  readonly #half: number;
  #fd: number | undefined;
  #size = 0;
  #isMade = false;
  #problem: string | undefined;

  constructor(file: string, shown: string, half: number) {
    this.#file = file;
    this.path = shown;
    this.#half = half;
    this.#trying(() => {
      this.#fd = openOwn(file, "w");
      this.#isMade = true;
    });
  }

  get problem(): string | undefined {
    // One that was deleted is written to until it is full.
    const isGone = this.#isMade && !existsSync(this.#file);
    return isGone ? "it was deleted" : this.#problem;
  }

  write(bytes: Uint8Array): void {
    this.#trying(() => {
      if (this.#size > 0 && this.#size + bytes.length > this.#half) this.#beginAnew();
      if (this.#fd === undefined) return;
      writeAll(this.#fd, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
      this.#size += bytes.length;
    });
  }

  close(): void {
    const fd = this.#fd;
    this.#fd = undefined;
    if (fd !== undefined) this.#trying(() => closeSync(fd));
  }

  #beginAnew(): void {
    if (this.#fd === undefined) return;
    this.close();
    renameSync(this.#file, `${this.#file}.1`);
    this.#fd = openOwn(this.#file, "w");
    this.#size = 0;
  }

  #trying(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#problem ??= readProblem(error);
      this.close();
    }
  }
}

function jsonIn(path: string, most: number): ReadJson {
  return reading(path, (fd, size) => parsed(fd, size, most));
}

function parsed(fd: number, size: number, most: number): ReadJson {
  if (size > most) return { kind: "bad", problem: `it is larger than ${most / 1_048_576} MiB` };
  const text = Buffer.concat([...chunksOf(fd)]).toString("utf8");
  try {
    return { kind: "value", value: JSON.parse(text) as unknown };
  } catch (error) {
    return { kind: "bad", problem: `it is not JSON: ${(error as Error).message}` };
  }
}

/** A file that a workflow names: a link on the way must not lead out of the project, or what is there gets into the session. */
function readingInside<Result>(
  folder: string,
  path: string,
  read: (fd: number, size: number) => Result,
): Result | { readonly kind: "bad"; readonly problem: string } {
  const full = join(folder, path);
  if (!staysBelow(folder, full)) {
    return { kind: "bad", problem: "its folder points outside the project" };
  }
  return reading(full, read);
}

/** A plain file only: a pipe would be waited for. */
function reading<Result>(
  path: string,
  read: (fd: number, size: number) => Result,
): Result | { readonly kind: "bad"; readonly problem: string } {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (error) {
    const isLink = (error as NodeJS.ErrnoException).code === "ELOOP";
    return { kind: "bad", problem: isLink ? "it is a link" : readProblem(error) };
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) {
      return { kind: "bad", problem: stat.isDirectory() ? "it is a folder" : "it is not a file" };
    }
    return read(fd, stat.size);
  } finally {
    closeSync(fd);
  }
}

function* chunksOf(fd: number): Generator<Buffer> {
  for (;;) {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    const length = readSync(fd, chunk);
    if (length === 0) return;
    yield chunk.subarray(0, length);
  }
}
