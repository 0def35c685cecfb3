/**
 * Which session the work tree is in, when one was started: commands work with it unless they are told another. It is
 * remembered after its end, so that people can look at what it left; whoever writes looks whether it goes on.
 */
export interface CurrentSession {
  /** Undefined: none was started here. */
  get(): string | undefined;
  /** Those that the work trees of the repository are in, this one's too. */
  everywhere(): readonly string[];
  /** Undefined: none any more. */
  set(id: string | undefined): void;
}
