/** The RunFiles port on the disk: `.checkpoints/runs/<session>/`. */
import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  mkdirSync,
} from "node:fs";
import { join, relative } from "node:path";
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
import { takeLock } from "./owned-lock.ts";

/** Whoever starts a workflow here is done with it in a moment. */
const START_WAIT_MS = 10_000;
/** A log has at most twice of this: when it is full, it becomes the older half and a new one begins. */
const HALF_LOG_BYTES = 8_388_608;
/** It becomes part of the session document, which is written with every step. */
const MOST_JSON_BYTES = 1_048_576;
const CHUNK_BYTES = 65_536;

export interface RunFilesPlace {
  /** The project. */
  readonly root: string;
  /** Waymark's own folder in it, made when it is asked for. */
  readonly folder: () => string;
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
    const path = this.#pathOf(place, "log");
    rmSync(`${path}.1`, { force: true });
    return Promise.resolve(
      new CappedLog(path, relative(this.#place.root, path), this.#halfLogBytes),
    );
  }

  writeJson(place: AttemptPlace, what: string, value: unknown): Promise<string> {
    const path = this.#pathOf(place, `${what}.json`);
    writeDurably(path, `${JSON.stringify(value, null, 1)}\n`, false);
    return Promise.resolve(path);
  }

  readJson(path: string): Promise<ReadJson> {
    return Promise.resolve(jsonIn(path));
  }

  remove(path: string): Promise<void> {
    rmSync(path, { force: true });
    return Promise.resolve();
  }

  find(folder: string, path: string): Promise<FoundFile> {
    return Promise.resolve(
      reading(join(folder, path), (fd, size): FoundFile => {
        const hash = createHash("sha256");
        for (const chunk of chunksOf(fd)) hash.update(chunk);
        return { kind: "file", size, sha256: hash.digest("hex") };
      }),
    );
  }

  findJson(folder: string, path: string): Promise<ReadJson> {
    return Promise.resolve(jsonIn(join(folder, path)));
  }

  #pathOf({ sessionId, step, name, attempt }: AttemptPlace, ending: string): string {
    const folder = join(this.#place.folder(), "runs", sessionId);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Names that become the same word are told apart by a digest.
    const plain = slug(name, "node");
    const tag = createHash("sha256").update(name).digest("hex").slice(0, 6);
    const shown = plain === name ? plain : `${plain}-${tag}`;
    return join(folder, `${String(step).padStart(2, "0")}-${shown}.${attempt}.${ending}`);
  }
}

class CappedLog implements AttemptLog {
  readonly path: string;
  readonly #file: string;
  readonly #half: number;
  #fd: number | undefined;
  #size = 0;

  constructor(file: string, shown: string, half: number) {
    this.#file = file;
    this.path = shown;
    this.#half = half;
    this.#fd = openSync(file, "w", 0o600);
  }

  write(bytes: Uint8Array): void {
    if (this.#fd === undefined) return;
    if (this.#size > 0 && this.#size + bytes.length > this.#half) {
      closeSync(this.#fd);
      renameSync(this.#file, `${this.#file}.1`);
      this.#fd = openSync(this.#file, "w", 0o600);
      this.#size = 0;
    }
    writeAll(this.#fd, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    this.#size += bytes.length;
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}

function jsonIn(path: string): ReadJson {
  return reading(path, (fd, size): ReadJson => {
    if (size > MOST_JSON_BYTES) return { kind: "bad", problem: "it is larger than 1 MiB" };
    const text = Buffer.concat([...chunksOf(fd)]).toString("utf8");
    try {
      return { kind: "value", value: JSON.parse(text) as unknown };
    } catch (error) {
      return { kind: "bad", problem: `it is no JSON: ${(error as Error).message}` };
    }
  });
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
      return { kind: "bad", problem: stat.isDirectory() ? "it is a folder" : "it is no file" };
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
