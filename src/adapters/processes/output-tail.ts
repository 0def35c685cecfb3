/** The end of what a command wrote: as much as was asked for, and never more in memory than twice of that. */
export class OutputTail {
  readonly #most: number;
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size <= 2 * this.#most) return;
    const kept = this.bytes();
    this.#chunks = [kept];
    this.#size = kept.length;
  }

  bytes(): Buffer {
    const all = Buffer.concat(this.#chunks);
    // Copied, so that what came before it can go.
    return Buffer.from(all.subarray(Math.max(0, all.length - this.#most)));
  }
}
