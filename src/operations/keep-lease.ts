/** Gives signs of life while work goes on, and says when the session is somebody else's by now. */
import { Failure } from "../domain/failure.ts";
import { LEASE_RENEWAL_MS } from "../domain/workflow/lease.ts";
import type { OwnedSession } from "./owned-session.ts";

/** `onLost` is called once. A sign that could not be given for another reason is given the next time. */
export async function keepingLease<Result>(
  owned: OwnedSession,
  onLost: (failure: Failure) => void,
  work: () => Promise<Result>,
): Promise<Result> {
  let renewing: Promise<void> | undefined;
  const renew = async (): Promise<void> => {
    try {
      await owned.renew();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error.code !== "lease_lost") return;
      clearInterval(timer);
      onLost(error);
    } finally {
      renewing = undefined;
    }
  };
  const timer = setInterval(() => {
    renewing ??= renew();
  }, LEASE_RENEWAL_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await renewing;
  }
}
