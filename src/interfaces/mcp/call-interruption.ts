/** The wish to stop one call: its client cancelled it or went away, or the server ends. A rollback that is under way goes back to where it began. */
import type { Interruption } from "../../ports/interruption.ts";

export class CallInterruption implements Interruption {
  #asked = false;
  #held = 0;
  #onWish: ((signal: string) => void) | undefined;

  get isAsked(): boolean {
    return this.#asked;
  }

  /** True while something has to reach its end. */
  get isHeld(): boolean {
    return this.#held > 0;
  }

  ask(signal: string): void {
    if (this.#onWish === undefined) this.#asked = true;
    else this.#onWish(signal);
  }

  async holdOff<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#held++;
    try {
      return await work();
    } finally {
      this.#held--;
    }
  }

  async handOver<Result>(
    onWish: (signal: string) => void,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const outer = this.#onWish;
    this.#onWish = onWish;
    try {
      return await work();
    } finally {
      this.#onWish = outer;
    }
  }
}
