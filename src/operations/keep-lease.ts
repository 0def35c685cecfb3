/** While a session is open: signs of life for its lease, an ear for what other terminals ask, and word when it is lost. */
import { Failure } from "../domain/failure.ts";
import type { SessionRequest } from "../domain/session.ts";
import { LEASE_RENEWAL_MS } from "../domain/workflow/lease.ts";
import type { OwnedSession } from "./owned-session.ts";

/** Requests are looked for this often. */
const LOOK_EVERY_MS = 1000;

export interface LeaseKeeping {
  /** Called once: somebody else runs the session by now, it is gone, or there is a bug. Nothing more is done after it. */
  readonly onLost: (error: Error) => void;
  /** Told each request once; it is taken out of the session before. Without it nobody looks for any. */
  readonly onRequest?: (request: SessionRequest) => void;
  /** A program may end while it goes on. */
  readonly mayEnd?: boolean;
}

/** Returns what ends it, and waits for what is under way. */
export function keepLease(
  owned: OwnedSession,
  { onLost, onRequest, mayEnd = false }: LeaseKeeping,
): () => Promise<void> {
  let looking: Promise<void> | undefined;
  let isOver = false;
  let renewedAt = Date.now();
  const look = async (): Promise<void> => {
    try {
      if (onRequest !== undefined) await answerRequests(owned, onRequest);
      if (isOver || Date.now() - renewedAt < LEASE_RENEWAL_MS) return;
      renewedAt = Date.now();
      await owned.renew();
    } catch (error) {
      // A repository that is busy is asked again, and the next step of the work fails if that does not help.
      if (!isLoss(error) || isOver) return;
      isOver = true;
      clearInterval(timer);
      onLost(error instanceof Error ? error : new Error(String(error)));
    } finally {
      looking = undefined;
    }
  };
  const timer = setInterval(
    () => {
      looking ??= look();
    },
    onRequest === undefined ? LEASE_RENEWAL_MS : LOOK_EVERY_MS,
  );
  if (mayEnd) timer.unref();
  return async () => {
    isOver = true;
    clearInterval(timer);
    await looking;
  };
}

function isLoss(error: unknown): boolean {
  return !(error instanceof Failure) || ["lease_lost", "session_not_found"].includes(error.code);
}

async function answerRequests(
  owned: OwnedSession,
  onRequest: (request: SessionRequest) => void,
): Promise<void> {
  const { requests = [] } = await owned.read();
  if (requests.length === 0) return;
  const ids = new Set(requests.map(({ id }) => id));
  await owned.update("requests answered", (session) => ({
    ...session,
    requests: (session.requests ?? []).filter(({ id }) => !ids.has(id)),
  }));
  for (const request of requests) onRequest(request);
}
