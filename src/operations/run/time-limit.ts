/** A time after which something has to end. */

/** A timer cannot be set to more. */
const LONGEST_MS = 2 ** 31 - 1;

export class TimeLimit {
  readonly #listeners = new Set<() => void>();
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  isOver = false;

  /** Null: there is none. */
  constructor(ms: number | null) {
    if (ms === null) return;
    this.#timer = setTimeout(() => this.#end(), Math.min(ms, LONGEST_MS));
  }

  /** Calls the listener when it is over, at once if it is; returns what ends the listening. */
  whenOver(listener: () => void): () => void {
    if (this.isOver) listener();
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }

  #end(): void {
    this.isOver = true;
    for (const listener of this.#listeners) listener();
  }
}
