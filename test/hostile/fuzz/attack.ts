/** One kind of hostile input: how it is made, and what must not come of it. */
import { type Dice } from "./dice.ts";

export interface Attack {
  /** Short and stable: a line of the figures. */
  readonly id: string;
  readonly what: string;
  /** How much slower one is than the quickest: so many fewer are tried. */
  readonly weight: number;
  /** Prepares once, then gives what tries one after the other; the answer of a try is what went wrong. */
  readonly prepare: () => Promise<Prepared>;
}

export interface Prepared {
  readonly attempt: (dice: Dice, number: number) => Promise<readonly string[]>;
  /** Further figures, in words. */
  readonly detail?: () => string;
  readonly end: () => Promise<void>;
}
