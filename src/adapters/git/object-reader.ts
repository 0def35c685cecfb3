/** One long-lived `git cat-file --batch`: reads objects, refs and `HEAD` for 0.2 ms each. */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { Socket } from "node:net";
import { join } from "node:path";
import { Failure } from "../../domain/failure.ts";
import { namesIn } from "../files/names-in.ts";
import { IN_PIECES } from "./git-environment.ts";
import { objectFolders } from "./object-folders.ts";
import { objectId, startObjectHash, type ObjectType } from "./object-hash.ts";
import type { Repository } from "./repository.ts";
import { cannotStart, startGit, type GitLocation } from "./run-git.ts";

export interface ReadObject {
  readonly oid: string;
  readonly type: string;
  readonly content: Buffer;
}

/** Is given an object in pieces, as it may be larger than memory. */
export interface PieceTaker {
  /** Called again, and everything comes again, when the process that read it was killed. */
  begin(size: number): void;
  take(piece: Buffer): void;
}

interface Waiting {
  readonly name: string;
  /** Undefined: the content is handed over as a whole. */
  readonly taker: PieceTaker | undefined;
  /** How often the process that was asked has been killed. */
  readonly kills: number;
  readonly resolve: (object: ReadObject | undefined) => void;
  readonly reject: (error: unknown) => void;
}

const DAMAGE_HINT =
  "`git fsck` shows what else is damaged, `waymark validate` which checkpoints are intact. Nothing was changed.";

/** Something that kills it again and again, such as a lack of memory, is a failure. */
const MOST_KILLS = 3;
/** Where objects are read from; any repository will do, also a bare one. */
export type ObjectPlace = GitLocation &
  Pick<Repository, "hash"> &
  Partial<Pick<Repository, "commonDir">>;

export class ObjectReader {
  readonly #repository: ObjectPlace;
  readonly #waiting: Waiting[] = [];
  #child: ChildProcessWithoutNullStreams | undefined;
  #chunks: Buffer[] = [];
  #buffered = 0;
  #header: { oid: string; type: string; size: number } | undefined;
  /** Bytes of the object that its taker still waits for. */
  #left = 0;
  #closed: Failure | undefined;
  readonly #env: Readonly<Record<string, string>>;
  /** Packs that were there when the process started. */
  #packs: readonly string[] = [];

  /** `env` can point at other objects, such as those in a quarantine. */
  constructor(repository: ObjectPlace, env: Readonly<Record<string, string>> = {}) {
    this.#repository = repository;
    this.#env = env;
  }

  /** The object that a name means, or undefined when there is none. Content is not checked against its id. */
  read(name: string): Promise<ReadObject | undefined> {
    return this.#get(name, undefined);
  }

  #get(name: string, taker: PieceTaker | undefined): Promise<ReadObject | undefined> {
    if (/[\n\0]/.test(name)) throw new Error("an object name cannot hold a line break");
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    return new Promise((resolve, reject) => this.#ask({ name, taker, kills: 0, resolve, reject }));
  }

