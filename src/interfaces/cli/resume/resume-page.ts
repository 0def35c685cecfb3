/** What a resume would do, for people: what was done, what happened meanwhile, what runs again and why. */
import type { Finding } from "../../../domain/workflow/staleness/finding.ts";
import type { CommandLine } from "../../../domain/workflow/command-lines.ts";
import type { ResumeNode, ResumeWhat } from "../../../domain/workflow/take-up.ts";
import type { ResumeAnswers } from "../../../operations/resume/plan-resume.ts";
import type { ResumeDescription } from "../../../operations/resume/describe-resume.ts";
import { leftOut } from "../left-out.ts";
import { oneLine, printable } from "../printable.ts";
import type { Paint, Style } from "../style.ts";
import { counted, exactTime, relativeTime } from "../units.ts";

interface Look {
  readonly paint: Paint;
  readonly now: Date;
  /** What was decided by now. */
  readonly answers?: ResumeAnswers;
  /** Also those that were started or confirmed here. */
  readonly withCommands?: boolean;
}

export function resumePage(plan: ResumeDescription, look: Look): string[] {
  const { paint, now, answers = {}, withCommands = false } = look;
  const about = plan.description === null ? "" : `  "${oneLine(plan.description)}"`;
  return [
    `${paint("bold", plan.session_id)} (${plan.status})${about}`,
    `  created ${exactTime(plan.created_at)} (${relativeTime(plan.created_at, now)}), last active ${relativeTime(plan.updated_at, now)}`,
    `  ${progressText(plan)}`,
    ...(plan.rollback_to === null ? [] : [`  rolls back to ${plan.rollback_to} first`]),
    ...nodeLines(plan.nodes, paint),
    ...nextLines(plan),
    ...plan.findings.flatMap((finding) => findingLines(finding, answers, paint)),
    ...insteadLines(plan, paint),
    ...(withCommands || !plan.commands_trusted ? commandPage(plan, paint) : []),
  ];
}

/** Whole lines: somebody is to agree to them. */
function commandPage(
  { commands, commands_trusted, commands_digest }: ResumeDescription,
  paint: Paint,
): string[] {
  if (commands.length === 0) return [];
  return commands_trusted
    ? ["  commands:", ...shownCommands(commands)]
    : [
        `  ${paint("red", "!")} commands that you have neither started nor confirmed on this machine:`,
        ...shownCommands(commands),
        `  digest: ${commands_digest ?? ""}`,
      ];
}

export function shownCommands(commands: readonly CommandLine[]): string[] {
  return commands.flatMap(({ phase, node, kind, line, cwd, env }) => [
    `    ${oneLine(node === null ? `${phase} (${kind})` : `${phase}/${node}`)}${cwd === "." ? "" : ` in ${oneLine(cwd)}`}:`,
    ...Object.entries(env).map(([name, value]) => `      ${oneLine(name)}=${oneLine(value)}`),
    ...printable(line)
      .trimEnd()
      .split("\n")
      .map((each) => `      ${each}`),
  ]);
}

/** `2 of 5 phases completed; continues with phase implement (node api)` */
export function progressText({ progress, resume_point, by }: ResumeDescription): string {
  const { completed, total } = progress;
  const done =
    total === 0
      ? "no phase has run yet"
      : `${completed} of ${counted(total, "phase")} completed${leftOut(progress)}`;
  // Of a session that is run from outside the next line says which phase it is.
  const isTold = resume_point !== null && (by !== null || resume_point.batch !== null);
  const on = isTold ? `; continues with ${resume_point.words}` : "";
  return `${done}${on}`;
}

const LOOKS: Readonly<Record<ResumeWhat, readonly [mark: string, style: Style, words: string]>> = {
  kept: ["✔", "green", "done (kept)"],
  left: ["-", "dim", "not run again"],
  removed: ["-", "dim", "forgotten"],
  run_again: ["↻", "yellow", "to run again"],
  changed: ["↻", "yellow", "changed"],
  added: ["+", "cyan", "added"],
  ask: ["?", "red", "to decide"],
  run: ["○", "dim", "to run"],
};

/** What is done and what simply comes next is only counted; of the rest everybody wants to know why. */
function nodeLines(nodes: readonly ResumeNode[], paint: Paint): string[] {
  if (nodes.length === 0) return [];
  const kinds = Object.keys(LOOKS) as ResumeWhat[];
  const counts = kinds.flatMap((kind) => {
    const count = nodes.filter(({ what }) => what === kind).length;
    const [mark, style, words] = LOOKS[kind];
    return count === 0 ? [] : [`${paint(style, mark)} ${count} ${words}`];
  });
  const told = nodes.filter(({ what }) => what !== "kept" && what !== "run");
  const width = Math.max(0, ...told.map(({ id }) => shownNode(id).length));
  return [
    `  nodes: ${counts.join("   ")}`,
    ...told.map(({ id, what, why }) => {
      const [mark, style] = LOOKS[what];
      return `  ${paint(style, mark)} ${oneLine(shownNode(id)).padEnd(width)}  ${oneLine(why)}`;
    }),
  ];
}

/** The only node of a phase is called as the phase is. */
function shownNode(id: string): string {
  const [phase, node] = id.split("/");
  return node === phase ? (node ?? id) : id;
}

function nextLines({ next_phase: next }: ResumeDescription): string[] {
  return next === null ? [] : [`  next: phase ${oneLine(next.phase)} (${oneLine(next.why)})`];
}

/** A merely warning one needs no second line. */
function findingLines(finding: Finding, answers: ResumeAnswers, paint: Paint): string[] {
  const { severity, message, what_happens_if_ignored: ignored } = finding;
  const decided = severity === "decision" ? decisionText(finding, answers) : undefined;
  if (decided !== undefined) {
    return [`  ${paint("green", "✔")} ${oneLine(message)}: ${decided}`];
  }
  if (severity === "warning") return [`  ${paint("yellow", "!")} ${oneLine(message)}`];
  return [
    `  ${paint("red", "!")} ${oneLine(message)}`,
    `    ${paint("dim", `if you resume as is: ${oneLine(ignored)}`)}`,
  ];
}

/** Undefined: it is open. */
function decisionText(
  { kind }: Finding,
  { acceptChanges, workflowFile }: ResumeAnswers,
): string | undefined {
  if (kind === "workflow_changed" || kind === "workflow_missing") {
    return workflowFile && `using the ${workflowFile} version`;
  }
  return acceptChanges === true ? "accepted" : undefined;
}

function insteadLines({ instead }: ResumeDescription, paint: Paint): string[] {
  if (instead === null) return [];
  const nodes = nodeLines(instead.nodes, paint);
  const there = `  the last valid checkpoint is ${instead.checkpoint_id}`;
  return nodes.length === 0 ? [there] : [`${there}; from there:`, ...nodes];
}
