/** Archives a session, and starts its workflow over. */
import { resolve } from "node:path";
import { cancelled, Failure } from "../../../domain/failure.ts";
import type { SessionDocument } from "../../../domain/session.ts";
import { commandLines } from "../../../domain/workflow/command-lines.ts";
import { putAway } from "../../../operations/put-away-session.ts";
import { isSeen, refuseStrangeFile } from "../../../operations/resume/plan-resume.ts";
import { unknownCommands } from "../../../operations/resume/refuse-resume.ts";
import { beginWorkflow, type WorkflowSource } from "../../../operations/run/start-workflow.ts";
import type { Project } from "../../../operations/project.ts";
import type { Context } from "../command-spec.ts";
import type { RunFlags } from "../run/run-flags.ts";
import { agreesToCommands, mayAsk } from "./ask-decisions.ts";
import { runSession } from "../run/run-session.ts";
import { reportChange } from "../session-change.ts";

/** Why the old one is put away, for its journal. */
export const FRESH = "archived to start over";

type FreshFlags = RunFlags & { readonly takeOver?: number; readonly trustCommands?: string };

/** Which file it is, is what the document says: of one that did not begin here, somebody looks at its commands first. */
async function confirmFile(
  context: Context,
  project: Project,
  { id, definition }: SessionDocument,
  { workflow, source }: WorkflowSource,
  flags: FreshFlags,
): Promise<void> {
  if (definition === undefined || source === undefined) return;
  if (project.commandTrust.has(id, definition) || isSeen(source, flags.trustCommands)) return;
  if (mayAsk(context, flags)) {
    if (await agreesToCommands(workflow)) return;
    throw cancelled();
  }
  const { what, flags: words } = unknownCommands(source);
  throw new Failure("needs_confirmation", `session ${id}: ${what.join("; ")}`, {
    hint: `Look at ${source.path}; ${words.join(" ")} runs it. \`waymark run FILE\` runs a file of yours. Nothing was changed.`,
    details: { flags: words, commands: commandLines(workflow) },
  });
}

/** The exit code. By the workflow file as it is now; a session of phases has nothing that could be run. */
export async function startFresh(
  context: Context,
  project: Project,
  old: SessionDocument,
  flags: FreshFlags,
): Promise<number> {
  const { output } = context;
  const { id, definition } = old;
  await refuseStrangeFile(project, old);
  const read =
    definition &&
    (await project.workflowFiles.read(resolve(project.workTree.root, definition.path)));
  if (read !== undefined) await confirmFile(context, project, old, read, flags);
  const session = await putAway(project, id, FRESH, flags.takeOver);
  if (read === undefined) {
    const line = `session ${id} is archived; the next \`waymark phase\` starts another`;
    await reportChange(project, output, { action: "abandon", session, changed: true, line });
    return 0;
  }
  output.say(`session ${id} is archived`);
  const owned = await beginWorkflow(project, read, {
    evenIfUnreadable: true,
    warn: (message) => context.output.warn(message),
  });
  const { workflow } = read;
  return runSession(context, project, { owned, workflow, isResumed: false }, flags);
}
