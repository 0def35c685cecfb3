/** Lines of JSON of at most so many bytes; others are left out as a whole, so that one of them does not end the conversation. */
import { Transform, type TransformCallback } from "node:stream";

const LINE_BREAK = 0x0a;

export interface LeftOut {
  readonly onTooLong: () => void;
  readonly onNoJson: () => void;
}

export class LineLimit extends Transform {
  readonly #most: number;
  readonly #leftOut: LeftOut;
  #chunks: Buffer[] = [];
  #size = 0;
  #isTooLong = false;

  constructor(mostBytes: number, leftOut: LeftOut) {
    super();
    this.#most = mostBytes;
    this.#leftOut = leftOut;
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

  /** What comes last counts without a line break, too. */
  override _flush(done: TransformCallback): void {
    if (this.#chunks.length > 0) this.#chunks.push(Buffer.of(LINE_BREAK));
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
    this.#leftOut.onTooLong();
  }

  #endLine(): void {
    const line = Buffer.concat(this.#chunks);
    const text = line.toString().trim();
    if (isJson(text)) this.push(line);
    else if (text !== "") this.#leftOut.onNoJson();
    this.#chunks = [];
    this.#size = 0;
    this.#isTooLong = false;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
