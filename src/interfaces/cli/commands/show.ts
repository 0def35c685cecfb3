/** `waymark show` */
import { findStored, usable } from "../../../operations/find-checkpoint.ts";
import { viewSessions } from "../../../operations/session-view.ts";
import type { Context } from "../command-spec.ts";

export async function run(context: Context): Promise<void> {
  const { output } = context;
  const [selector] = context.args as [string];
  const project = await context.openProject();
  const view = await viewSessions(project, context.sessionId);
  const document = usable(view, findStored(project, view, selector));
  const standing = view.standing(document);
  const { git, coverage, files } = document;
  const head = git.unborn ? "no commit yet" : (git.commit ?? "").slice(0, 12);
  const pinned = view.pinned.has(document.id);
  output.result("checkpoint", { checkpoint: { ...document, ...standing, pinned } }, [
    `${output.paint("bold", document.id)}${standing.valid ? "" : output.paint("yellow", "  (invalid)")}`,
    `  taken     ${document.created_at} by ${document.created_by.user ?? "?"} (${document.trigger})`,
    ...(document.reason === null ? [] : [`  reason    ${document.reason}`]),
    ...(document.phase === null
      ? []
      : [`  phase     ${document.phase}, step ${document.step ?? "-"}`]),
    `  git       ${git.branch?.replace("refs/heads/", "") ?? "detached"} at ${head}${git.operation === "none" ? "" : `, ${git.operation} in progress`}`,
    `  state     ${git.stats.staged} staged, ${git.stats.unstaged} modified, ${git.stats.untracked} untracked, ${git.stats.deleted} deleted, ${git.stats.conflicted} conflicted`,
    `  changes   ${files.created.length} created, ${files.modified.length} modified, ${files.deleted.length} deleted since ${document.previous_id ?? "nothing"}`,
    `  holds     ${coverage.files} files`,
    `  not held  ${coverage.excluded_total}`,
    ...coverage.excluded.map(
      ({ path, reason, size }) =>
        `            ${path} (${reason}${size === null ? "" : `, ${size} bytes`})`,
    ),
    ...coverage.unstable.map((path) => `            ${path} (changed while it was read)`),
    `  restore   ${document.restore_command}`,
  ]);
}
