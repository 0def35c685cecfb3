/** What a session can be in, and what can become of it. */

export const SESSION_STATUSES = [
  "active",
  "paused",
  "interrupted",
  "completed",
  "failed",
  "abandoned",
] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

/** A failed or interrupted one can be taken up again; what is completed or abandoned stays so. */
const NEXT: Readonly<Record<SessionStatus, readonly SessionStatus[]>> = {
  active: ["paused", "interrupted", "completed", "failed", "abandoned"],
  paused: ["active", "completed", "failed", "abandoned"],
  interrupted: ["active", "paused", "completed", "failed", "abandoned"],
  failed: ["active", "abandoned"],
  completed: [],
  abandoned: [],
};

export function isSessionStatus(text: string): text is SessionStatus {
  return (SESSION_STATUSES as readonly string[]).includes(text);
}

/** Staying where it is counts as allowed. */
export function mayBecome(from: string, to: SessionStatus): boolean {
  return from === to || (isSessionStatus(from) && NEXT[from].includes(to));
}

export function nextStatuses(from: string): readonly SessionStatus[] {
  return isSessionStatus(from) ? NEXT[from] : [];
}

/** Work goes on, or can go on without anybody deciding that it does. */
export function isUnfinished(status: string): boolean {
  return status === "active" || status === "paused" || status === "interrupted";
}

/** Nothing more happens in it. */
export function isEnded(status: string): boolean {
  return status === "completed" || status === "abandoned" || status === "failed";
}
