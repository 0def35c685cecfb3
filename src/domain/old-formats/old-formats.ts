/** The formats of older tools that can be imported. */
export const OLD_FORMATS = ["go-team", "claude-checkpoints", "crunch", "flowspec"] as const;
export type OldFormat = (typeof OLD_FORMATS)[number];
