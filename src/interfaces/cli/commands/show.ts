/** `waymark show` */
import { findStored, usable } from "../../../operations/find-checkpoint.ts";
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
  const { kind } = await project.branches.current();
  const isPinned = view.pinned.has(document.id);
  output.result(
    "checkpoint",
    { checkpoint: { ...document, ...standing, pinned: isPinned } },
    checkpointPage(document, standing, {
      paint: output.paint,
      now: project.clock.now(),
      isPinned,
      isInPrivate: kind === "no_git",
    }),
  );
}
