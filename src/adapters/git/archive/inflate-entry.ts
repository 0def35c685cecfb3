/** Inflates one object of a pack without believing what it says about its size. */
import { createInflate, inflateSync } from "node:zlib";
import { refusal } from "./refusal.ts";

/** Reads up to `length` bytes at a position; fewer at the end. */
export type ReadAt = (position: number, length: number) => Buffer;

export interface Inflated {
  /** Bytes of the pack that it took. */
  readonly consumed: number;
  /** The beginning of its content. */
  readonly head: Buffer;
}

/** Up to this a synchronous call is quickest; larger ones are inflated in pieces and thrown away. */
const SMALL = 256 * 1024;
const PIECE = 256 * 1024;
export const HEAD_BYTES = 32;

/** Fails unless there are exactly `size` bytes. */
export async function inflateEntry(readAt: ReadAt, at: number, size: number): Promise<Inflated> {
  return (
    (size <= SMALL ? inflateSmall(readAt, at, size) : undefined) ?? inflateLarge(readAt, at, size)
  );
}

/** Undefined when the compressed form is longer than any sensible one; the careful way decides then. */
function inflateSmall(readAt: ReadAt, at: number, size: number): Inflated | undefined {
  const input = readAt(at, size + (size >> 3) + 64);
  try {
    // One byte more than it should have, so that too much is seen.
    const options = { info: true, maxOutputLength: size + 1 };
    // With `info` the answer is an object, which the types of Node do not say.
    const { buffer, engine } = inflateSync(input, options) as unknown as {
      readonly buffer: Buffer;
      readonly engine: { readonly bytesWritten: number };
    };
    if (buffer.length !== size) throw wrongSize();
    return { consumed: engine.bytesWritten, head: buffer.subarray(0, HEAD_BYTES) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "Z_BUF_ERROR") return undefined;
    if (code === "ERR_BUFFER_TOO_LARGE") throw wrongSize();
    if (code?.startsWith("Z_") === true) throw damaged();
    throw error;
  }
}

function inflateLarge(readAt: ReadAt, at: number, size: number): Promise<Inflated> {
  return new Promise((resolve, reject) => {
    const inflate = createInflate();
    let head = Buffer.alloc(0);
    let length = 0;
    let next = at;
    let isOver = false;
    const feed = (): void => {
      // It takes what comes after the object too, and never says that it is enough: the file may be closed by now.
      if (isOver) return;
      const piece = readAt(next, PIECE);
      next += piece.length;
      if (piece.length === 0) inflate.end();
      else inflate.write(piece, (error) => (error instanceof Error ? undefined : feed()));
    };
    inflate.on("data", (chunk: Buffer) => {
      if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk]).subarray(0, HEAD_BYTES);
      length += chunk.length;
      if (length > size) inflate.destroy(wrongSize());
    });
    inflate.on("end", () => {
      isOver = true;
      if (length === size) resolve({ consumed: inflate.bytesWritten, head });
      else reject(wrongSize());
    });
    inflate.on("error", (error: NodeJS.ErrnoException) => {
      isOver = true;
      reject(error.code?.startsWith("Z_") === true ? damaged() : error);
    });
    feed();
  });
}

const wrongSize = () => refusal("an object in it does not have its recorded size");
const damaged = () => refusal("an object in it is damaged or cut short");
