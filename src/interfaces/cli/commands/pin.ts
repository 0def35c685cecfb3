/** `waymark pin` */
import { findStored, usable } from "../../../operations/find-checkpoint.ts";
import { pinCheckpoints } from "../../../operations/pin-checkpoints.ts";
import { viewSessions } from "../../../operations/session-view.ts";
import type { Context } from "../command-spec.ts";
import { givenReason } from "../given-reason.ts";
import { pinReport } from "../pin-report.ts";

export async function run(context: Context): Promise<void> {
  const [selectors] = context.args as [readonly string[]];
  const project = await context.openProject();
  const view = await viewSessions(project, context.sessionId);
  const documents = selectors.map((selector) => usable(view, findStored(project, view, selector)));
  pinReport(
    context.output,
    "pinned",
    await pinCheckpoints(project, documents, givenReason(context)),
  );
}
