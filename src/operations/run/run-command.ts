/** Runs one command of a workflow: with a log, time limits, and an ear for whoever wants to stop. */
import type { WorkflowPhase } from "../../domain/workflow/definition.ts";
import type { AttemptLog, AttemptPlace } from "../../ports/run-files.ts";
import { LastLines } from "./last-lines.ts";
import type { NodeOutput } from "./run-options.ts";
import type { Run } from "./run.ts";
import { TimeLimit } from "./time-limit.ts";

export interface CommandRequest {
  readonly phase: WorkflowPhase;
  /** Whose output it is: a node, `verify` … */
  readonly name: string;
  readonly line: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly log: AttemptLog;
  readonly timeoutMs: number | null;
  /** Of the phase's attempt. */
  readonly phaseLimit: TimeLimit;
  /** How much of stdout to give back. 0: nothing. */
  readonly keepStdout: number;
  readonly isOneOfSeveral: boolean;
  readonly onLine?: (line: string) => void;
}

export interface CommandOutcome {
  readonly end: "ok" | "failed" | "timed_out" | "interrupted";
  readonly exitCode: number | null;
  /** Null: it ended well. */
  readonly error: string | null;
  /** As far as it was asked for; null: there was more. */
  readonly stdout: Uint8Array | null;
  readonly lastLines: readonly string[];
  readonly durationMs: number;
}

/** For the summary of what an agent said. */
const KEPT_LINES = 20;
/** A line of output is worth an event now and then. */
const LINE_EVERY_MS = 250;

export async function runCommand(run: Run, request: CommandRequest): Promise<CommandOutcome> {
  const { phase, name, line, cwd, env, log, timeoutMs, phaseLimit, keepStdout } = request;
  const { isOneOfSeveral } = request;
  const { project, control, options } = run;
  const stop = new AbortController();
  const limit = new TimeLimit(timeoutMs);
  const stopListening = [
    control.whenStopped((reason) => stop.abort(reason)),
    limit.whenOver(() => stop.abort("SIGTERM")),
    phaseLimit.whenOver(() => stop.abort("SIGTERM")),
  ];
  const lines = new LastLines(KEPT_LINES);
  const kept = new KeptBytes(keepStdout);
  const teller = new NowAndThen(() => {
    if (lines.last !== undefined) guarded(run, () => request.onLine?.(lines.last ?? ""));
  });
  const handOn = (output: NodeOutput): Promise<void> | undefined =>
    guarded(run, () => options.onOutput?.(output));
  // By then: its output may take a while, and a wish to stop that comes meanwhile has nothing to do with how it ended.
  let wasStopped = false;
  const begun = project.clock.now().getTime();
  const passed = (): number => Math.max(0, project.clock.now().getTime() - begun);
  run.isTouched = true;
  try {
    const end = await project.commands.run({
      command: { kind: "shell", line },
      cwd,
      env,
      stdin: "none",
      stdout: "stderr",
      keepOutput: 0,
      signal: stop.signal,
      onExit: () => (wasStopped = control.isEnding),
      onOutput: (stream, bytes) => {
        log.write(bytes);
        if (stream === "stdout") kept.add(bytes);
        if (lines.add(bytes)) teller.tell();
        return handOn({ phase: phase.name, node: name, stream, bytes, isOneOfSeveral });
      },
    });
    teller.stop();
    if (log.problem !== undefined) {
      run.warn(`${log.path} does not contain the full output of ${name}: ${log.problem}`, phase);
    }
    const about = { lastLines: lines.all(), durationMs: passed(), stdout: kept.bytes() };
    if (end.kind === "not_started") {
      return { ...about, end: "failed", exitCode: null, error: end.problem };
    }
    const { exitCode, signal } = end;
    // Agents save what they have and end well when they are told to stop: that is no proof that the work is done.
    if (exitCode === 0 && !limit.isOver && !phaseLimit.isOver && !wasStopped) {
      return { ...about, end: "ok", exitCode, error: null };
    }
    const over = limit.isOver ? timeoutMs : phaseLimit.isOver ? phase.timeoutMs : null;
    if (over !== null) {
      const whose = limit.isOver ? "" : " of the phase";
      return { ...about, end: "timed_out", exitCode, error: timeText(over, whose) };
    }
    if (control.isEnding) {
      return { ...about, end: "interrupted", exitCode, error: "interrupted" };
    }
    const error = signal === null ? `exit code ${exitCode}` : `killed by ${signal}`;
    return { ...about, end: "failed", exitCode, error };
  } finally {
    teller.stop();
    limit.close();
    for (const end of stopListening) end();
  }
}

/** Whoever listens is called from the streams of the command, where nobody would catch what it throws. */
function guarded<Result>(run: Run, call: () => Result): Result | undefined {
  try {
    return call();
  } catch (error) {
    run.control.fail(error);
    return undefined;
  }
}

/** Tells at once, then not for a while, and what came meanwhile after that. */
class NowAndThen {
  readonly #work: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isDue = false;

  constructor(work: () => void) {
    this.#work = work;
  }

  tell(): void {
    if (this.#timer !== undefined) {
      this.#isDue = true;
      return;
    }
    this.#work();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#isDue) this.tell();
    }, LINE_EVERY_MS);
    this.#isDue = false;
  }

  /** With what is still to be told. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isDue) this.#work();
    this.#isDue = false;
  }
}

function timeText(ms: number, whose: string): string {
  const seconds = ms / 1000;
  const shown =
    seconds >= 120
      ? `${Math.round(seconds / 60)} minutes`
      : `${seconds} second${seconds === 1 ? "" : "s"}`;
  return `the time limit${whose} was reached after ${shown}`;
}

/** The beginning of an output, or nothing when there is more of it than may be kept. */
class KeptBytes {
  readonly #most: number;
  readonly #chunks: Uint8Array[] = [];
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(bytes: Uint8Array): void {
    this.#size += bytes.length;
    if (this.#size <= this.#most) this.#chunks.push(Uint8Array.from(bytes));
  }

  bytes(): Uint8Array | null {
    if (this.#size > this.#most) return this.#most === 0 ? new Uint8Array() : null;
    const all = new Uint8Array(this.#size);
    let at = 0;
    for (const chunk of this.#chunks) {
      all.set(chunk, at);
      at += chunk.length;
    }
    return all;
  }
}

export function attemptPlace(
  run: Run,
  phase: WorkflowPhase,
  name: string,
  attempt: number,
): AttemptPlace {
  return { sessionId: run.owned.id, step: phase.step, name, attempt };
}
