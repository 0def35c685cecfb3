/** A note for agents about what was rolled back, so that they do not go on believing the old state. */
export interface Notes {
  leave(note: Readonly<Record<string, unknown>>): void;
  /** The last ones of this work tree, oldest first; those that cannot be read are left out. */
  read(): readonly Readonly<Record<string, unknown>>[];
}
