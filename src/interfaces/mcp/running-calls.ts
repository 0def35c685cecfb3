/** The calls that are under way, so that the server ends when nothing of them would be left half done. */
import { CallInterruption } from "./call-interruption.ts";

/** How often it is looked whether what has to reach its end has. */
const LOOK_MS = 20;

/** What ends a call besides a signal to the server. */
export interface CallEnds {
  /** Aborted when the client no longer wants the answer. */
  readonly cancelled: AbortSignal;
  readonly endsWithClient: boolean;
}

export class RunningCalls {
  readonly #running = new Set<CallInterruption>();
  #stopped: string | undefined;
  #isClientGone = false;

  get areRunning(): boolean {
    return this.#running.size > 0;
  }

  async run<Result>(
    { cancelled, endsWithClient }: CallEnds,
    work: (interruption: CallInterruption) => Promise<Result>,
  ): Promise<Result> {
    const interruption = new CallInterruption(endsWithClient);
    const cancel = (): void => interruption.ask("SIGTERM");
    const isForNobody = this.#isClientGone && endsWithClient;
    if (this.#stopped !== undefined || isForNobody || cancelled.aborted) cancel();
    cancelled.addEventListener("abort", cancel, { once: true });
    this.#running.add(interruption);
    try {
      return await work(interruption);
    } finally {
      this.#running.delete(interruption);
      cancelled.removeEventListener("abort", cancel);
    }
  }

  /** Asks those to stop that end with the client; the others go on, and are answered. */
  clientIsGone(): void {
    this.#isClientGone = true;
    for (const interruption of this.#running) {
      if (interruption.endsWithClient) interruption.ask("SIGTERM");
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
