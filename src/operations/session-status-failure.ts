/** A session that is not in a state for what is asked of it. */
import { Failure } from "../domain/failure.ts";
import type { SessionDocument } from "../domain/session.ts";
import { nextStatuses } from "../domain/workflow/session-status.ts";

/** `what`: as after "cannot": `become paused`, `be saved into`. */
export function statusFailure({ id, status }: SessionDocument, what: string): Failure {
  const next = nextStatuses(status);
  const possible =
    next.length === 0
      ? "This status is final"
      : `It can become ${next.join(" or ")} (\`waymark resume ${id}\` makes it active)`;
  return new Failure("session_status", `session ${id} is ${status} and cannot ${what}`, {
    hint: `${possible}; a rollback to one of its checkpoints makes it paused again. Nothing was changed.`,
    details: { session_id: id, status, possible: next },
  });
}
