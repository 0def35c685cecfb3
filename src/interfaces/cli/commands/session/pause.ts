/** `waymark session pause` */
import { pauseSession } from "../../../../operations/end-session.ts";
import type { Context } from "../../command-spec.ts";
import { givenReason } from "../../given-reason.ts";
import { oneLine } from "../../printable.ts";
import { reportChange } from "../../session-change.ts";
import { takeOverOf } from "../../session-end.ts";

export async function run(context: Context): Promise<void> {
  const { output } = context;
  const [given] = context.args as [string | undefined];
  const project = await context.openProject();
  const result = await pauseSession(project, given ?? context.sessionId, {
    reason: givenReason(context),
    ...takeOverOf(context),
  });
  const { session, changed, requested } = result;
  const what = requested ? "asked to pause" : changed ? "paused" : "already paused:";
  await reportChange(project, output, {
    action: "pause",
    session,
    changed,
    requested,
    line: `${output.paint(changed ? "green" : "dim", what)} ${oneLine(session.id)}`,
  });
  if (requested) {
    output.say(
      `another process runs it: it pauses between two steps; \`waymark session show ${session.id}\` shows when`,
    );
  }
}
