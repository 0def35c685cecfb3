/** While a workflow runs: signs of life for the lease, and an ear for what other terminals ask. */
import { Failure } from "../../domain/failure.ts";
import { redact } from "../../domain/secrets/redact.ts";
import type { SessionRequest } from "../../domain/session.ts";
import { CONTROL_NAMES, controlRefusal, parseControl } from "../../domain/workflow/control.ts";
import { LEASE_RENEWAL_MS } from "../../domain/workflow/lease.ts";
import type { Run } from "./run.ts";

const LOOK_EVERY_MS = 1000;

/** Returns what ends it. */
export function keepAlive(run: Run): () => void {
  let isLooking = false;
  let isOver = false;
  let renewedAt = Date.now();
  const look = async (): Promise<void> => {
    if (isLooking || isOver) return;
    isLooking = true;
    try {
      await obeyRequests(run);
      if (Date.now() - renewedAt < LEASE_RENEWAL_MS) return;
      renewedAt = Date.now();
      await run.owned.renew();
    } catch (error) {
      // A repository that is busy will be asked again, and the next step of the workflow fails if that does not help.
      const isLost =
        !(error instanceof Failure) || ["lease_lost", "session_not_found"].includes(error.code);
      if (isLost && !isOver) run.control.fail(error);
    } finally {
      isLooking = false;
    }
  };
  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  return () => {
    isOver = true;
    clearInterval(timer);
  };
}

/** Each is answered once: it is taken out of the session before it is obeyed. */
async function obeyRequests(run: Run): Promise<void> {
  const { requests = [] } = await run.owned.read();
  if (requests.length === 0) return;
  const ids = new Set(requests.map(({ id }) => id));
  await run.owned.update("requests are answered", (session) => ({
    ...session,
    requests: (session.requests ?? []).filter(({ id }) => !ids.has(id)),
  }));
  for (const request of requests) obeyOne(run, request);
}

function obeyOne(run: Run, { command: text, by }: SessionRequest): void {
  const shown = { command: redact(text), by };
  const command = parseControl(text);
  if (command === undefined) {
    const reason = `whoever runs the session understands ${CONTROL_NAMES.join(", ")}`;
    run.emit({ event: "request_refused", ...shown, reason });
    return;
  }
  const refusal = controlRefusal(command, run.progress);
  const reason =
    refusal ?? (run.control.obey(command, by) ? undefined : "nothing waits for this answer now");
  run.emit(
    reason === undefined
      ? { event: "request_obeyed", ...shown }
      : { event: "request_refused", ...shown, reason },
  );
}