  #ask(request: Waiting): void {
    this.#waiting.push(request);
    const child = this.#start();
    keepsProcessAlive(child, true);
    // What is asked for at once goes to git at once: each write wakes it.
    if (child.stdin.writableCorked === 0) {
      child.stdin.cork();
      process.nextTick(() => child.stdin.uncork());
    }
    child.stdin.write(`${request.name}\n`);
  }

  /** Reads an object that has to be there, whole and of this type; its id is computed again. */
  async readChecked(oid: string, type: ObjectType): Promise<Buffer> {
    const object = await this.read(oid);
    if (object === undefined) throw damaged(type, oid, "missing from");
    const actual = objectId(this.#repository.hash, type, object.content);
    if (object.type !== type || actual !== oid) throw damaged(type, oid, "damaged in");
    return object.content;
  }

  /** The same in pieces. What was taken counts only when this ends well. */
  async readPieces(oid: string, type: ObjectType, taker: PieceTaker): Promise<void> {
    let digest: ReturnType<typeof startObjectHash> | undefined;
    const object = await this.#get(oid, {
      begin: (size) => {
        digest = startObjectHash(this.#repository.hash, type, size);
        taker.begin(size);
      },
      take: (piece) => {
        digest?.update(piece);
        taker.take(piece);
      },
    });
    if (object === undefined) throw damaged(type, oid, "missing from");
    if (object.type !== type || digest?.digest("hex") !== oid) {
      throw damaged(type, oid, "damaged in");
    }
  }

  /** False when a pack was deleted that the process may still have open: it finds what is gone. */
  seesThePresent(): boolean {
    if (this.#child === undefined) return true;
    const packs = new Set(this.#packNames());
    return this.#packs.every((name) => packs.has(name));
  }

  #packNames(): string[] {
    const { commonDir, lender } = this.#repository;
    if (commonDir === undefined) return [];
    return objectFolders({ commonDir, lender }).flatMap((folder) => namesIn(join(folder, "pack")));
  }

  close(): void {
    this.#child?.stdin.end();
    this.#child = undefined;
  }

  #start(): ChildProcessWithoutNullStreams {
    if (this.#child !== undefined) return this.#child;
    this.#packs = this.#packNames().filter((name) => name.endsWith(".pack"));
    const child = startGit(this.#repository, [...IN_PIECES, "cat-file", "--batch"], {
      env: this.#env,
    });
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#buffered += chunk.length;
      this.#answer();
      if (this.#waiting.length === 0) keepsProcessAlive(child, false);
    });
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString("utf8").slice(0, 4096)));
    child.stdin.on("error", () => undefined);
    child.on("error", (error) => this.#fail(cannotStart(error)));
    child.on("close", (_, signal) => {
      if (this.#child === child) this.#child = undefined;
      // A corrupt object ends the process; the next read starts a new one.
      this.#fail(
        new Failure("checkpoint_damaged", `git could not read an object: ${stderr.trim()}`, {
          hint: DAMAGE_HINT,
        }),
        signal !== null,
      );
    });
    this.#child = child;
    return child;
  }

  #fail(failure: Failure, isKilled = false): void {
    this.#chunks = [];
    this.#buffered = 0;
    this.#header = undefined;
    const [first, ...rest] = this.#waiting.splice(0);
    // Ctrl+C in a terminal kills it beside us, and that is nobody's damage: a rollback still has to find its way back.
    if (first !== undefined && isKilled && first.kills < MOST_KILLS) {
      this.#ask({ ...first, kills: first.kills + 1 });
    } else {
      first?.reject(failure);
    }
    // Only the first request met the bad object; the others are asked again.
    for (const request of rest) this.#ask(request);
  }

  #answer(): void {
    for (;;) {
      if (this.#header === undefined && !this.#readHeader()) return;
      if (this.#header === undefined) continue;
      const { oid, type, size } = this.#header;
      const taker = this.#waiting[0]?.taker;
      if (taker !== undefined) {
        if (!this.#handOver(taker)) return;
        this.#header = undefined;
        this.#waiting.shift()?.resolve({ oid, type, content: Buffer.alloc(0) });
        continue;
      }
      if (this.#buffered < size + 1) return;
      const all = this.#joined();
      this.#keep(all.subarray(size + 1));
      this.#header = undefined;
      this.#waiting.shift()?.resolve({ oid, type, content: all.subarray(0, size) });
    }
  }

  /** True when its taker has got all of it. */
  #handOver(taker: PieceTaker): boolean {
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#buffered = 0;
    for (const [at, chunk] of chunks.entries()) {
      const piece = chunk.subarray(0, this.#left);
      const isTaken = piece.length === 0 || this.#tried(() => taker.take(piece));
      if (!isTaken) return false;
      this.#left -= piece.length;
      // The line break behind it has to be there too.
      if (piece.length === chunk.length) continue;
      const rest = Buffer.concat([chunk.subarray(piece.length + 1), ...chunks.slice(at + 1)]);
      this.#keep(rest);
      return true;
    }
    return false;
  }

  /** False when the taker threw: its request fails, and the process that still has the rest of it is left. */
  #tried(step: () => void): boolean {
    try {
      step();
      return true;
    } catch (error) {
      this.#waiting.shift()?.reject(error);
      const child = this.#child;
      this.#child = undefined;
      this.#keep(Buffer.alloc(0));
      this.#header = undefined;
      child?.removeAllListeners("close");
      child?.stdout.removeAllListeners("data");
      child?.stdout.destroy();
      child?.kill();
      for (const request of this.#waiting.splice(0)) this.#ask(request);
      return false;
    }
  }

  /** True when a line was taken; the header stays undefined when it said that the object is missing. */
  #readHeader(): boolean {
    if (this.#buffered === 0) return false;
    const all = this.#joined();
    const end = all.indexOf(10);
    if (end < 0) return false;
    const line = all.toString("latin1", 0, end);
    this.#keep(all.subarray(end + 1));
    const match = /^([0-9a-f]+) (blob|tree|commit|tag) (\d+)$/.exec(line);
    if (match === null) {
      this.#waiting.shift()?.resolve(undefined);
      return true;
    }
    const size = Number(match[3]);
    this.#header = { oid: match[1] ?? "", type: match[2] ?? "", size };
    this.#left = size;
    const taker = this.#waiting[0]?.taker;
    return taker === undefined || this.#tried(() => taker.begin(size));
  }

  #joined(): Buffer {
    const [only] = this.#chunks;
    if (this.#chunks.length === 1 && only !== undefined) return only;
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }

  #keep(rest: Buffer): void {
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#buffered = rest.length;
  }
}

function damaged(type: ObjectType, oid: string, how: "missing from" | "damaged in"): Failure {
  return new Failure("checkpoint_damaged", `the ${type} ${oid} is ${how} the repository`, {
    hint: DAMAGE_HINT,
    // Git saw nothing wrong with it.
    details: { object: oid, misread: how === "damaged in" },
  });
}

/** One that nobody waits for must not keep a program running that forgot to close its project; git ends with our pipe. */
function keepsProcessAlive(child: ChildProcessWithoutNullStreams, isWaiting: boolean): void {
  const change = isWaiting ? "ref" : "unref";
  child[change]();
  for (const pipe of [child.stdin, child.stdout, child.stderr]) {
    if (pipe instanceof Socket) pipe[change]();
  }
}
