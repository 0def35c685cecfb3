/** `waymark stash` */
import { findStored, usable } from "../../../operations/find-checkpoint.ts";
import { viewSessions } from "../../../operations/session-view.ts";
import { stashCheckpoint } from "../../../operations/stash-checkpoint.ts";
import type { Context } from "../command-spec.ts";

export async function run(context: Context): Promise<void> {
  const { output } = context;
  const [selector] = context.args as [string];
  const options = context.options as { message?: string };
  const project = await context.openProject();
  project.sweep();
  const view = await viewSessions(project, context.sessionId);
  const checkpoint = usable(view, findStored(project, view, selector));
  const result = await stashCheckpoint(project, checkpoint, options.message);
  for (const warning of result.warnings) output.warn(warning);
  for (const path of result.notExact) output.warn(`not restored exactly: ${path}`);
  output.result(
    "stash",
    {
      stash_commit: result.commit,
      checkpoint_id: checkpoint.id,
      message: result.message,
      not_exact: result.notExact,
      warnings: result.warnings,
    },
    [`${output.paint("green", "stashed")} ${checkpoint.id} as ${result.commit.slice(0, 12)}`],
  );
  output.say("`git stash apply --index` restores it; `git stash list` shows it");
}
