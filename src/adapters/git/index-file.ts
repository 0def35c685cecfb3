/**
 * Reads git's index file (versions 2 to 4, SHA-1 and SHA-256).
 *
 * Git itself can list an index, but three questions need the bytes: which entries are racy, which carry flags, and
 * which sub-trees git already has. Paths are decoded when they are asked for: most of 100,000 never are.
 */
import { Failure } from "../../domain/failure.ts";
import type { BytePath } from "../../domain/byte-path.ts";
import { CachedTrees } from "./cached-trees.ts";
import type { HashName } from "./object-hash.ts";

/** Offsets within an entry; the first 40 bytes are stat data and mode. */
const MTIME_SECONDS = 8;
const MODE = 24;
const SIZE = 36;
const STAT_BYTES = 40;

const ASSUME_VALID = 0x8000;
const EXTENDED = 0x4000;
const STAGE_MASK = 0x3000;
const NAME_MASK = 0x0fff;
const SKIP_WORKTREE = 0x4000;
const INTENT_TO_ADD = 0x2000;
const GITLINK = 0o160000;

export interface ResolveUndo {
  readonly path: BytePath;
  readonly stage: number;
  readonly mode: number;
  readonly oid: string;
}

const STAT_SIZES = 2 ** 32;
/** Git 2.43 and newer write it for what would be 0, which has a meaning of its own. */
const STAT_SIZE_OF_NONE_LEFT = 2 ** 31;

/** Whether the index has this number for a file of this length. */
export function isStatSize(statSize: number, length: number): boolean {
  const left = length % STAT_SIZES;
  return statSize === left || (left === 0 && length > 0 && statSize === STAT_SIZE_OF_NONE_LEFT);
}

const MAKE_ANEW = "Delete .git/index and run `git reset` to rebuild it; that changes no files.";

export class IndexFile {
  readonly bytes: Buffer;
  readonly version: number;
  readonly resolveUndo: ResolveUndo[] = [];
  /** Entries that git's comparison with the work tree skips, or that are not plain stage-0 files. */
  readonly special: number[] = [];
  readonly submodules: number[] = [];
  /** Bytes of all files by their stat data. */
  totalSize = 0;
  /** The latest change of a file that the index knows of, in seconds. */
  newestSecond = 0;
  #treesBody: Buffer = Buffer.alloc(0);
  #trees: CachedTrees | undefined;
  #mentions = new Map<string, boolean>();
  #lastBound = 0;
  /** Where the entries end and the extensions begin. */
  readonly entriesEnd: number;
  isSplit = false;
  isSparse = false;
  readonly #hash: HashName;
  readonly #starts: Uint32Array;
  readonly #oidBytes: number;
  /** Version 4 shares beginnings of paths between entries, so they are decoded in one go. */
  readonly #decoded: string[] = [];

