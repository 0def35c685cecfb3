/** `waymark show` */
import { findStored, usable } from "../../../operations/find-checkpoint.ts";
import { describeParts } from "../../../operations/part-work.ts";
import { viewSessions } from "../../../operations/session-view.ts";
import { checkpointPage } from "../checkpoint-page.ts";
import type { Context } from "../command-spec.ts";

export async function run(context: Context): Promise<void> {
  const { output } = context;
  const [selector] = context.args as [string];
  const project = await context.openProject();
  const view = await viewSessions(project, context.sessionId);
  const document = usable(view, findStored(project, view, selector));
  const standing = view.standing(document);
  const isPinned = view.pinned.has(document.id);
  const parts = await describeParts(project, document);
  output.result(
    "checkpoint",
    { checkpoint: { ...document, ...standing, pinned: isPinned }, by_hand: parts },
    checkpointPage(document, standing, {
      paint: output.paint,
      now: project.clock.now(),
      isPinned,
      parts,
    }),
  );
}
