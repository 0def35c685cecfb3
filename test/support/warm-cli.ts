/**
 * Runs the built command in a process that stays for the next one (`warm-command.cjs`), because a start costs more than what most
 * commands do. `cli.ts` says which commands this is for.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type CommandOptions, type CommandResult, TIME_LIMIT_MS } from "./run-command.ts";
import { SMALL_PROCESS } from "./small-process.ts";

const program = fileURLToPath(new URL("warm-command.cjs", import.meta.url));

/** Processes with nothing to do: as many as commands ran at the same time so far. They end with this one. */
const idle: WarmProcess[] = [];

export async function runWarm(
  bin: string,
  args: readonly string[],
  options: Omit<CommandOptions, "input">,
): Promise<CommandResult> {
  const warm = idle.pop() ?? new WarmProcess(bin);
  const result = await warm.run(args, options);
  // One that has ended told its exit code, too: by process.exit(), or because it was killed.
  if (warm.isAlive) idle.push(warm);
  return result;
}

type Stream = "stdout" | "stderr";

class WarmProcess {
  readonly #child: ChildProcess;
  #said: Record<Stream, Buffer> = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  #runs = 0;
  #isOver: () => void = () => undefined;

  constructor(bin: string) {
    this.#child = spawn(process.execPath, [...SMALL_PROCESS, program, bin], {
      // A process group of its own, as in run-command.ts.
      detached: true,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    for (const stream of ["stdout", "stderr"] as const) {
      this.#child[stream]?.on("data", (chunk: Buffer) => {
        this.#said[stream] = Buffer.concat([this.#said[stream], chunk]);
        this.#isOver();
      });
    }
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async run(
    args: readonly string[],
    { env, cwd, timeoutMs }: Omit<CommandOptions, "input">,
  ): Promise<CommandResult> {
    const ending = `\0end of run ${++this.#runs}\0`;
    const endOf = (stream: Stream): number => this.#said[stream].indexOf(ending);
    const told = (stream: Stream): Buffer =>
      endOf(stream) < 0 ? this.#said[stream] : this.#said[stream].subarray(0, endOf(stream));
    this.#said = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, "SIGKILL");
    }, timeoutMs ?? TIME_LIMIT_MS);
    const over = this.#over(() => endOf("stdout") >= 0 && endOf("stderr") >= 0);
    this.#child.send({ args, env, cwd, ending });
    try {
      const end = await over;
      return { ...end, stdout: told("stdout"), stderr: told("stderr").toString("utf8"), timedOut };
    } finally {
      clearTimeout(timer);
    }
  }

  /** The exit code, and all that was said; or the end of the process itself. */
  #over(isSaid: () => boolean): Promise<Pick<CommandResult, "code" | "signal">> {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      let code: number | undefined;
      const end = (found: Pick<CommandResult, "code" | "signal">): void => {
        child.off("message", onMessage).off("close", onClose).off("error", reject);
        resolve(found);
      };
      const onClose = (exitCode: number | null, signal: NodeJS.Signals | null): void =>
        end({ code: exitCode, signal });
      const onMessage = (sent: unknown): void => {
        code = Number(sent);
        this.#isOver();
      };
      this.#isOver = () => {
        if (code !== undefined && isSaid()) end({ code, signal: null });
      };
      child.on("message", onMessage).on("close", onClose).on("error", reject);
    });
  }
}
