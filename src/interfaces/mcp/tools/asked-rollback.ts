/** What the tools that go back are asked for, as a step that is confirmed. */
import { Failure } from "../../../domain/failure.ts";
import { redactReason } from "../../../domain/secrets/redact.ts";
import { findTarget, refuseExpired, targetWarnings } from "../../../operations/find-checkpoint.ts";
import { leftBehindBy } from "../../../operations/left-behind-by.ts";
import { ONLY_STATE, type RollbackScope } from "../../../operations/plan-rollback.ts";
import { refuseUnfit } from "../../../operations/refuse-unfit-rollback.ts";
import { rollBackIfDifferent } from "../../../operations/roll-back.ts";
import { rollbackId } from "../../../operations/rollback-id.ts";
import { viewSessions } from "../../../operations/session-view.ts";
import { inProject } from "../../cli/project-path.ts";
import type { Step } from "../confirmed-step.ts";
import type { rollBackInput } from "../input-schemas.ts";
import { rollbackStep } from "../rollback-step.ts";
import { isTakeBack, takeBackStep } from "../take-back-step.ts";
import type { Call } from "../tool.ts";

type Asked = ReturnType<typeof rollBackInput.parse>;

export async function askedStep(call: Call, input: Asked): Promise<Step> {
  const { reason: given, confirm_token: token, ...asked } = input;
  const reason = redactReason(given ?? null);
  if (isTakeBack(asked)) return takeBackStep(call, asked, { token, reason });
  if (asked.checkpoint === undefined) {
    throw new Failure("usage", "no checkpoint given", {
      hint: "Pass `checkpoint` (list_checkpoints shows them) or `only_session`. Nothing was changed.",
    });
  }
  const { project, host } = call;
  const view = await viewSessions(project, asked.session ?? host.sessionId);
  const target = await findTarget(project, view, asked.checkpoint);
  const scope = scopeOf(project.workTree.root, asked);
  await refuseUnfit(project, target, scope);
  const evenIfExpired = asked.even_if_expired === true;
  if (!evenIfExpired) await refuseExpired(project, target);
  const order = {
    kind: "rollback",
    target,
    sessionId: view.sessionId,
    scope,
    evenIfExpired,
    discardCommits: asked.discard_commits === true,
  } as const;
  return rollbackStep(call, {
    ...order,
    leftBehind: leftBehindBy(view, project, target, scope),
    warnings: targetWarnings(view, target),
    token,
    act: (check) =>
      rollBackIfDifferent(project, {
        ...order,
        reason,
        confirmed: true,
        confirm: () => Promise.resolve(true),
        check,
        id: rollbackId(project),
      }),
  });
}

function scopeOf(root: string, asked: Asked): RollbackScope {
  const { files_only, keep_head, paths, state_only, keep_task } = asked;
  if (state_only === true) {
    if (files_only !== true && paths === undefined) return ONLY_STATE;
    throw new Failure("usage", "state_only cannot be used with files_only or paths", {
      hint: "Use one of them. Nothing was changed.",
    });
  }
  return {
    filesOnly: files_only === true,
    keepHead: keep_head === true,
    paths: paths?.map((path) => inProject(root, root, path, "paths")) ?? null,
    ...(keep_task === true ? { keepTask: true } : {}),
  };
}
