/** Runs one program to its end and returns all it said. A non-zero exit is a result, not an error. */
import { spawn } from "node:child_process";

export interface CommandResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly timedOut: boolean;
}

export interface CommandOptions {
  readonly cwd?: string;
  readonly env: NodeJS.ProcessEnv;
  readonly input?: Buffer | string;
  readonly timeoutMs?: number;
}

/** Long enough for a loaded machine, short enough to name a command that hangs (on a fifo, on a prompt). */
export const TIME_LIMIT_MS = 60_000;

export function runCommand(
  program: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: options.env,
      // A process group of its own, so that a hanging command is ended with its children.
      detached: true,
      stdio: [options.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      if (child.pid !== undefined) {
        process.kill(-child.pid, "SIGKILL");
      }
    }, options.timeoutMs ?? TIME_LIMIT_MS);
    child.stdout?.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => stderr.push(chunk));
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      resolve({
        code,
        signal,
        stdout: Buffer.concat(stdout),
        stderr: Buffer.concat(stderr).toString("utf8"),
        timedOut,
      });
    });
    if (child.stdin !== null) {
      // A program that ends before it has read everything closes the pipe: its exit code says what matters.
      child.stdin.on("error", () => undefined);
      child.stdin.end(options.input);
    }
  });
}
