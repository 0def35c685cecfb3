/**
 * The cache-tree extension of an index: which trees git already has for which folders.
 *
 * Ten thousand folders are common, and a checkpoint needs a handful of them, so nothing is decoded until asked for.
 */
import type { HashName } from "./object-hash.ts";

const NEWLINE = 0x0a;
const SPACE = 0x20;
const MINUS = 0x2d;
const ZERO = 0x30;

export class CachedTrees {
  static readonly ROOT = 0;
  readonly #body: Buffer;
  readonly #oidBytes: number;
  readonly #names: number[] = [];
  readonly #counts: number[] = [];
  readonly #oids: number[] = [];
  readonly #children: number[] = [];
  /** The node after a folder and everything below it. */
  readonly #next: number[] = [];
  /** By folder: the nodes of its own folders, once one of them was not where it was looked for. */
  readonly #named = new Map<number, Map<string, number>>();
  #at = 0;

  constructor(body: Buffer, hash: HashName) {
    this.#body = body;
    this.#oidBytes = hash === "sha1" ? 20 : 32;
    if (body.length > 0) this.#readNode();
  }

  get isEmpty(): boolean {
    return this.#names.length === 0;
  }

  /** Entries below the folder; -1 when its tree has to be computed. */
  count(node: number): number {
    return this.#counts[node] ?? -1;
  }

  /** Of all folders whose tree is known. */
  oids(): string[] {
    return this.#oids.flatMap((_, node) => this.oid(node) ?? []);
  }

  oid(node: number): string | undefined {
    const start = this.#oids[node] ?? -1;
    return start < 0 ? undefined : this.#body.toString("hex", start, start + this.#oidBytes);
  }

  /**
   * The node of a folder inside another, or -1. Folders are asked for in their order in the index, so the one after
   * `previous` is mostly the right one.
   */
  child(node: number, name: string, previous = -1): number {
    if (node < 0) return -1;
    const guess = previous < 0 ? node + 1 : (this.#next[previous] ?? -1);
    if (guess < (this.#next[node] ?? 0) && this.#isNamed(guess, name)) return guess;
    return this.#byName(node).get(name) ?? -1;
  }

  /** Git has shorter names first, the index has them by the alphabet: looked for one by one, many would take for ever. */
  #byName(node: number): ReadonlyMap<string, number> {
    let names = this.#named.get(node);
    if (names !== undefined) return names;
    this.#named.set(node, (names = new Map()));
    const children = this.#children[node] ?? 0;
    let child = node + 1;
    for (let seen = 0; seen < children; seen++) {
      const start = this.#names[child] ?? 0;
      const end = this.#body.indexOf(0, start);
      names.set(this.#body.toString("latin1", start, end), child);
      child = this.#next[child] ?? -1;
    }
    return names;
  }

  #isNamed(node: number, name: string): boolean {
    const start = this.#names[node] ?? 0;
    for (let at = 0; at < name.length; at++) {
      if (this.#body[start + at] !== name.charCodeAt(at)) return false;
    }
    return this.#body[start + name.length] === 0;
  }

  #readNode(): void {
    // A damaged one may announce more folders than there are bytes.
    if (this.#at >= this.#body.length) throw new RangeError("there are fewer folders than it says");
    const node = this.#names.length;
    this.#names.push(this.#at);
    while (this.#at < this.#body.length && this.#body[this.#at] !== 0) this.#at += 1;
    this.#at += 1;
    const count = this.#readNumber(SPACE);
    const children = this.#readNumber(NEWLINE);
    this.#counts.push(count);
    this.#children.push(children);
    this.#oids.push(count < 0 ? -1 : this.#at);
    if (count >= 0) this.#at += this.#oidBytes;
    this.#next.push(0);
    for (let child = 0; child < children; child++) this.#readNode();
    this.#next[node] = this.#names.length;
  }

  #readNumber(end: number): number {
    let value = 0;
    let sign = 1;
    for (; this.#body[this.#at] !== end && this.#at < this.#body.length; this.#at++) {
      const byte = this.#body[this.#at] ?? 0;
      if (byte === MINUS) sign = -1;
      else value = value * 10 + (byte - ZERO);
    }
    this.#at += 1;
    return sign * value;
  }
}
