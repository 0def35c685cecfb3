/** Ends a session for one of the commands `session complete`, `fail` and `abandon`. */
import type { SessionChange } from "../../operations/documents/session-change-document.ts";
import { endSession, type EndRequest } from "../../operations/end-session.ts";
import type { Context } from "./command-spec.ts";
import { givenReason } from "./given-reason.ts";
import { reportChange } from "./session-change.ts";
import { oneLine } from "./printable.ts";
import { counted } from "./units.ts";

/** The token that a refusal showed. */
export function takeOverOf({ options }: Context): { takeOver?: number } {
  const { takeOver } = options as { takeOver?: number };
  return takeOver === undefined ? {} : { takeOver };
}

type Ending = Pick<EndRequest, "to" | "error"> & Pick<SessionChange, "action">;

export async function runEnd(context: Context, { action, ...ending }: Ending): Promise<void> {
  const { output } = context;
  const [given] = context.args as [string | undefined];
  const project = await context.openProject();
  const result = await endSession(project, given ?? context.sessionId, {
    ...ending,
    reason: givenReason(context),
    checkpoint: context.options["checkpoint"] !== false,
    force: context.options["force"] === true,
    ...takeOverOf(context),
  });
  const { session, changed, checkpointId, removed, warnings } = result;
  const word = changed ? ending.to : `already ${ending.to}:`;
  await reportChange(project, output, {
    action,
    session,
    changed,
    checkpointId,
    removed,
    warnings,
    line: `${output.paint(changed ? "green" : "dim", word)} ${oneLine(session.id)}`,
  });
  if (checkpointId !== null) output.say(`its last state is in ${checkpointId}`);
  if (removed.length > 0) {
    output.say(
      `${counted(removed.length, "checkpoint")} ${removed.length === 1 ? "that is not a milestone was" : "that are not milestones were"} removed; \`waymark delete --undo\` lists them`,
    );
  }
}
