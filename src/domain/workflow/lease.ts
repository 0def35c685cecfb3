/**
 * Who runs a session. The lease keeps two from running it; the token, which grows with every change of owner and is never
 * reset, makes a late writer harmless: every write of the owner checks it in the same compare-and-swap.
 */

/** Precise enough to tell whether that process still lives. */
export interface LeaseHolder {
  readonly host: string;
  readonly boot: string;
  readonly pid: number;
  readonly started: string;
  /** Where the process id counts: a container or a sandbox has a namespace of its own. */
  readonly pid_namespace?: string;
  readonly user: string | null;
}

export interface Lease {
  readonly token: number;
  /** Null: nobody runs it. */
  readonly holder: LeaseHolder | null;
  /** What it is run for: `run`, `phase implement` … */
  readonly purpose: string | null;
  readonly acquired_at: string | null;
  /** The last heartbeat. */
  readonly renewed_at: string | null;
  readonly ttl_ms: number;
  readonly [other: string]: unknown;
}

/** A heartbeat is written this often, and one that is older than the time to live counts as none. */
export const LEASE_TTL_MS = 60_000;
export const LEASE_RENEWAL_MS = 15_000;

/** `last heartbeat 3 s ago` */
export function heartbeatText({ renewed_at }: Pick<Lease, "renewed_at">, now: Date): string {
  if (renewed_at === null) return "no heartbeat yet";
  const seconds = Math.max(0, Math.round((now.getTime() - Date.parse(renewed_at)) / 1000));
  return seconds < 120
    ? `last heartbeat ${seconds} s ago`
    : `last heartbeat ${Math.round(seconds / 60)} min ago (${renewed_at})`;
}

/** Who runs a session, for whoever wants to do so too. */
export function heldText(sessionId: string, lease: Lease, now: Date): string {
  const { holder, purpose } = lease;
  const who = holder === null ? "another process" : `${holder.user ?? "a user"} on ${holder.host}`;
  return `session ${sessionId} is being run by ${who} (process ${holder?.pid ?? "?"}, ${purpose ?? "run"}), ${heartbeatText(lease, now)}`;
}

export const NO_LEASE: Lease = {
  token: 0,
  holder: null,
  purpose: null,
  acquired_at: null,
  renewed_at: null,
  ttl_ms: LEASE_TTL_MS,
};

/** What is known about the process that holds a lease. */
export type HolderLife = "alive" | "dead" | "unknown";

/**
 * free: anybody may take it. dead: its owner is proven gone. held: it lives, or may live. Of an owner on another machine only
 * its signs of life are known, and clocks differ: it counts as held, and taking over needs the token that was shown.
 */
export type LeaseStanding = "free" | "dead" | "held";

export function leaseStanding(lease: Lease, life: HolderLife): LeaseStanding {
  if (lease.holder === null) return "free";
  return life === "dead" ? "dead" : "held";
}

export function takenLease(
  before: Lease | undefined,
  holder: LeaseHolder,
  purpose: string,
  at: string,
): Lease {
  const { token, ttl_ms } = before ?? NO_LEASE;
  return {
    ...before,
    token: token + 1,
    holder,
    purpose,
    acquired_at: at,
    renewed_at: at,
    ttl_ms,
  };
}

export function renewedLease(lease: Lease, at: string): Lease {
  return { ...lease, renewed_at: at };
}

/** The token stays: a late writer still carries it. */
export function releasedLease(lease: Lease): Lease {
  return { ...lease, holder: null, purpose: null };
}