  constructor(bytes: Buffer, hash: HashName) {
    this.bytes = bytes;
    this.#hash = hash;
    this.#oidBytes = hash === "sha1" ? 20 : 32;
    if (bytes.length < 12 + this.#oidBytes || bytes.toString("latin1", 0, 4) !== "DIRC") {
      throw new Failure("git_failed", "the index file is not a git index", {
        hint: MAKE_ANEW,
      });
    }
    this.version = bytes.readUInt32BE(4);
    if (this.version < 2 || this.version > 4) {
      throw new Failure("git_failed", `the index has the unsupported version ${this.version}`, {
        hint: "A newer git wrote it. `git update-index --index-version 4` writes a supported one.",
      });
    }
    try {
      const count = bytes.readUInt32BE(8);
      if (count * (STAT_BYTES + this.#oidBytes) > bytes.length) throw new RangeError("too many");
      this.#starts = new Uint32Array(count);
      this.entriesEnd = this.#readEntries();
      this.#readExtensions();
    } catch (error) {
      throw endsTooEarly(error);
    }
  }

  get cachedTrees(): CachedTrees {
    return (this.#trees ??= this.readTrees());
  }

  /** Reads what is read only when it is asked for: a project in which nothing changed needs none of ten thousand trees. */
  readTrees(): CachedTrees {
    try {
      return new CachedTrees(this.#treesBody, this.#hash);
    } catch (error) {
      throw endsTooEarly(error);
    }
  }

  get length(): number {
    return this.#starts.length;
  }

  path(entry: number): BytePath {
    const decoded = this.#decoded[entry];
    if (decoded !== undefined) return decoded as BytePath;
    const start = this.#start(entry);
    const flags = this.#flags(entry);
    const nameAt = start + STAT_BYTES + this.#oidBytes + ((flags & EXTENDED) === 0 ? 2 : 4);
    const length = flags & NAME_MASK;
    const end = length === NAME_MASK ? this.bytes.indexOf(0, nameAt) : nameAt + length;
    return this.bytes.toString("latin1", nameAt, end) as BytePath;
  }

  /** False: no path contains this text. A quick test by bytes, except in version 4, which stores only the end of most paths. */
  mentions(text: string): boolean {
    let answer = this.#mentions.get(text);
    if (answer === undefined) {
      answer =
        this.version === 4
          ? this.#decoded.some((path) => path.includes(text))
          : this.bytes.subarray(0, this.entriesEnd).includes(text, 0, "latin1");
      this.#mentions.set(text, answer);
    }
    return answer;
  }

  entryStart(entry: number): number {
    return this.#start(entry);
  }

  mode(entry: number): number {
    return this.bytes.readUInt32BE(this.#start(entry) + MODE);
  }

  oid(entry: number): string {
    const start = this.#start(entry) + STAT_BYTES;
    return this.bytes.toString("hex", start, start + this.#oidBytes);
  }

  stage(entry: number): number {
    return (this.#flags(entry) & STAGE_MASK) >> 12;
  }

  isAssumedValid(entry: number): boolean {
    return (this.#flags(entry) & ASSUME_VALID) !== 0;
  }

  skipsWorkTree(entry: number): boolean {
    return (this.#extendedFlags(entry) & SKIP_WORKTREE) !== 0;
  }

  isIntentToAdd(entry: number): boolean {
    return (this.#extendedFlags(entry) & INTENT_TO_ADD) !== 0;
  }

  /** When the file's stat data last changed, in seconds. */
  changeSeconds(entry: number): number {
    return this.bytes.readUInt32BE(this.#start(entry));
  }

  /** What is left of the file's length in 32 bits: of one with 5 GiB it says 1 GiB. `isStatSize` compares. */
  statSize(entry: number): number {
    return this.bytes.readUInt32BE(this.#start(entry) + SIZE);
  }

  changedSecond(entry: number): number {
    return this.bytes.readUInt32BE(this.#start(entry) + MTIME_SECONDS);
  }

  /** Its time stamps are whole seconds, as those of some disks always are. */
  isCoarse(entry: number): boolean {
    const start = this.#start(entry);
    return (
      this.bytes.readUInt32BE(start + 4) + this.bytes.readUInt32BE(start + MTIME_SECONDS + 4) === 0
    );
  }

  /** Entries whose file changed in or after this second. */
  changedSince(second: number): number[] {
    const found: number[] = [];
    if (this.newestSecond < second) return found;
    for (let entry = 0; entry < this.#starts.length; entry++) {
      if (this.changedSecond(entry) >= second) found.push(entry);
    }
    return found;
  }

  /** The same paths with the same stat data, modes and objects: one reading of the index compared with another. */
  sameEntries(entry: number, other: IndexFile, otherEntry: number, count: number): boolean {
    if (this.version === 4 || other.version === 4) {
      for (let at = 0; at < count; at++) {
        const [mine, theirs] = [entry + at, otherEntry + at];
        if (!this.#sameBytes(mine, other, theirs, STAT_BYTES + this.#oidBytes)) return false;
        if (this.path(mine) !== other.path(theirs)) return false;
      }
      return true;
    }
    const length = this.#endOf(entry, count) - this.#start(entry);
    const others = other.#endOf(otherEntry, count) - other.#start(otherEntry);
    return length === others && this.#sameBytes(entry, other, otherEntry, length);
  }

  #endOf(entry: number, count: number): number {
    return this.#starts[entry + count] ?? this.entriesEnd;
  }

  #sameBytes(entry: number, other: IndexFile, otherEntry: number, length: number): boolean {
    const start = this.#start(entry);
    const from = other.#start(otherEntry);
    return this.bytes.compare(other.bytes, from, from + length, start, start + length) === 0;
  }

  /** The first entry whose path is not before this one. Those who ask for many mostly ask in order, so it looks near the last one first. */
  lowerBound(path: string): number {
    let low = this.#lastBound;
    let high = this.#starts.length;
    if (low > 0 && this.path(low - 1) >= path) {
      [low, high] = [0, low - 1];
    } else {
      for (let step = 1; low + step < high; step *= 2) {
        if (this.path(low + step) >= path) high = low + step;
        else low += step + 1;
      }
    }
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.path(middle) < path) low = middle + 1;
      else high = middle;
    }
    this.#lastBound = low;
    return low;
  }

  /** The stage-0 entry of a path, or -1. */
  find(path: BytePath): number {
    const entry = this.lowerBound(path);
    if (entry >= this.#starts.length || this.path(entry) !== path) return -1;
    return this.stage(entry) === 0 ? entry : -1;
  }

  /** True for an entry of any stage, with or without content. */
  has(path: BytePath): boolean {
    const at = this.lowerBound(path);
    return at < this.length && this.path(at) === path;
  }

  #start(entry: number): number {
    return this.#starts[entry] ?? 0;
  }

  #flags(entry: number): number {
    return this.bytes.readUInt16BE(this.#start(entry) + STAT_BYTES + this.#oidBytes);
  }

  #extendedFlags(entry: number): number {
    if ((this.#flags(entry) & EXTENDED) === 0) return 0;
    return this.bytes.readUInt16BE(this.#start(entry) + STAT_BYTES + this.#oidBytes + 2);
  }

  #readEntries(): number {
    const { bytes } = this;
    // Quicker than the buffer's own methods as long as the code is cold, and here it always is.
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const flagsAt = STAT_BYTES + this.#oidBytes;
    let at = 12;
    let previous = "";
    let totalSize = 0;
    let newestSecond = 0;
    for (let entry = 0; entry < this.#starts.length; entry++) {
      this.#starts[entry] = at;
      const flags = view.getUint16(at + flagsAt);
      if ((flags & (ASSUME_VALID | EXTENDED | STAGE_MASK)) !== 0) this.special.push(entry);
      if (view.getUint32(at + MODE) === GITLINK) this.submodules.push(entry);
      totalSize += view.getUint32(at + SIZE);
      const changed = view.getUint32(at + MTIME_SECONDS);
      if (changed > newestSecond) newestSecond = changed;
      const nameAt = at + flagsAt + ((flags & EXTENDED) === 0 ? 2 : 4);
      if (this.version === 4) {
        const [strip, suffixAt] = readVarint(bytes, nameAt);
        const end = zeroAfter(bytes, suffixAt);
        const kept = previous.slice(0, previous.length - strip);
        previous = kept + bytes.toString("latin1", suffixAt, end);
        this.#decoded.push(previous);
        at = end + 1;
      } else {
        const length = flags & NAME_MASK;
        const end = length === NAME_MASK ? zeroAfter(bytes, nameAt) : nameAt + length;
        at += (end - at + 8) & ~7;
      }
    }
    this.totalSize = totalSize;
    this.newestSecond = newestSecond;
    return at;
  }

  #readExtensions(): void {
    const end = this.bytes.length - this.#oidBytes;
    for (let at = this.entriesEnd; at + 8 <= end;) {
      const name = this.bytes.toString("latin1", at, at + 4);
      const size = this.bytes.readUInt32BE(at + 4);
      const body = this.bytes.subarray(at + 8, at + 8 + size);
      if (name === "TREE") this.#treesBody = body;
      else if (name === "REUC") this.#readResolveUndo(body);
      else if (name === "link") this.isSplit = !isEmptyLink(body, this.#oidBytes);
      else if (name === "sdir") this.isSparse = true;
      else if (/^[a-z]/.test(name)) {
        throw new Failure("git_failed", `the index needs the unsupported extension ${name}`, {
          hint: "A newer git wrote it. Update Waymark; nothing was changed.",
        });
      }
      at += 8 + size;
    }
  }

  #readResolveUndo(body: Buffer): void {
    let at = 0;
    const readField = (): string => {
      const end = zeroAfter(body, at);
      const field = body.toString("latin1", at, end);
      at = end + 1;
      return field;
    };
    while (at < body.length) {
      const path = readField() as BytePath;
      const modes = [readField(), readField(), readField()].map((mode) => Number.parseInt(mode, 8));
      for (const [position, mode] of modes.entries()) {
        if (mode === 0) continue;
        const oid = body.toString("hex", at, at + this.#oidBytes);
        at += this.#oidBytes;
        this.resolveUndo.push({ path, stage: position + 1, mode, oid });
      }
    }
  }
}

function endsTooEarly(error: unknown): unknown {
  if (!(error instanceof RangeError)) return error;
  return new Failure("git_failed", "the index file is damaged: it ends too early", {
    hint: MAKE_ANEW,
    cause: error,
  });
}

/** Where a name ends. One without an end would send the reader back to the beginning, for ever. */
function zeroAfter(bytes: Buffer, start: number): number {
  const end = bytes.indexOf(0, start);
  if (end < 0) throw new RangeError("a name has no end");
  return end;
}

/** Git leaves a link extension without a base behind when a split index was joined again. */
function isEmptyLink(body: Buffer, oidBytes: number): boolean {
  return body.length >= oidBytes && body.subarray(0, oidBytes).every((byte) => byte === 0);
}

function readVarint(bytes: Buffer, start: number): [value: number, next: number] {
  let at = start;
  let byte = bytes.readUInt8(at++);
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = bytes.readUInt8(at++);
    value = ((value + 1) << 7) | (byte & 0x7f);
  }
  return [value, at];
}
