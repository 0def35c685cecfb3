/** `waymark rollback --only-session` and `--only-paths-of` */
import type { CheckpointDocument } from "../../domain/checkpoint.ts";
import { Failure } from "../../domain/failure.ts";
import { findTarget } from "../../operations/find-checkpoint.ts";
import { rollbackWarnings } from "../../operations/documents/rollback-document.ts";
import {
  takeBackDocument,
  takeBackPlanDocument,
} from "../../operations/documents/take-back-document.ts";
import type { Project } from "../../operations/project.ts";
import { viewSessions, type SessionView } from "../../operations/session-view.ts";
import type {
  KeptFile,
  TakeBackPlan,
  TakeBackRequest,
} from "../../operations/selective/plan-take-back.ts";
import { previewTakeBack, takeBack } from "../../operations/selective/take-back.ts";
import { confirm } from "./ask.ts";
import type { Context } from "./command-spec.ts";
import { givenReason } from "./given-reason.ts";
import { inProject } from "./project-path.ts";
import { keptWords, selectiveLines, selectivePlanLines, who } from "./selective-report.ts";
import type { Output } from "./output.ts";

interface Options {
  onlySession?: string;
  onlyPathsOf?: string;
  yes?: boolean;
  dryRun?: boolean;
  paths?: string[];
  stateOnly?: boolean;
  databaseOnly?: boolean;
  discardCommits?: boolean;
  keepTask?: boolean;
  evenIfExpired?: boolean;
}

export async function runSelective(context: Context): Promise<void> {
  const { output } = context;
  const [selector] = context.args as [string | undefined];
  const options = context.options as Options;
  const worker = workerOf(options);
  const project = await context.openProject();
  const view = await viewSessions(project, context.sessionId);
  const request: TakeBackRequest = {
    by: options.onlySession === undefined ? "paths" : "lines",
    since: selector === undefined ? undefined : await sinceOf(project, view, selector),
    paths:
      options.paths?.map((path) => inProject(project.workTree.root, context.directory, path)) ??
      null,
  };
  if (options.dryRun === true) {
    const plan = await previewTakeBack(project, worker, request);
    const look = { paint: output.paint, most: Number.POSITIVE_INFINITY };
    const document = takeBackPlanDocument(plan, (kept) => keptWords(plan, kept));
    output.result("rollback_plan", document, selectivePlanLines(plan, look));
    return;
  }
  const done = await takeBack(project, {
    ...request,
    worker,
    sessionId: view.sessionId,
    reason: givenReason(context),
    confirm: (plan) => (options.yes === true ? Promise.resolve(true) : confirmPlan(output, plan)),
  });
  const { plan } = done;
  const words = (kept: KeptFile): string => keptWords(plan, kept);
  if (done.kind === "nothing") {
    const look = { paint: output.paint, most: MOST_LINES };
    const document = takeBackPlanDocument(plan, words, false);
    output.result("rollback_plan", document, selectivePlanLines(plan, look));
    return;
  }
  for (const warning of output.options.json ? [] : rollbackWarnings(done.result))
    output.warn(warning);
  output.result(
    "rollback",
    takeBackDocument(project, plan, done.result, words),
    selectiveLines(plan, done.result, output),
  );
}

const MOST_LINES = 30;

/** Which session is meant; what makes no sense beside it is refused. */
function workerOf(options: Options): string {
  const { onlySession, onlyPathsOf } = options;
  const flag = onlySession === undefined ? "--only-paths-of" : "--only-session";
  const others = {
    "--only-paths-of": onlySession !== undefined && onlyPathsOf !== undefined,
    "--state-only": options.stateOnly,
    "--database-only": options.databaseOnly,
    "--discard-commits": options.discardCommits,
    "--keep-task": options.keepTask,
    "--even-if-expired": options.evenIfExpired,
  };
  const [other] = Object.entries(others).find(([, isGiven]) => isGiven === true) ?? [];
  if (other !== undefined) {
    throw new Failure("usage", `${flag} and ${other} cannot be used together`, {
      hint: `${flag} only changes files; HEAD, commits, the index, state and tasks stay as they are. Use one of them. Nothing was changed.`,
    });
  }
  return onlySession ?? onlyPathsOf ?? "";
}

async function sinceOf(
  project: Project,
  view: SessionView,
  selector: string,
): Promise<CheckpointDocument> {
  return findTarget(project, view, selector);
}

function confirmPlan(output: Output, plan: TakeBackPlan): Promise<boolean> {
  const look = { paint: output.paintTalk, most: MOST_LINES };
  return confirm(output, {
    lines: selectivePlanLines(plan, look),
    question: `Revert what ${who(plan)} did?`,
    hint: "Add --yes, or --dry-run to see what would happen. Nothing was changed.",
    details: { flags: ["--yes"] },
  });
}
