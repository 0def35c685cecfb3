/** `waymark session abandon` */
import { cancelled } from "../../../../domain/failure.ts";
import { findStartedSession } from "../../../../operations/find-session.ts";
import { confirm } from "../../ask.ts";
import type { Context } from "../../command-spec.ts";
import { oneLine } from "../../printable.ts";
import { runEnd } from "../../session-end.ts";
import { relativeTime } from "../../units.ts";

export async function run(context: Context): Promise<void> {
  if (context.options["yes"] !== true) await confirmEnd(context);
  await runEnd(context, { action: "abandon", to: "abandoned" });
}

async function confirmEnd(context: Context): Promise<void> {
  const [given] = context.args as [string | undefined];
  const project = await context.openProject();
  const session = await findStartedSession(project, given ?? context.sessionId, {
    isWhole: true,
  });
  if (session.status === "abandoned") return;
  const about = oneLine(session.description ?? session.topic ?? session.workflow_type ?? "");
  const isSure = await confirm(context.output, {
    lines: [
      `  ${oneLine(session.id)}  ${session.status}, active ${relativeTime(session.updated_at, project.clock.now())}  ${about}`.trimEnd(),
    ],
    question: "Abandon this session for good?",
    hint: "Add --yes. `waymark session pause` keeps it for later. Nothing was changed.",
  });
  if (!isSure) throw cancelled();
}
