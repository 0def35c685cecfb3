/** The calls that are under way, so that the server ends when nothing of them would be left half done. */
import { CallInterruption } from "./call-interruption.ts";

/** How often it is looked whether what has to reach its end has. */
const LOOK_MS = 20;

export class RunningCalls {
  readonly #running = new Set<CallInterruption>();
  #stopped: string | undefined;

  /** `cancelled`: aborted when the client no longer wants the answer. */
  async run<Result>(
    cancelled: AbortSignal,
    work: (interruption: CallInterruption) => Promise<Result>,
  ): Promise<Result> {
    const interruption = new CallInterruption();
    const cancel = (): void => interruption.ask("SIGTERM");
    if (this.#stopped !== undefined || cancelled.aborted) cancel();
    cancelled.addEventListener("abort", cancel, { once: true });
    this.#running.add(interruption);
    try {
      return await work(interruption);
    } finally {
      this.#running.delete(interruption);
      cancelled.removeEventListener("abort", cancel);
    }
  }

  /** Asks every call to stop, and returns when none has to reach its end any more. */
  async stop(signal: string): Promise<void> {
    this.#stopped = signal;
    for (const interruption of this.#running) interruption.ask(signal);
    while ([...this.#running].some(({ isHeld }) => isHeld)) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
}
