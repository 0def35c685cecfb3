/**
 * Looks at the issue that a piece of work is about.
 *
 * Obligations, to which the contract suite beside this file holds every adapter: looking changes nothing and asks nobody
 * anything; it ends within its time, with everything that it started; whatever keeps it from seeing the issue is an answer in
 * words and never an exception; nothing that it brings, words included, looks like a secret.
 */
import type { IssueSnapshot } from "../domain/session.ts";

export interface IssueAsk {
  /** Given up after this time; null: it takes what it takes. */
  readonly timeoutMs: number | null;
  /** Aborted: nobody waits for it any more. */
  readonly signal?: AbortSignal;
  /** The branch that the work is on, as the snapshot will say it. */
  readonly branch: string | null;
  readonly at: Date;
}

export type IssueLook =
  | { readonly kind: "taken"; readonly snapshot: IssueSnapshot }
  | {
      readonly kind: "unavailable";
      /** For people, as part of a sentence: `gh is not logged in: run …`. */
      readonly why: string;
      /** There is no program here that could look. */
      readonly hasNoProgram: boolean;
    };

export interface Issues {
  snapshot(number: number, ask: IssueAsk): Promise<IssueLook>;
}
