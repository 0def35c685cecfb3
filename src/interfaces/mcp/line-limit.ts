/** Lines of at most so many bytes; longer ones are left out as a whole, so that one of them does not end the conversation. */
import { Transform, type TransformCallback } from "node:stream";

const LINE_BREAK = 0x0a;

export class LineLimit extends Transform {
  readonly #most: number;
  readonly #onTooLong: () => void;
  #chunks: Buffer[] = [];
  #size = 0;
  #isTooLong = false;

  constructor(mostBytes: number, onTooLong: () => void) {
    super();
    this.#most = mostBytes;
    this.#onTooLong = onTooLong;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    let from = 0;
    for (let end = chunk.indexOf(LINE_BREAK); end >= 0; end = chunk.indexOf(LINE_BREAK, from)) {
      this.#take(chunk.subarray(from, end + 1));
      this.#endLine();
      from = end + 1;
    }
    this.#take(chunk.subarray(from));
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#endLine();
    done();
  }

  #take(piece: Buffer): void {
    if (this.#isTooLong || piece.length === 0) return;
    this.#size += piece.length;
    if (this.#size <= this.#most) {
      this.#chunks.push(piece);
      return;
    }
    this.#isTooLong = true;
    this.#chunks = [];
    this.#onTooLong();
  }

  #endLine(): void {
    if (this.#chunks.length > 0) this.push(Buffer.concat(this.#chunks));
    this.#chunks = [];
    this.#size = 0;
    this.#isTooLong = false;
  }
}
