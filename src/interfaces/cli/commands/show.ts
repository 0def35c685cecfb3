/** `waymark show` */
import { checkpointDocument } from "../../../operations/documents/checkpoint-document.ts";
import { showCheckpoint } from "../../../operations/show-checkpoint.ts";
import { filesRevision } from "../../../domain/local-half.ts";
import { checkpointPage } from "../checkpoint-page.ts";
import type { Context } from "../command-spec.ts";

export async function run(context: Context): Promise<void> {
  const { output } = context;
  const [selector = "latest"] = context.args as [string?];
  const project = await context.openProject();
  const shown = await showCheckpoint(project, selector, context.sessionId);
  const { document, standing, isCurrent, rolledPastAt, parts, pin, damage } = shown;
  const { workflow, outputs } = shown;
  output.result(
    "checkpoint",
    checkpointDocument(shown),
    checkpointPage(document, standing, {
      paint: output.paint,
      now: project.clock.now(),
      short: output.shortIds(),
      isCurrent,
      rolledPastAt,
      pin,
      damage,
      parts,
      workflow,
      outputs,
      git: project.git,
      files: filesRevision(document, await project.checkpoints.isHere(document, "worktree")),
    }),
    { isVerbatim: true },
  );
}
