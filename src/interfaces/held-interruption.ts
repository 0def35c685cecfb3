/** What every way of being asked to stop has in common: work that holds the wish off, and work that is told of it instead. */
import type { Interruption } from "../ports/interruption.ts";

export abstract class HeldInterruption implements Interruption {
  abstract readonly isAsked: boolean;
  #held = 0;
  #meaning: (() => string) | undefined;
  #onWish: ((signal: string) => void) | undefined;

  /** True while something has to reach its end. */
  get isHeld(): boolean {
    return this.#held > 0;
  }

  async holdOff<Result>(work: () => Promise<Result>, meaning?: () => string): Promise<Result> {
    const outer = this.#meaning;
    this.#held++;
    this.#meaning = meaning ?? outer;
    try {
      return await work();
    } finally {
      this.#held--;
      this.#meaning = outer;
    }
  }

  /** What being asked to stop leads to now. */
  protected get meaning(): string {
    return this.#meaning?.() ?? "finishing this step";
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

  /** Tells whoever wants to hear of it; undefined: nobody does. */
  protected get onWish(): ((signal: string) => void) | undefined {
    return this.#onWish;
  }
}
