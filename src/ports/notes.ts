/** A note for agents about what was rolled back, so that they do not go on believing the old state. */
export interface Notes {
  leave(note: Readonly<Record<string, unknown>>): void;
}
