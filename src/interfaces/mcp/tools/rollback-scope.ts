/** What the tools that go back to a checkpoint are asked for. */
import type { CheckpointDocument } from "../../../domain/checkpoint.ts";
import { Failure } from "../../../domain/failure.ts";
import { checkedDocument, findStored, refuseExpired } from "../../../operations/find-checkpoint.ts";
import { leftBehindBy } from "../../../operations/left-behind-by.ts";
import { ONLY_STATE, type RollbackScope } from "../../../operations/plan-rollback.ts";
import { refuseUnfit } from "../../../operations/refuse-unfit-rollback.ts";
import { viewSessions } from "../../../operations/session-view.ts";
import { inProject } from "../../cli/project-path.ts";
import type { previewInput } from "../input-schemas.ts";
import type { Call } from "../tool.ts";

type Asked = ReturnType<typeof previewInput.parse>;

export interface AskedRollback {
  readonly target: CheckpointDocument;
  readonly sessionId: string;
  readonly scope: RollbackScope;
  readonly leftBehind: readonly string[];
  readonly evenIfExpired: boolean;
}

export async function askedRollback({ project, host }: Call, asked: Asked): Promise<AskedRollback> {
  const view = await viewSessions(project, asked.session ?? host.sessionId);
  const target = await checkedDocument(project, view, findStored(project, view, asked.checkpoint));
  const scope = scopeOf(project.workTree.root, asked);
  await refuseUnfit(project, target, scope);
  const evenIfExpired = asked.even_if_expired === true;
  if (!evenIfExpired) await refuseExpired(project, target);
  return {
    target,
    sessionId: view.sessionId,
    scope,
    leftBehind: leftBehindBy(view, project, target, scope),
    evenIfExpired,
  };
}

function scopeOf(root: string, asked: Asked): RollbackScope {
  const { files_only, keep_head, paths, state_only, keep_task } = asked;
  if (state_only === true) {
    if (files_only !== true && paths === undefined) return ONLY_STATE;
    throw new Failure("usage", "state_only excludes files_only and paths", {
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
