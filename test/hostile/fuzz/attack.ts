/** One kind of hostile input: how it is made, and what must not come of it. */
import { type Dice } from "./dice.ts";
import { type FuzzScene } from "./scene.ts";

export interface Attack {
  /** Short and stable: a line of the figures. */
  readonly id: string;
  readonly what: string;
  /** How much slower one is than the quickest: so many fewer are tried. */
  readonly weight: number;
  /** Under which everything is made and done; undefined: that of the tests. */
  readonly umask?: number;
  /** Prepares once, then gives what tries one after the other; the answer of a try is what went wrong. */
  readonly prepare: (scene: FuzzScene) => Promise<Prepared>;
}

export interface Prepared {
  readonly attempt: (dice: Dice, number: number) => Promise<readonly string[]>;
  /** How many of them came to what the attack is about; undefined: all. */
  readonly tried?: () => number;
  /** Further figures, in words. */
  readonly detail?: () => string;
  /** Before the scene is removed: what is beside it, or still runs. */
  readonly end?: () => Promise<void>;
}
