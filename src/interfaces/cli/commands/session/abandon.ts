/** `waymark session abandon` */
import { findStartedSession } from "../../../../operations/find-session.ts";
import { askToGoOn, notConfirmed } from "../../ask.ts";
import type { Context } from "../../command-spec.ts";
import { oneLine } from "../../printable.ts";
import { runEnd } from "../../session-end.ts";
import { relativeTime } from "../../units.ts";

export async function run(context: Context): Promise<void> {
  if (context.options["yes"] !== true) await confirm(context);
  await runEnd(context, { action: "abandon", to: "abandoned" });
}

async function confirm(context: Context): Promise<void> {
  const [given] = context.args as [string | undefined];
  const project = await context.openProject();
  const session = await findStartedSession(project, given ?? context.sessionId);
  if (session.status === "abandoned") return;
  const about = oneLine(session.description ?? session.topic ?? session.workflow_type ?? "");
  const isSure = await askToGoOn(context.output, {
    lines: [
      `This session is given up for good: ${oneLine(session.id)}`,
      `  ${session.status}, active ${relativeTime(session.updated_at, project.clock.now())}  ${about}`.trimEnd(),
    ],
    what: "this gives a session up for good",
    hint: "Add --yes. `waymark session pause` keeps it for later.",
  });
  if (!isSure) throw notConfirmed();
}
