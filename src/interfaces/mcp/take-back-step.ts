/**
 * Taking back what one session did as a step that is confirmed. Its token is bound to the files that would change and to what they become, not to
 * the whole project: others go on working meanwhile, and what they do elsewhere stays anyway.
 */
import { canonicalJson } from "../../domain/canonical-json.ts";
import { Failure } from "../../domain/failure.ts";
import {
  takeBackDocument,
  takeBackPlanDocument,
} from "../../operations/documents/take-back-document.ts";
import { findTarget } from "../../operations/find-checkpoint.ts";
import { findWork } from "../../operations/selective/find-work.ts";
import type { TakeBackPlan, TakeBackRequest } from "../../operations/selective/plan-take-back.ts";
import { previewTakeBack, takeBack } from "../../operations/selective/take-back.ts";
import { viewSessions } from "../../operations/session-view.ts";
import { inProject } from "../cli/project-path.ts";
import { selectivePlanLines, keptWords } from "../cli/selective-report.ts";
import type { ShownPlan, Step } from "./confirmed-step.ts";
import type { previewInput } from "./input-schemas.ts";
import { rolledBackLines } from "./rolled-back-lines.ts";
import type { Call } from "./tool.ts";
import { unfinishedLines } from "./unfinished-lines.ts";

type Asked = ReturnType<typeof previewInput.parse>;

const LOOK = { paint: (_style: unknown, text: string): string => text, most: 25 };

/** Whether it is asked for. */
export function isTakeBack({ only_session, only_paths_of }: Asked): boolean {
  return only_session !== undefined || only_paths_of !== undefined;
}

export async function takeBackStep(
  { project, host }: Call,
  asked: Asked,
  { token, reason }: { readonly token: string | undefined; readonly reason: string | null },
): Promise<Step> {
  const text = workerOf(asked);
  const view = await viewSessions(project, asked.session ?? host.sessionId);
  const { worker } = await findWork(project, view, text);
  const { root } = project.workTree;
  const request: TakeBackRequest = {
    by: asked.only_session === undefined ? "paths" : "lines",
    since:
      asked.checkpoint === undefined
        ? undefined
        : await findTarget(project, view, asked.checkpoint),
    paths: asked.paths?.map((path) => inProject(root, root, path, "paths")) ?? null,
  };
  const { by, since, paths } = request;
  return {
    kind: "rollback",
    subject: { takenBack: worker.id },
    options: { by, since: since?.id ?? null, paths, sessionId: view.sessionId },
    token,
    look: async (): Promise<ShownPlan> => {
      const plan = await previewTakeBack(project, worker.id, request);
      return {
        fingerprint: fingerprintOf(plan),
        document: takeBackPlanDocument(plan, (kept) => keptWords(plan, kept)),
        lines: [...selectivePlanLines(plan, LOOK), ...unfinishedLines(project)],
        first: [
          `Files changed or restored: ${plan.filePlan.write.length + plan.filePlan.mode.length}; removed: ${plan.filePlan.remove.length}`,
        ],
        open:
          plan.files.size === 0
            ? ["Nothing was changed, and there is nothing to carry out."]
            : undefined,
      };
    },
    act: async (agreed) => {
      const done = await takeBack(project, {
        ...request,
        worker: worker.id,
        sessionId: view.sessionId,
        reason,
        confirm: (plan) => {
          agreed(fingerprintOf(plan));
          return Promise.resolve(true);
        },
      });
      const { plan } = done;
      const words = (kept: TakeBackPlan["kept"][number]): string => keptWords(plan, kept);
      if (done.kind === "nothing") {
        return {
          kind: "rollback_plan",
          document: takeBackPlanDocument(plan, words),
          lines: [...selectivePlanLines(plan, LOOK), "Nothing was changed."],
        };
      }
      return {
        kind: "rollback",
        document: takeBackDocument(project, plan, done.result, words),
        lines: rolledBackLines(done.result, plan),
      };
    },
  };
}

/** Which session is meant; what makes no sense beside it is refused. */
function workerOf(asked: Asked): string {
  const { only_session, only_paths_of } = asked;
  const name = only_session === undefined ? "only_paths_of" : "only_session";
  const others = {
    only_paths_of: only_session !== undefined && only_paths_of !== undefined,
    state_only: asked.state_only,
    discard_commits: asked.discard_commits,
    keep_task: asked.keep_task,
    even_if_expired: asked.even_if_expired,
  };
  const [other] = Object.entries(others).find(([, isGiven]) => isGiven === true) ?? [];
  if (other === undefined) return only_session ?? only_paths_of ?? "";
  throw new Failure("usage", `${name} and ${other} cannot be used together`, {
    hint: `${name} only changes files; HEAD, commits, the index, state and tasks stay as they are. Use one of them. Nothing was changed.`,
  });
}

function fingerprintOf({ worker, by, since, filePlan, files, kept }: TakeBackPlan): string {
  const { write, remove, mode } = filePlan;
  return canonicalJson({
    worker: worker.id,
    by,
    since: since.id,
    steps: [...write, ...remove, ...mode],
    files: [...files],
    kept,
  });
}
