/**
 * Remembers which plans were shown, so that a rollback does what somebody agreed to and nothing else. In memory only: another server knows
 * nothing of them.
 */
import { randomBytes } from "node:crypto";

/** Why a token does not confirm anything. */
export type TokenProblem =
  | "token_unknown"
  | "token_used"
  | "token_expired"
  | "token_of_another_order";

interface Shown {
  /** What was asked for: operation, checkpoint, options, work tree. */
  readonly order: string;
  /** What would be done, and to what. */
  readonly fingerprint: string;
  readonly until: number;
  isUsed: boolean;
}

export const TOKEN_MINUTES = 10;
/** Whoever asks for more plans than that does not mean the first ones. */
const MOST_SHOWN = 200;
const TOKEN_BYTES = 15;

export class Confirmations {
  readonly #now: () => number;
  readonly #shown = new Map<string, Shown>();
  readonly #declined = new Map<string, number>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** A token for a plan that is shown now. */
  give(order: string, fingerprint: string): string {
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    this.#shown.set(token, { order, fingerprint, until: this.#end(), isUsed: false });
    for (const [oldest] of this.#shown) {
      if (this.#shown.size <= MOST_SHOWN) break;
      this.#shown.delete(oldest);
    }
    return token;
  }

  /** The fingerprint of the plan that the token is for. A token works once. */
  take(token: string, order: string): { readonly fingerprint: string } | TokenProblem {
    const shown = this.#shown.get(token);
    if (shown === undefined) return "token_unknown";
    if (shown.isUsed) return "token_used";
    if (shown.until < this.#now()) return "token_expired";
    if (shown.order !== order) return "token_of_another_order";
    shown.isUsed = true;
    return { fingerprint: shown.fingerprint };
  }

  /** The user said no: for a while only the user's yes confirms this order, and no token. */
  decline(order: string): void {
    this.#declined.set(order, this.#end());
  }

  isDeclined(order: string): boolean {
    return (this.#declined.get(order) ?? 0) >= this.#now();
  }

  #end(): number {
    return this.#now() + TOKEN_MINUTES * 60_000;
  }
}
