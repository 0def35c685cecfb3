/** Writes no faster than somebody reads, and nothing any more when nobody does: the logs have it all the same. */
import type { Writable } from "node:stream";

export class PatientStream {
  readonly #stream: Writable;
  #isGone = false;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on("error", () => (this.#isGone = true));
  }

  /** A promise: it is settled when there is room again. */
  write(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#isGone || this.#stream.write(bytes)) return undefined;
    const over = ["drain", "error", "close"] as const;
    return new Promise((resolve) => {
      const settle = (): void => {
        for (const name of over) this.#stream.off(name, settle);
        resolve();
      };
      for (const name of over) this.#stream.on(name, settle);
    });
  }
}
