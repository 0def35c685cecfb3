/**
 * The user's wish to stop: Ctrl+C or a signal.
 *
 * Most work may end at any moment, and then it does. Work that has to reach an end holds the wish off, looks at
 * `isAsked` where stopping is safe, and goes back from there.
 */
export interface Interruption {
  readonly isAsked: boolean;
  /** During the work, being asked to stop ends nothing by itself. `meaning` tells the user what it leads to instead. */
  holdOff<Result>(work: () => Promise<Result>, meaning?: () => string): Promise<Result>;
  /**
   * While the work goes on, `onWish` is told each wish to stop, with the name of the signal, and decides what it means:
   * nothing else comes of it, and `isAsked` stays as it is.
   */
  handOver<Result>(onWish: (signal: string) => void, work: () => Promise<Result>): Promise<Result>;
}

export const NEVER_INTERRUPTED: Interruption = {
  isAsked: false,
  holdOff: (work) => work(),
  handOver: (_onWish, work) => work(),
};
