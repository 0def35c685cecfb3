/** The time that a hook has, counted from the start of the process. */
import { showDuration } from "../../domain/duration.ts";
import { Failure } from "../../domain/failure.ts";

export class Deadline {
  /** Rejects when the time is over. */
  readonly passed: Promise<never>;
  #ms: number;
  #timer: NodeJS.Timeout;
  #reject: (reason: Failure) => void = () => undefined;

  constructor(ms: number) {
    this.#ms = ms;
    this.passed = new Promise<never>((_resolve, reject) => {
      this.#reject = reject;
    });
    // Nobody may be waiting for it.
    this.passed.catch(() => undefined);
    this.#timer = this.#start();
  }

  /** To so many milliseconds after the start. */
  move(ms: number): void {
    clearTimeout(this.#timer);
    this.#ms = ms;
    this.#timer = this.#start();
  }

  /** Milliseconds. */
  left(): number {
    return Math.max(0, this.#ms - performance.now());
  }

  #start(): NodeJS.Timeout {
    return setTimeout(() => this.#reject(tooLate(this.#ms)), this.left());
  }
}

function tooLate(ms: number): Failure {
  return new Failure("interrupted", `it took longer than ${showDuration(ms)}`, {
    hint: "Exclude large files that need no protection (capture.exclude), or raise agents.deadline.",
  });
}
