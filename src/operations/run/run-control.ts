/** Everything that can end or redirect a workflow from outside: signals, time limits, requests of other terminals. */
import type { ControlCommand } from "../../domain/workflow/control.ts";
import { interrupted, paused, PhaseSkipped, RollbackWanted } from "./run-end.ts";

export type Halt =
  | { readonly kind: "signal"; readonly signal: string }
  | { readonly kind: "timeout" }
  /** Something broke: the session is lost, or cannot be written. */
  | { readonly kind: "error"; readonly error: unknown }
  | { readonly kind: "command"; readonly command: ControlCommand; readonly by: string | null };

/** How long commands in our terminal, which got the Ctrl+C themselves, have to end before they are ended. */
const TERMINAL_GRACE_MS = 5000;

type StopListener = (reason: string) => void;

export class RunControl {
  readonly #sharesTerminal: boolean;
  readonly #listeners = new Set<StopListener>();
  readonly #haltListeners = new Set<() => void>();
  #halt: Halt | undefined;
  #stopReason: string | undefined;
  #answer: ((command: ControlCommand) => void) | undefined;
  #graceTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(sharesTerminal: boolean) {
    this.#sharesTerminal = sharesTerminal;
  }

  get halt(): Halt | undefined {
    return this.#halt;
  }

  /** No command may be started any more. */
  get isHalted(): boolean {
    return this.#halt !== undefined;
  }

  /** What runs has to end. A pause waits for it; what fails meanwhile has failed by itself. */
  get isEnding(): boolean {
    if (this.#halt === undefined) return false;
    return this.#halt.kind !== "command" || this.#halt.command.kind !== "pause";
  }

  /** Ctrl+C or a signal. */
  wish(signal: string): void {
    const isFirst = this.#halt?.kind !== "signal";
    if (this.#halt?.kind !== "error") this.#haltWith({ kind: "signal", signal });
    if (isFirst && signal === "SIGINT" && this.#sharesTerminal) {
      this.#graceTimer = setTimeout(() => this.#stop("SIGTERM"), TERMINAL_GRACE_MS);
      return;
    }
    this.#stop(signal === "SIGINT" ? "SIGINT" : "SIGTERM");
  }

  timeIsOver(): void {
    if (this.#halt === undefined) this.#haltWith({ kind: "timeout" });
    this.#stop("SIGTERM");
  }

  fail(error: unknown): void {
    this.#haltWith({ kind: "error", error });
    this.#stop("SIGTERM");
  }

  /** False: it means nothing here and now. */
  obey(command: ControlCommand, by: string | null): boolean {
    if (this.#answer !== undefined) {
      this.#answer(command);
      return true;
    }
    switch (command.kind) {
      case "continue":
      case "retry_checkpoint":
      case "skip_checkpoint":
        return false;
      default:
        if (this.#halt === undefined) this.#haltWith({ kind: "command", command, by });
        // After a wish for a pause what runs comes to its end; nothing more is started.
        if (command.kind !== "pause") this.#stop("SIGTERM");
        return true;
    }
  }

  /** While the work goes on, commands of other terminals are answers to its question. */
  async asking<Result>(
    work: (signal: AbortSignal) => Promise<Result>,
    answer: (command: ControlCommand) => Result | undefined,
  ): Promise<Result> {
    const over = new AbortController();
    let take: ((result: Result) => void) | undefined;
    const answered = new Promise<Result>((resolve) => (take = resolve));
    this.#answer = (command) => {
      const result = answer(command);
      if (result !== undefined) take?.(result);
    };
    try {
      return await Promise.race([
        work(over.signal),
        answered,
        this.#haltedWhileAsking(over.signal),
      ]);
    } finally {
      this.#answer = undefined;
      over.abort();
    }
  }

  /** Calls the listener when commands have to end, at once if that was before; returns what ends the listening. */
  whenStopped(listener: StopListener): () => void {
    if (this.#stopReason !== undefined) listener(this.#stopReason);
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Throws what the halt means, if there is one. */
  refuseHalted(): void {
    const { halt } = this;
    if (halt === undefined) return;
    switch (halt.kind) {
      case "error":
        throw halt.error;
      case "timeout":
        throw interrupted("the time limit of the workflow was reached", "session_end");
      case "signal":
        throw halt.signal === "SIGINT"
          ? interrupted("interrupted by Ctrl+C", "user_interrupt")
          : interrupted(`interrupted by ${halt.signal}`, "session_end");
      case "command":
        this.#refuseCommand(halt);
    }
  }

  /** What was wanted is done; the workflow goes on. */
  clear(): void {
    if (this.#halt?.kind !== "command") return;
    this.#halt = undefined;
    this.#stopReason = undefined;
  }

  close(): void {
    clearTimeout(this.#graceTimer);
    this.#listeners.clear();
  }

  #refuseCommand({ command, by }: Extract<Halt, { kind: "command" }>): void {
    const who = by === null ? "" : ` by ${by}`;
    switch (command.kind) {
      case "pause":
        throw paused(`paused${who}`, { trigger: "user_interrupt" });
      case "abort":
        throw interrupted(`aborted${who}`, "session_end");
      case "skip":
        throw new PhaseSkipped(null);
      case "skip_to":
        throw new PhaseSkipped(command.step);
      case "rollback":
        throw new RollbackWanted(command.selector, by);
      default:
    }
  }

  #stop(reason: string): void {
    clearTimeout(this.#graceTimer);
    this.#stopReason = reason;
    for (const listener of this.#listeners) listener(reason);
  }

  #haltWith(halt: Halt): void {
    this.#halt = halt;
    for (const listener of this.#haltListeners) listener();
  }

  /** Never resolves: whoever asks is thrown out by a wish to stop. */
  #haltedWhileAsking(over: AbortSignal): Promise<never> {
    return new Promise((_, reject) => {
      const look = (): void => {
        try {
          this.refuseHalted();
        } catch (error) {
          reject(error);
        }
      };
      this.#haltListeners.add(look);
      over.addEventListener("abort", () => this.#haltListeners.delete(look), { once: true });
      look();
    });
  }
}
