/** What another terminal asks of a workflow that runs: obeyed, or refused with a reason. */
import { redact } from "../../domain/secrets/redact.ts";
import type { SessionRequest } from "../../domain/session.ts";
import { CONTROL_NAMES, controlRefusal, parseControl } from "../../domain/workflow/control.ts";
import type { Run } from "./run.ts";

export function obeyRequest(run: Run, { command: text, by }: SessionRequest): void {
  const shown = { command: redact(text), by };
  const command = parseControl(text);
  if (command === undefined) {
    const reason = `the running session accepts ${CONTROL_NAMES.join(", ")}`;
    run.emit({ event: "request_refused", ...shown, reason });
    return;
  }
  const refusal = controlRefusal(command, run.progress);
  const reason =
    refusal ??
    (run.control.obey(command, by) ? undefined : "no question is waiting for this answer");
  run.emit(
    reason === undefined
      ? { event: "request_obeyed", ...shown }
      : { event: "request_refused", ...shown, reason },
  );
}
