/**
 * Runs a program that is only asked something: nobody sees what it writes, it has nothing to read, and when its time is over
 * it is killed with everything that it started.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { uniqueName } from "../files/durable-write.ts";
import { errorCode } from "../files/errors.ts";
import { markedProcesses, MARK_VARIABLE, withMark } from "./marked-processes.ts";
import { send, startProblem } from "./node-commands.ts";

export interface QuietOrder {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** All of its environment. */
  readonly env: NodeJS.ProcessEnv;
  /** Null: it takes what it takes. */
  readonly timeoutMs: number | null;
  readonly signal?: AbortSignal;
  /** Bytes; a program that writes more is ended. */
  readonly mostOutput: number;
}

export type QuietEnd =
  | {
      readonly kind: "ended";
      /** Null: a signal ended it. */
      readonly exitCode: number | null;
      readonly stdout: Buffer;
      readonly stderr: string;
    }
  | Reached
  | { readonly kind: "not_started"; readonly hasNoProgram: boolean; readonly problem: string };

interface Reached {
  readonly kind: "too_slow" | "too_much" | "stopped";
}

/** Longer waits than this make a timer of Node fire at once. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;
/** Bytes of stderr that are kept for a message. */
const MOST_SAID = 8192;
/** What it wrote last may still be on its way; a background process may hold the pipe for ever. */
const DRAIN_MS = 500;
/** A killed process is gone at once, unless the kernel holds it. */
const KILL_ROUNDS = 50;
const ROUND_MS = 10;

export async function runQuietly(order: QuietOrder): Promise<QuietEnd> {
  if (order.signal?.aborted === true) return { kind: "stopped" };
  const mark = uniqueName();
  let child: ChildProcess;
  try {
    child = spawn(order.program, order.args, {
      cwd: order.cwd,
      env: { ...order.env, [MARK_VARIABLE]: withMark(order.env[MARK_VARIABLE], mark) },
      // A group of its own, which is what is killed.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
  } catch (error) {
    return notStarted(order, error);
  }
  const marked = (): number[] => markedProcesses((found) => found === mark);
  const killOnExit = (): void => send("SIGKILL", marked(), child.pid);
  process.once("exit", killOnExit);
  const said = new Said(child, order.mostOutput);
  const limit = limitOf(order, said);
  try {
    const end = await Promise.race([ended(child), limit.reached]);
    if (end.kind === "failed") return notStarted(order, end.error);
    if (end.kind !== "exit") {
      await killAll(marked, child.pid);
      return end;
    }
    await Promise.race([said.closed, sleep(DRAIN_MS, undefined, { ref: false })]);
    if (said.isTooMuch) return { kind: "too_much" };
    return { kind: "ended", exitCode: end.exitCode, stdout: said.stdout(), stderr: said.stderr };
  } finally {
    limit.end();
    said.stop();
    process.off("exit", killOnExit);
  }
}

type Ending =
  | { readonly kind: "exit"; readonly exitCode: number | null }
  | { readonly kind: "failed"; readonly error: unknown };

function ended(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve) => {
    child.on("error", (error) => resolve({ kind: "failed", error }));
    child.on("exit", (exitCode) => resolve({ kind: "exit", exitCode }));
  });
}

/** What ends it before it does so by itself. */
function limitOf(
  { timeoutMs, signal }: QuietOrder,
  said: Said,
): { readonly reached: Promise<Reached>; readonly end: () => void } {
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const reached = new Promise<Reached>((resolve) => {
    const stop = (): void => resolve({ kind: "stopped" });
    signal?.addEventListener("abort", stop, { once: true, signal: over.signal });
    said.onTooMuch = () => resolve({ kind: "too_much" });
    if (timeoutMs === null) return;
    const wait = Math.min(timeoutMs, LONGEST_WAIT_MS);
    timer = setTimeout(() => resolve({ kind: "too_slow" }), wait);
  });
  const end = (): void => {
    clearTimeout(timer);
    over.abort();
  };
  return { reached, end };
}

/** Each round also finds what was started since the one before. */
async function killAll(alive: () => number[], group: number | undefined): Promise<void> {
  for (let round = 0; round < KILL_ROUNDS; round++) {
    const left = alive();
    send("SIGKILL", left, group);
    if (round > 0 && left.length === 0) return;
    await sleep(ROUND_MS);
  }
}

/** What it writes, up to its limit. */
class Said {
  stderr = "";
  isTooMuch = false;
  onTooMuch: () => void = () => undefined;
  readonly closed: Promise<void>;
  readonly #child: ChildProcess;
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(child: ChildProcess, most: number) {
    this.#child = child;
    child.stdout?.on("data", (chunk: Buffer) => {
      this.#size += chunk.length;
      if (this.#size <= most) {
        this.#chunks.push(chunk);
        return;
      }
      this.#chunks = [];
      this.isTooMuch = true;
      this.onTooMuch();
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      if (this.stderr.length < MOST_SAID) this.stderr += text.slice(0, MOST_SAID);
    });
    this.closed = new Promise((resolve) => child.on("close", () => resolve()));
  }

  stdout(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  stop(): void {
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }
}

function notStarted({ program, cwd }: QuietOrder, error: unknown): QuietEnd {
  const problem = startProblem(program, cwd, error);
  const hasNoProgram = errorCode(error) === "ENOENT" && problem.startsWith("command not found");
  return { kind: "not_started", hasNoProgram, problem };
}
