/** The wish to stop one call: its client cancelled it or went away, or the server ends. A rollback that is under way goes back to where it began. */
import { HeldInterruption } from "../held-interruption.ts";

export class CallInterruption extends HeldInterruption {
  /** It is of no use, or dangerous, without a client who sees what came of it. */
  readonly endsWithClient: boolean;
  #asked = false;

  constructor(endsWithClient: boolean) {
    super();
    this.endsWithClient = endsWithClient;
  }

  get isAsked(): boolean {
    return this.#asked;
  }

  ask(signal: string): void {
    if (this.onWish === undefined) this.#asked = true;
    else this.onWish(signal);
  }
}
