/** Why a session is not resumed as things are, and which words would change that. Nobody guesses. */
import { Failure, type FailureCode } from "../../domain/failure.ts";
import type { WorkflowDefinition } from "../../domain/session.ts";
import { openConflictOf } from "../../domain/workflow/isolated-result.ts";
import { NO_PROGRESS } from "../../domain/workflow/progress.ts";
import type { Finding } from "../../domain/workflow/staleness/finding.ts";
import type { FindingKind } from "../../domain/workflow/staleness/rules.ts";
import { heldFailure } from "../owned-session.ts";
import type { Project } from "../project.ts";
import { statusFailure } from "../session-status-failure.ts";
import type { ResumePlan } from "./plan-resume.ts";

/** What somebody has to say before it goes on. */
export interface OpenDecision {
  /** files: what is there is not what the session left. rest: the same of issue, state and outputs. commands: they come from elsewhere. */
  readonly about: "files" | "rest" | "workflow_file" | "nodes" | "commands";
  /** In words, what it is about. */
  readonly what: readonly string[];
  /** Any of these answers it. */
  readonly flags: readonly string[];
}

/** A rollback to the recorded checkpoint settles these. */
const OF_FILES: readonly FindingKind[] = [
  "branch_gone",
  "branch_switched",
  "head_moved",
  "files_changed",
  "parts_changed",
  "operation_changed",
  "not_compared",
];

export function openDecisions({
  staleness,
  answers,
  nodes,
  session,
  run,
}: ResumePlan): OpenDecision[] {
  const { findings, checkpoint_id: current } = staleness.report;
  // Whoever was asked to resolve a conflict has changed files, as was wanted.
  const isResolving = openConflictOf(session.workflow ?? NO_PROGRESS) !== undefined;
  const asked = findings.filter(
    ({ severity, kind }) => severity === "decision" && !(isResolving && kind === "files_changed"),
  );
  const isAccepted = answers.acceptChanges === true;
  const ofFiles = asked.filter(({ kind }) => OF_FILES.includes(kind));
  const isMissing = asked.some(({ kind }) => kind === "workflow_missing");
  const isChosen = isMissing
    ? answers.workflowFile === "recorded"
    : answers.workflowFile !== undefined;
  const workflow = asked.filter(
    ({ kind }) => kind === "workflow_changed" || kind === "workflow_missing",
  );
  const rest = asked.filter((found) => !ofFiles.includes(found) && !workflow.includes(found));
  const undecided = nodes.filter(({ what }) => what === "ask");
  const restore = current === null ? [] : ["--restore-files"];
  return [
    ...decision("files", isAccepted ? [] : messages(ofFiles), ["--accept-changes", ...restore]),
    ...decision("rest", isAccepted ? [] : messages(rest), ["--accept-changes"]),
    ...decision("workflow_file", isChosen ? [] : messages(workflow), [
      "--workflow-file recorded",
      ...(isMissing ? [] : ["--workflow-file current"]),
    ]),
    ...decision(
      "nodes",
      undecided.map(({ id, why }) => `${id}: ${why}`),
      ["--rerun-unknown all", "--rerun-unknown none", "--rerun-unknown NODE"],
    ),
    // Last: what was chosen above decides which commands these are.
    ...(run?.source === undefined || run.isTrusted ? [] : [unknownCommands(run.source)]),
  ];
}

/** No `--yes` answers this: whoever says the digest has looked at what the dry run prints. */
export function unknownCommands({ digest }: WorkflowDefinition): OpenDecision {
  return {
    about: "commands",
    what: ["you have neither started nor confirmed its commands on this machine"],
    flags: [`--trust-commands ${digest.replace(/^sha256:/, "")}`],
  };
}

function decision(
  about: OpenDecision["about"],
  what: readonly string[],
  flags: readonly string[],
): OpenDecision[] {
  return what.length === 0 ? [] : [{ about, what, flags }];
}

function messages(findings: readonly Finding[]): string[] {
  return findings.map(({ message }) => message);
}

/** Undefined: it can go on. `details` is what the refusal tells machines. */
export function refusalOf(
  project: Project,
  plan: ResumePlan,
  details: Readonly<Record<string, unknown>>,
): Failure | undefined {
  const blocked = blockedBy(project, plan);
  if (blocked !== undefined) return withDetails(blocked, details);
  const open = openDecisions(plan);
  if (open.length === 0) return undefined;
  const { id } = plan.session;
  // --accept-changes, which the rest needs, answers for the files too.
  const hasRest = open.some(({ about }) => about === "rest");
  const flags = open
    .filter(({ about }) => about !== "files" || !hasRest)
    .map(({ flags: words }) => words.join(" or "));
  return new Failure(
    "needs_confirmation",
    `session ${id} needs decisions before it can continue: ${open.flatMap(({ what }) => what).join("; ")}`,
    {
      hint: `\`waymark resume ${id}\` needs ${flags.join(", and ")}; --dry-run shows what would happen. ${ways(open)}Nothing was changed.`,
      details: { ...details, flags: [...new Set(open.flatMap(({ flags: words }) => words))] },
    },
  );
}

function ways(open: readonly OpenDecision[]): string {
  const files = open.find(({ about }) => about === "files");
  const isRestorable = files?.flags.includes("--restore-files") === true;
  return [
    files === undefined
      ? ""
      : `--accept-changes continues with the project as it is now${isRestorable ? ", --restore-files rolls back to the session's checkpoint first" : ""}. `,
    open.some(({ about }) => about === "commands")
      ? "--trust-commands runs the commands that --dry-run shows; an agent cannot consent for its user. "
      : "",
  ].join("");
}

/** The gravest first: nobody is told to decide about a session that somebody else runs. */
function blockedBy(project: Project, plan: ResumePlan): Failure | undefined {
  const { session, staleness } = plan;
  const found = new Map(
    staleness.report.findings
      .filter(({ severity }) => severity === "blocking")
      .map((finding) => [finding.kind, finding]),
  );
  const { lease, id } = session;
  if (found.has("session_held") && lease !== undefined) return heldFailure(project, id, lease);
  if (found.has("session_ended")) return statusFailure(session, "be resumed");
  const newer = found.get("session_newer") ?? found.get("checkpoint_newer");
  if (newer !== undefined) {
    return failure("checkpoint_newer", newer, "Update Waymark to continue it.");
  }
  const damaged = found.get("checkpoint_damaged");
  if (damaged !== undefined) return failure("checkpoint_damaged", damaged, instead(id, damaged));
  const gone = found.get("branch_gone");
  if (gone === undefined) return undefined;
  return failure(
    "needs_confirmation",
    gone,
    staleness.report.checkpoint_id === null
      ? "--fresh archives the session and starts over."
      : "--fresh archives the session and starts over; --restore-files rolls back to its checkpoint first, which creates the branch again.",
  );
}

function instead(sessionId: string, { details }: Finding): string {
  const last = details["last_valid"];
  const damaged = String(details["id"]);
  const rebuild = `\`waymark rebuild ${damaged}\` may repair it.`;
  return typeof last === "string"
    ? `\`waymark resume ${sessionId} --from ${last}\` continues from the last valid one (with --dry-run it shows what would run again). ${rebuild}`
    : `There is no other valid one in the session. ${rebuild}`;
}

function failure(code: FailureCode, { message, details }: Finding, hint: string): Failure {
  return new Failure(code, message, { hint: `${hint} Nothing was changed.`, details });
}

function withDetails(
  { code, message, hint, details }: Failure,
  more: Readonly<Record<string, unknown>>,
): Failure {
  return new Failure(code, message, { hint, details: { ...details, ...more } });
}
