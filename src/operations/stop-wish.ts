/** In words for people. */
export function signalText(signal: string): string {
  return signal === "SIGINT" ? "Ctrl+C" : signal;
}

/** The wish of the user to stop, as far as the steps of one attempt are concerned. */
export class StopWish {
  readonly #isHeardBySteps: boolean;
  readonly #listeners = new Set<() => void>();
  first: string | undefined;
  isStopped = false;

  constructor(isHeardBySteps: boolean) {
    this.#isHeardBySteps = isHeardBySteps;
  }

  add(signal: string): void {
    const isFirst = this.first === undefined;
    this.first ??= signal;
    // A program in the terminal got this one too, and may know what to do about it.
    if (isFirst && signal === "SIGINT" && this.#isHeardBySteps) return;
    this.isStopped = true;
    for (const listener of this.#listeners) listener();
  }

  /** Returns what ends the listening. */
  onNext(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  whenStopped(listener: () => void): () => void {
    if (this.isStopped) listener();
    return this.onNext(listener);
  }
}
