/** What an agent sends on standard input: not more than fits, and not waited for without end. */
import { fstatSync, readFileSync } from "node:fs";
import { isatty } from "node:tty";

/** A file that an agent writes is in it; what is larger is no text that people work on. */
const MOST_BYTES = 16_000_000;
/** Agents write it at once and close the pipe. One that keeps it open has said all by then. */
const WAIT_MS = 2000;

export interface HookInput {
  readonly bytes: Buffer;
  /** It was longer. */
  readonly isCut: boolean;
}

const NOTHING: HookInput = { bytes: Buffer.alloc(0), isCut: false };

export async function readInput(): Promise<HookInput> {
  if (isatty(0)) return NOTHING;
  try {
    const stat = fstatSync(0);
    if (stat.isFile()) return cut([readFileSync(0)]);
    if (stat.isDirectory()) return NOTHING;
  } catch {
    return NOTHING;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, WAIT_MS);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    process.stdin.on("data", (chunk: Buffer) => {
      size += chunk.length;
      // The rest is read all the same: some agents fail when they cannot write it.
      if (size - chunk.length <= MOST_BYTES) chunks.push(chunk);
    });
    process.stdin.on("end", end);
    process.stdin.on("error", end);
    process.stdin.on("close", end);
  });
  return cut(chunks);
}

function cut(chunks: readonly Buffer[]): HookInput {
  const all = Buffer.concat(chunks);
  return { bytes: all.subarray(0, MOST_BYTES), isCut: all.length > MOST_BYTES };
}
