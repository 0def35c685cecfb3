/** `waymark resume` in a terminal: shows the plan and asks which way to go. */
import { cancelled } from "../../../domain/failure.ts";
import type { FindingKind } from "../../../domain/workflow/staleness/rules.ts";
import {
  planSession,
  type ResumeAnswers,
  type ResumePlan,
} from "../../../operations/resume/plan-resume.ts";
import { openDecisions, refusalOf } from "../../../operations/resume/refuse-resume.ts";
import type { Project } from "../../../operations/project.ts";
import { askChoice, QUIT, type Choice } from "../choice.ts";
import type { Context } from "../command-spec.ts";
import { askDecisions, backText, showDiff, showPlan } from "./ask-decisions.ts";
import { deleteInstead } from "../unfinished-session.ts";
import { showDetails } from "./show-details.ts";

export type ChosenWay =
  | { readonly kind: "go"; readonly plan: ResumePlan }
  | { readonly kind: "fresh" }
  /** With its checkpoints, and nothing is started. */
  | { readonly kind: "deleted" };

type Word = "resume" | "compare" | "back" | "start" | "view" | "delete" | "quit";

interface WaysOn {
  readonly choices: readonly Choice<Word>[];
  /** What `back` means. */
  readonly back: ResumeAnswers;
}

/** Fails when there is no way on, and with `cancelled` when none was chosen. */
export async function chooseWay(
  context: Context,
  project: Project,
  plan: ResumePlan,
): Promise<ChosenWay> {
  const { id } = plan.session;
  await showPlan(context, project, plan);
  const { choices, back } = waysOn(project, plan);
  for (;;) {
    const word = await askChoice(context.output, [...choices, ...ALWAYS]);
    switch (word) {
      case "resume":
        return goWith(context, project, plan, { acceptChanges: true });
      case "back":
        return goWith(context, project, plan, back);
      case "start":
        return { kind: "fresh" };
      case "compare":
        await showDiff(context, plan);
        break;
      case "view":
        await showDetails(context, project, id);
        break;
      case "delete":
        if (await deleteInstead(context, id)) return { kind: "deleted" };
        break;
      case "quit":
      case undefined:
        throw cancelled();
    }
  }
}

async function goWith(
  context: Context,
  project: Project,
  { session, answers }: ResumePlan,
  more: ResumeAnswers,
): Promise<ChosenWay> {
  const plan = await planSession(project, session, { ...answers, ...more });
  if (more.acceptChanges !== true) await showPlan(context, project, plan);
  return { kind: "go", plan: await askDecisions(context, project, plan) };
}

const ALWAYS: readonly Choice<Word>[] = [
  { word: "view", label: "view details", text: "everything about the session" },
  { word: "delete", text: "delete this session with its checkpoints" },
  QUIT,
];

function waysOn(project: Project, plan: ResumePlan): WaysOn {
  const { staleness, session } = plan;
  const { checkpoint_id: current, findings } = staleness.report;
  const find = (kind: FindingKind) => findings.find((finding) => finding.kind === kind);
  const start: Choice<Word> = {
    word: "start",
    label: "start fresh",
    text:
      session.definition === undefined
        ? "archive this session; the next phase starts another"
        : "archive this session and start over",
  };
  const lastValid = find("checkpoint_damaged")?.details["last_valid"];
  if (typeof lastValid === "string") return backTo(lastValid, { from: lastValid }, start);
  const refusal = refusalOf(project, plan, { session_id: session.id });
  const isDecision = refusal === undefined || refusal.code === "needs_confirmation";
  if (!isDecision) throw refusal;
  const back = { restoreFiles: true };
  if (find("branch_gone") !== undefined && current !== null) return backTo(current, back, start);
  const isChanged = openDecisions(plan).some(({ about }) => about === "files");
  const point = staleness.report.resume_point?.words ?? "the next phase";
  return {
    back,
    choices: [
      {
        word: "resume",
        text: `${plan.run === undefined ? `make it active again; you then run ${point}` : `continue with ${point}`}${isChanged ? ", with the files as they are now" : ""}`,
      },
      ...(isChanged && current !== null
        ? ([
            { word: "compare", text: "show what changed" },
            { word: "back", text: backText(current) },
          ] as const)
        : []),
      start,
    ],
  };
}

function backTo(checkpointId: string, back: ResumeAnswers, start: Choice<Word>): WaysOn {
  return { back, choices: [{ word: "back", text: backText(checkpointId) }, start] };
}
