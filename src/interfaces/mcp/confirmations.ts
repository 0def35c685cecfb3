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
  | "token_of_another_order"
  | "token_declined";

/** What was asked for. */
export interface Order {
  /** Operation and target, whatever the options: who says no to it says no to all ways of doing it. */
  readonly subject: string;
  /** With all options, and the work tree. */
  readonly whole: string;
}

/** Who shows it again: the model as `confirm_token`, or the client with its user's answer. */
export type TokenUse = "token" | "answer";

interface Shown extends Order {
  /** What would be done, and to what. */
  readonly fingerprint: string;
  readonly use: TokenUse;
  readonly until: number;
  state: "open" | "used" | "declined";
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
  give({ subject, whole }: Order, fingerprint: string, use: TokenUse): string {
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    const until = this.#end();
    this.#shown.set(token, { subject, whole, fingerprint, use, until, state: "open" });
    for (const [oldest] of this.#shown) {
      if (this.#shown.size <= MOST_SHOWN) break;
      this.#shown.delete(oldest);
    }
    return token;
  }

  /** The fingerprint of the plan that the token is for. A token works once. */
  take(
    token: string,
    { whole }: Order,
    use: TokenUse,
  ): { readonly fingerprint: string } | TokenProblem {
    const shown = this.#shown.get(token);
    if (shown === undefined || shown.use !== use) return "token_unknown";
    if (shown.state === "used") return "token_used";
    if (shown.state === "declined") return "token_declined";
    if (shown.until < this.#now()) return "token_expired";
    if (shown.whole !== whole) return "token_of_another_order";
    shown.state = "used";
    return { fingerprint: shown.fingerprint };
  }

  /** The answer was no: every plan of the same operation and target that was shown before is void, whatever its options. */
  decline({ subject }: Order): void {
    this.#declined.set(subject, this.#end());
    for (const shown of this.#shown.values()) {
      if (shown.subject === subject && shown.state === "open") shown.state = "declined";
    }
  }

  isDeclined({ subject }: Order): boolean {
    return (this.#declined.get(subject) ?? -1) >= this.#now();
  }

  #end(): number {
    return this.#now() + TOKEN_MINUTES * 60_000;
  }
}
