/** What a check of a machine or a project found. */
export type HealthStatus = "ok" | "warning" | "problem";

export interface Finding {
  readonly status: HealthStatus;
  readonly message: string;
  /** The paths or checkpoints that the message counts. */
  readonly items?: readonly string[];
  /** What to do about it. */
  readonly hint?: string;
  /** The check knows how to put this right. */
  readonly fixable?: boolean;
}

export const fine = (message: string, hint?: string): Finding => ({
  status: "ok",
  message,
  ...(hint === undefined ? {} : { hint }),
});

export const warning = (message: string, hint: string): Finding => ({
  status: "warning",
  message,
  hint,
});

export const problem = (message: string, hint: string): Finding => ({
  status: "problem",
  message,
  hint,
});
