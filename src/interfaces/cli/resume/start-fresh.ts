/** Puts a session away, and begins its workflow anew. */
import { resolve } from "node:path";
import type { SessionDocument } from "../../../domain/session.ts";
import { putAway } from "../../../operations/put-away-session.ts";
import { beginWorkflow } from "../../../operations/run/start-workflow.ts";
import type { Project } from "../../../operations/project.ts";
import type { Context } from "../command-spec.ts";
import type { RunFlags } from "../run/run-flags.ts";
import { runSession } from "../run/run-session.ts";
import { reportChange } from "../session-change.ts";

/** Why the old one is put away, for its journal. */
export const FRESH = "another one is begun in its place";

/** The exit code. By the workflow file as it is now; a session of phases has nothing that could be run. */
export async function startFresh(
  context: Context,
  project: Project,
  { id, definition }: SessionDocument,
  flags: RunFlags & { readonly takeOver?: number },
): Promise<number> {
  const { output } = context;
  const read =
    definition &&
    (await project.workflowFiles.read(resolve(project.workTree.root, definition.path)));
  const session = await putAway(project, id, FRESH, flags.takeOver);
  if (read === undefined) {
    const line = `session ${id} is put away; the next \`waymark phase\` begins another`;
    await reportChange(project, output, { action: "abandon", session, changed: true, line });
    return 0;
  }
  output.say(`session ${id} is put away`);
  const owned = await beginWorkflow(project, read, {
    warn: (message) => context.output.warn(message),
  });
  const { workflow } = read;
  return runSession(context, project, { owned, workflow, isResumed: false }, flags);
}
