/** `waymark unpin` */
import { findStored } from "../../../operations/find-checkpoint.ts";
import { unpinCheckpoints } from "../../../operations/pin-checkpoints.ts";
import { viewSessions } from "../../../operations/session-view.ts";
import type { Context } from "../command-spec.ts";
import { givenReason } from "../given-reason.ts";
import { pinReport } from "../pin-report.ts";

export async function run(context: Context): Promise<void> {
  const [selectors] = context.args as [readonly string[]];
  const project = await context.openProject();
  const view = await viewSessions(project, context.sessionId);
  const ids = selectors.map((selector) => findStored(project, view, selector).id);
  pinReport(context.output, "unpinned", await unpinCheckpoints(project, ids, givenReason(context)));
}
