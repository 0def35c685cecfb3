/** The wish to stop one call: its client cancelled it or went away, or the server ends. A rollback that is under way goes back to where it began. */
import { HeldInterruption } from "../held-interruption.ts";

export class CallInterruption extends HeldInterruption {
  #asked = false;

  get isAsked(): boolean {
    return this.#asked;
  }

  ask(signal: string): void {
    if (this.onWish === undefined) this.#asked = true;
    else this.onWish(signal);
  }
}
