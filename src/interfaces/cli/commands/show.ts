/** `waymark show` */
import { isExpired } from "../../../domain/checkpoint.ts";
import { pinRecords } from "../../../domain/session-records.ts";
import { findStored, usable } from "../../../operations/find-checkpoint.ts";
import { describeParts } from "../../../operations/part-work.ts";
import { viewReadable } from "../../../operations/session-view.ts";
import { checkpointPage } from "../checkpoint-page.ts";
import type { Context } from "../command-spec.ts";

export async function run(context: Context): Promise<void> {
  const { output } = context;
  const [selector] = context.args as [string];
  const project = await context.openProject();
  const view = await viewReadable(project, context.sessionId);
  const document = usable(view, findStored(project, view, selector));
  const standing = view.standing(document);
  const parts = await describeParts(project, document);
  const now = project.clock.now();
  const pin = pinRecords(view.sessions.values()).get(document.id);
  const { kind } = await project.branches.current();
  output.result(
    "checkpoint",
    {
      checkpoint: {
        ...document,
        ...standing,
        pinned: pin !== undefined,
        pin: pin === undefined ? null : { at: pin.at, by: pin.by, reason: pin.reason },
        expired: isExpired(document, now),
      },
      by_hand: parts.map(({ type, summary, commands, prerequisites }) => ({
        type,
        summary,
        commands,
        prerequisites,
      })),
    },
    checkpointPage(document, standing, {
      paint: output.paint,
      now,
      pin,
      parts,
      isInPrivate: kind === "no_git",
    }),
  );
}
