/** Passes on what nodes write; where several write at once, whole lines with the name of the node. */
import type { NodeOutput } from "../../../operations/run/run-options.ts";

/** A promise: nothing more should be written until it is settled. */
type Write = (stream: "stdout" | "stderr", bytes: Uint8Array) => Promise<void> | undefined;

/** A line that never ends is passed on in pieces. */
const LONGEST_LINE = 65_536;
const NEWLINE = 10;

export class PassedOutput {
  readonly #write: Write;
  readonly #rests = new Map<string, Buffer>();

  constructor(write: Write) {
    this.#write = write;
  }

  add({ node, stream, bytes, isOneOfSeveral }: NodeOutput): Promise<void> | undefined {
    if (!isOneOfSeveral) return this.#write(stream, bytes);
    const key = `${stream} ${node}`;
    const all = Buffer.concat([this.#rests.get(key) ?? Buffer.alloc(0), bytes]);
    const last = all.lastIndexOf(NEWLINE);
    const end = last < 0 && all.length > LONGEST_LINE ? all.length : last + 1;
    this.#rests.set(key, all.subarray(end));
    return end > 0 ? this.#lines(node, stream, all.subarray(0, end)) : undefined;
  }

  /** What came after the last end of a line. */
  finish(node: string): void {
    for (const stream of ["stdout", "stderr"] as const) {
      const key = `${stream} ${node}`;
      const rest = this.#rests.get(key);
      this.#rests.delete(key);
      if (rest !== undefined && rest.length > 0) void this.#lines(node, stream, rest);
    }
  }

  #lines(node: string, stream: "stdout" | "stderr", bytes: Buffer): Promise<void> | undefined {
    const prefix = Buffer.from(`${node} | `);
    const parts: Buffer[] = [];
    for (let at = 0; at < bytes.length;) {
      const next = bytes.indexOf(NEWLINE, at);
      const end = next < 0 ? bytes.length : next + 1;
      parts.push(prefix, bytes.subarray(at, end));
      if (next < 0) parts.push(Buffer.from("\n"));
      at = end;
    }
    return this.#write(stream, Buffer.concat(parts));
  }
}
