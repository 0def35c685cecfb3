/** Time and chance, so that tests can fix both. */
export interface Clock {
  now(): Date;
  /** Four hexadecimal digits. */
  fourDigits(): string;
}
