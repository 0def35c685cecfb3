/**
 * The Commands port on the processes of this machine.
 *
 * Without a terminal each command gets a process group of its own, which is what gets the signals. With one it stays in
 * ours: another group would be a background job, which may not read from the terminal and does not get Ctrl+C.
 */
import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { isatty } from "node:tty";
import type { CommandEnd, CommandOrder, Commands } from "../../ports/commands.ts";
import { uniqueName } from "../files/durable-write.ts";
import { errorCode } from "../files/errors.ts";
import { markedProcesses, MARK_VARIABLE, withMark } from "./marked-processes.ts";
import { OutputTail } from "./output-tail.ts";
import { ownLine } from "./own-line.ts";
import { processesIn } from "./processes-in-folder.ts";

/** Between being asked to end and being killed: agents save what they have, and git removes its locks. */
const GRACE_MS = 5000;
const POLL_MS = 20;
/** What it wrote last may still be on its way; a background process may hold the pipe for ever. */
const DRAIN_MS = 500;
/** Ctrl+C in a terminal reaches the command and us; on a busy machine its end is reported before our own signal. */
const SIGNAL_LAG_MS = 200;
const EXIT_OF_SIGINT = 128 + constants.signals.SIGINT;

export class NodeCommands implements Commands {
  readonly #token = uniqueName();
  readonly #graceMs: number;
  #count = 0;

  constructor(graceMs = GRACE_MS) {
    this.#graceMs = graceMs;
  }

  async run(order: CommandOrder): Promise<CommandEnd> {
    this.#count += 1;
    const mark = `${this.#token}.${this.#count}`;
    const [program, ...args] = wordsOf(order);
    const hasOwnGroup = !isatty(0);
    let child: ChildProcess;
    try {
      child = spawn(program, args, {
        cwd: order.cwd,
        env: {
          ...process.env,
          ...order.env,
          [MARK_VARIABLE]: withMark(process.env[MARK_VARIABLE], mark),
        },
        detached: hasOwnGroup,
        stdio: stdioOf(order),
        windowsHide: true,
      });
    } catch (error) {
      return { kind: "not_started", problem: startProblem(program, order.cwd, error) };
    }
    const tail = new OutputTail(order.keepOutput);
    const drained = Promise.all([
      handOn(child.stdout, "stdout", order, tail),
      handOn(child.stderr, "stderr", order, tail),
    ]);
    const alive = (): number[] => [
      ...markedProcesses((found) => found === mark),
      ...(isRunning(child) && child.pid !== undefined ? [child.pid] : []),
    ];
    let ending: Promise<void> | undefined;
    const stop = (): void => {
      const first = order.signal.reason === "SIGINT" ? "SIGINT" : "SIGTERM";
      ending = this.#end(alive, hasOwnGroup ? child.pid : undefined, first);
    };
    order.signal.addEventListener("abort", stop, { once: true });
    if (order.signal.aborted) stop();
    try {
      const { code, signal } = await exitOf(child);
      order.onExit?.();
      if (!hasOwnGroup && (signal === "SIGINT" || code === EXIT_OF_SIGINT)) {
        await sleep(SIGNAL_LAG_MS);
      }
      await ending;
      await Promise.race([drained, sleep(DRAIN_MS, undefined, { ref: false })]);
      const exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
      return { kind: "ended", exitCode, signal, output: tail.bytes() };
    } catch (error) {
      return { kind: "not_started", problem: startProblem(program, order.cwd, error) };
    } finally {
      order.signal.removeEventListener("abort", stop);
      child.stdout?.destroy();
      child.stderr?.destroy();
    }
  }

