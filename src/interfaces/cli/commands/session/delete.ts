/** `waymark session delete` */
import { cancelled } from "../../../../domain/failure.ts";
import {
  damagedSession,
  deleteSession,
  planSessionDeletion,
  replaceDamaged,
} from "../../../../operations/delete-session.ts";
import { confirm } from "../../ask.ts";
import type { Context } from "../../command-spec.ts";
import { givenReason } from "../../given-reason.ts";
import { oneLine } from "../../printable.ts";
import { reportChange } from "../../session-change.ts";
import { counted, exactTime } from "../../units.ts";

export async function run(context: Context): Promise<void> {
  const { output } = context;
  const [given] = context.args as [string];
  const { yes, now, force } = context.options as {
    yes?: boolean;
    now?: boolean;
    force?: boolean;
  };
  const how = { force: force === true, now: now === true };
  const project = await context.openProject();
  const damage = await damagedSession(project, given);
  if (damage !== undefined) {
    const question = `${damage.message}. Delete it with its checkpoints?`;
    const hint = "Add --yes. Nothing was changed.";
    if (yes !== true && !(await confirm(output, { question, hint }))) throw cancelled();
    await replaceDamaged(project, given);
  }
  const plan = await planSessionDeletion(project, given, how);
  const { id, status, description, topic } = plan.session;
  const what = plan.stored.length === 0 ? "" : ` and ${counted(plan.stored.length, "checkpoint")}`;
  if (yes !== true && damage === undefined) {
    const isSure = await confirm(output, {
      lines: [
        `  ${oneLine(id)}  ${status}  ${oneLine(description ?? topic ?? "")}`.trimEnd(),
        ...plan.warnings.map((warning) => `${output.paintTalk("yellow", "warning:")} ${warning}`),
      ],
      question: `Delete this session${what}${now === true ? " for good" : ""}?`,
      hint: "Add --yes. Nothing was changed.",
    });
    if (!isSure) throw cancelled();
    // A checkpoint may have been pinned while the question was open.
    await planSessionDeletion(project, id, how);
  }
  const request = { reason: givenReason(context), now: now === true };
  const { session, deleted, restorableUntil } = await deleteSession(project, plan, request);
  await reportChange(project, output, {
    action: "delete",
    session,
    changed: true,
    removed: deleted,
    warnings: plan.warnings,
    line: `${output.paint("green", "deleted")} ${oneLine(id)}${deleted.length === 0 ? "" : ` and ${counted(deleted.length, "checkpoint")}`}`,
  });
  if (restorableUntil !== null) {
    output.say(
      `\`waymark delete --undo ID\` restores a checkpoint, and the session with it, until ${exactTime(restorableUntil)}`,
    );
  }
}
