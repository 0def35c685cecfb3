/**
 * Ctrl+C and signals. What may stop anywhere is ended at once; a rollback is given the time to go back to where it
 * began. Asked twice, everything ends at once: then the next command puts everything back.
 */
import { Failure } from "../../domain/failure.ts";
import { signalText } from "../../operations/stop-wish.ts";
import { HeldInterruption } from "../held-interruption.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** `timeout` and `npm run` pass one Ctrl+C on twice; nobody presses it again that soon. */
const SAME_WISH_MS = 500;

/** True after any interruption. */
const ANY_TIME =
  "A checkpoint is either complete or was not created; check `waymark list`, then run the command again.";

export interface InterruptionOptions {
  /** What is true where nothing had to reach its end yet. */
  readonly hint: string | undefined;
  readonly say: (line: string) => void;
  /** Prints the failure and ends the process. */
  readonly end: (failure: Failure) => never;
}

export class SignalInterruption extends HeldInterruption {
  readonly #options: InterruptionOptions;
  readonly #listener = (signal: NodeJS.Signals): void => this.#onSignal(signal);
  #asked: NodeJS.Signals | undefined;
  #askedAt = 0;
  #askedWhileHeld = false;
  #handedOverAt = Number.NEGATIVE_INFINITY;

  constructor(options: InterruptionOptions) {
    super();
    this.#options = options;
    for (const signal of SIGNALS) process.on(signal, this.#listener);
  }

  get isAsked(): boolean {
    return this.#asked !== undefined;
  }

  stop(): void {
    for (const signal of SIGNALS) process.off(signal, this.#listener);
  }

  /** Short work that left half done would leave something behind: after it, the wish ends the command as ever. */
  async afterwards<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = await this.holdOff(work);
    if (this.isAsked) this.#options.end(this.#failure(this.#options.hint ?? ANY_TIME));
    return result;
  }

  #onSignal(signal: NodeJS.Signals): void {
    if (performance.now() - this.#handedOverAt < SAME_WISH_MS) return;
    if (this.onWish !== undefined) {
      this.#handedOverAt = performance.now();
      this.onWish(signal);
      return;
    }
    const isFirst = !this.isAsked;
    if (isFirst) {
      this.#askedAt = performance.now();
      this.#askedWhileHeld = this.isHeld;
    }
    this.#asked ??= signal;
    if (!this.isHeld) this.#options.end(this.#failure(this.#hint()));
    if (isFirst) {
      this.#options.say(`Interrupted; ${this.meaning}. Press Ctrl+C again to stop immediately.`);
    } else if (performance.now() - this.#askedAt > SAME_WISH_MS) {
      this.#options.end(
        this.#failure(
          "If a rollback was running, `waymark recover` reverts it; every command that changes the project does that first.",
        ),
      );
    }
  }

  #hint(): string {
    return this.#askedWhileHeld ? ANY_TIME : (this.#options.hint ?? ANY_TIME);
  }

  #failure(hint: string): Failure {
    const by = signalText(this.#asked ?? "a signal");
    return new Failure("interrupted", `interrupted by ${by}`, { hint });
  }
}