  name(): Promise<string> {
    return Promise.resolve(this.#token);
  }

  async endLeftOvers(name = this.#token): Promise<number> {
    if (name === "") return 0;
    // Whoever asks may be one of them: an agent that outlived its run and looks after what is left.
    const own = name === this.#token ? new Set<number>() : ownLine();
    const alive = (): number[] =>
      markedProcesses((mark) => mark.startsWith(`${name}.`)).filter((pid) => !own.has(pid));
    const count = alive().length;
    if (count > 0) await this.#end(alive, undefined);
    return count;
  }

  workingIn(folder: string): Promise<number[]> {
    return Promise.resolve(processesIn(folder));
  }

  async #end(
    alive: () => number[],
    group: number | undefined,
    first: "SIGINT" | "SIGTERM" = "SIGTERM",
  ): Promise<void> {
    send(first, alive(), group);
    // Whatever somebody does to the clock meanwhile.
    const deadline = performance.now() + this.#graceMs;
    while (alive().length > 0 && performance.now() < deadline) await sleep(POLL_MS);
    // Each round also finds what was started since the one before.
    for (let left = alive(); left.length > 0; left = alive()) {
      send("SIGKILL", left, group);
      await sleep(POLL_MS);
    }
    // Where there is no /proc only the group knows who is left.
    if (group !== undefined) send("SIGKILL", [], group);
  }
}

function wordsOf({ command }: CommandOrder): readonly [string, ...string[]] {
  return command.kind === "program" ? command.words : ["/bin/sh", "-c", command.line];
}

/** A terminal is handed over as it is, so that programs know it for one. */
function stdioOf({ stdin, stdout, keepOutput, onOutput }: CommandOrder): StdioOptions {
  const to = (fd: 1 | 2): number | "pipe" => {
    if (onOutput !== undefined) return "pipe";
    return keepOutput === 0 || (stdin === "inherit" && isatty(fd)) ? fd : "pipe";
  };
  return [stdin === "inherit" ? 0 : "ignore", to(stdout === "stdout" ? 1 : 2), to(2)];
}

/** Fails when it could not be started. */
function exitOf(
  child: ChildProcess,
): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) => resolve({ code, signal }));
  });
}

/** Streams of ours that nobody reads any more. Node takes up stdout again after an error, and may then wait for ever. */
const UNREAD = new WeakSet<Writable>();

/** Resolves when all of it has been handed on. */
function handOn(
  source: Readable | null,
  stream: "stdout" | "stderr",
  { stdout, onOutput }: CommandOrder,
  tail: OutputTail,
): Promise<void> {
  if (source === null) return Promise.resolve();
  source.on("data", (chunk: Buffer) => tail.add(chunk));
  if (onOutput === undefined) {
    return passOn(
      source,
      stream === "stdout" && stdout === "stdout" ? process.stdout : process.stderr,
    );
  }
  source.on("data", (chunk: Buffer) => {
    const busy = onOutput(stream, chunk);
    if (busy === undefined) return;
    source.pause();
    void busy.finally(() => source.resume());
  });
  return new Promise((resolve) => void source.once("close", () => resolve()));
}

function passOn(source: Readable, target: Writable): Promise<void> {
  // Whoever read our output has gone: the command learns it as it would without us.
  const gone = (): void => {
    UNREAD.add(target);
    source.destroy();
  };
  target.on("error", gone);
  if (UNREAD.has(target)) gone();
  else source.pipe(target, { end: false });
  return new Promise((resolve) => {
    source.once("close", () => {
      target.off("error", gone);
      resolve();
    });
  });
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

export function send(
  signal: NodeJS.Signals,
  pids: readonly number[],
  group: number | undefined,
): void {
  for (const target of [...(group === undefined ? [] : [-group]), ...pids]) {
    try {
      process.kill(target, signal);
    } catch {
      // It has ended by itself, or is not ours to end.
    }
  }
}

export function startProblem(program: string, cwd: string, error: unknown): string {
  const code = errorCode(error);
  // Node says the same of both.
  if (code === "ENOENT" && !existsSync(cwd)) return `no such folder: ${cwd}`;
  if (code === "ENOENT") return `command not found: ${program}`;
  if (code === "EACCES") return `${program} may not be run (no permission)`;
  if (code === "E2BIG") return `the arguments of ${program} are too long`;
  return `${program} cannot be started: ${error instanceof Error ? error.message : String(error)}`;
}
