/** One checkpoint as a page for people. */
import { shortened } from "../../domain/byte-path.ts";
import { shortBranch } from "../../domain/branch-name.ts";
import {
  isExpired,
  isPlain,
  type CheckpointDocument,
  type Coverage,
} from "../../domain/checkpoint.ts";
import { secretText } from "../../domain/secrets/secret-text.ts";
import type { DamageRecord, PinRecord } from "../../domain/session.ts";
import { isWorkflowLabel } from "../../domain/task.ts";
import type { Standing } from "../../domain/lineage.ts";
import type { PartDescription } from "../../ports/part-keeper.ts";
import { exclusionText } from "./exclusion-text.ts";
import type { Paint } from "./style.ts";
import { oneLine, printable } from "./printable.ts";
import { counted, exactTime, humanBytes, relativeTime } from "./units.ts";

export interface PageOptions {
  readonly paint: Paint;
  readonly now: Date;
  /** Undefined: it is not pinned. */
  readonly pin: PinRecord | undefined;
  /** Undefined: nothing was found wrong with it so far. */
  readonly damage: DamageRecord | undefined;
  readonly parts: readonly PartDescription[];
  /** Where its refs are: the private repository of a plain folder has to be named to git. */
  readonly isInPrivate: boolean;
}

const LABEL_WIDTH = 11;

export function checkpointPage(
  document: CheckpointDocument,
  standing: Standing,
  options: PageOptions,
): string[] {
  const { paint, now } = options;
  const git = options.isInPrivate ? "git --git-dir=.checkpoints/repo.git" : "git";
  const line = (label: string, text: string): string =>
    `  ${paint("dim", label.padEnd(LABEL_WIDTH))} ${text}`;
  const given = (label: string, value: string | number | null): string[] =>
    value === null ? [] : [line(label, oneLine(String(value)))];
  return [
    paint("bold", document.id),
    ...given("reason", document.reason),
    ...given("about", document.description),
    line("taken", `${exactTime(document.created_at)} (${relativeTime(document.created_at, now)})`),
    line("by", whoTook(document)),
    line("trigger", document.trigger),
    ...given("scope", document.scope?.files?.join(", ") ?? null),
    line("session", `${oneLine(document.session_id)}, number ${document.seq}`),
    line("valid", validity(document, standing, options)),
    ...given("pinned", options.pin === undefined ? null : whoPinned(options.pin, now)),
    ...section(paint, "Workflow", [
      ...given("step", document.step),
      ...given("phase", document.phase),
      ...given("after", document.previous_phase),
      ...given("state", document.workflow_state),
      ...given("task", taskText(document)),
      ...given("issue", document.issue_number),
    ]),
    ...section(paint, "Metrics", metricLines(document.metrics)),
    ...section(paint, "Git", gitLines(document, line)),
    ...section(
      paint,
      `Files since ${document.previous_id ?? "nothing"}`,
      fileLines(document, paint),
    ),
    ...section(paint, "Coverage", coverageLines(document, line, paint)),
    ...section(paint, "Beside the work tree", partLines(options)),
    "",
    `${paint("dim", "roll back with:")} waymark rollback ${document.id}`,
    `${paint("dim", "by plain git:  ")} ${git} ls-tree -r refs/waymark/cp/${document.id}:worktree`,
  ];
}

function taskText({ task, task_id }: CheckpointDocument): string | null {
  if (task === undefined) return task_id;
  const labels = task.labels.filter(isWorkflowLabel);
  return `${task.id}: ${[task.status ?? "no status", ...labels, `in ${task.folder}`].join(", ")}`;
}

const MOST_COMMANDS = 5;

/** What they hold, and how to bring it back by hand. */
function partLines({ parts, paint }: PageOptions): string[] {
  return parts.flatMap(({ summary, commands, prerequisites }) => [
    `  ${oneLine(summary)}`,
    ...byHandLine(commands, prerequisites).map((line) => paint("dim", `    ${line}`)),
    ...commands
      .slice(0, MOST_COMMANDS)
      .map((command) => paint("dim", `      ${commandLine(command)}`)),
    ...(commands.length > MOST_COMMANDS
      ? [paint("dim", `      … and ${commands.length - MOST_COMMANDS} more: show --json has them`)]
      : []),
  ]);
}

function byHandLine(commands: readonly string[], prerequisites: readonly string[]): string[] {
  const needed = prerequisites.map(oneLine).join("; ");
  if (needed === "") return commands.length === 0 ? [] : ["by hand:"];
  return [commands.length === 0 ? `by hand: ${needed}` : `by hand (${needed}):`];
}

/** It is there to be run, so every space of it counts. */
function commandLine(command: string): string {
  const shown = printable(command);
  return shown === command && !command.includes("\n")
    ? command
    : "a name in it cannot be shown: show --json has the command";
}

function section(paint: Paint, title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", paint("bold", title), ...lines];
}

function whoTook({ created_by: by }: CheckpointDocument): string {
  const agent =
    by.agent === null
      ? ""
      : `, agent ${by.agent}${by.agent_session_id === null ? "" : ` (${by.agent_session_id})`}`;
  return oneLine(`${by.user ?? "?"} on ${by.host}${agent}`);
}

function whoPinned({ at, by, reason }: PinRecord, now: Date): string {
  return `${relativeTime(at, now)} by ${by ?? "?"}${reason === null ? "" : `: ${reason}`}`;
}

function validity(document: CheckpointDocument, standing: Standing, options: PageOptions): string {
  const { paint, now, damage } = options;
  if (damage !== undefined) {
    const found = `damaged, as was found ${relativeTime(damage.at, now)}`;
    return paint("red", `no: ${found}: ${oneLine(damage.problems[0] ?? "")}`);
  }
  if (isExpired(document, now)) {
    return paint("yellow", `expired ${relativeTime(document.expires_at ?? "", now)}`);
  }
  const until =
    document.expires_at === null ? "" : `, expires ${relativeTime(document.expires_at, now)}`;
  if (standing.valid) return `${paint("green", "yes")}${until}`;
  const by = standing.invalidated_by === null ? "" : ` (${standing.invalidated_by})`;
  return paint("yellow", `no: a rollback went back behind it${by}`) + until;
}

function metricLines(metrics: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(metrics).map(
    ([name, value]) =>
      `  ${oneLine(name)}: ${oneLine(typeof value === "string" ? value : JSON.stringify(value))}`,
  );
}

function gitLines(
  { git }: CheckpointDocument,
  line: (label: string, text: string) => string,
): string[] {
  const { stats } = git;
  const ahead =
    git.ahead_of_upstream === null || git.ahead_of_upstream === 0
      ? ""
      : `, ${counted(git.ahead_of_upstream, "commit")} not pushed`;
  const work = [
    [stats.staged, "staged"],
    [stats.unstaged, "modified"],
    [stats.untracked, "untracked"],
    [stats.deleted, "deleted"],
    [stats.conflicted, "conflicted"],
  ] as const;
  const uncommitted = work
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count} ${what}`);
  if (isPlain(git)) return [line("branch", "none (a plain folder)")];
  return [
    line(
      "branch",
      git.branch === null ? "none (detached HEAD)" : oneLine(shortBranch(git.branch)) + ahead,
    ),
    line("commit", git.unborn ? "none yet" : (git.commit ?? "")),
    line("uncommitted", uncommitted.length === 0 ? "nothing" : uncommitted.join(", ")),
    ...(git.operation === "none" ? [] : [line("in progress", git.operation)]),
  ];
}

function fileLines({ files }: CheckpointDocument, paint: Paint): string[] {
  const listed = files.created.length + files.modified.length + files.deleted.length;
  return [
    ...files.created.map((path) => paint("green", `  + ${path}`)),
    ...files.modified.map((path) => paint("yellow", `  ~ ${path}`)),
    ...files.deleted.map((path) => paint("red", `  - ${path}`)),
    ...(files.total > listed ? [`  … and ${files.total - listed} more`] : []),
  ];
}

function coverageLines(
  { coverage }: CheckpointDocument,
  line: (label: string, text: string) => string,
  paint: Paint,
): string[] {
  const shown = coverage.excluded;
  const kept = [
    ...(coverage.included_secrets ?? []).map((path) =>
      paint("yellow", `    ${path} (held although it looks like a secret: it was named)`),
    ),
    ...withheldLines(coverage).map((text) => paint("dim", `    ${text}`)),
  ];
  return [
    line("holds", `${counted(coverage.files, "file")}, ${humanBytes(coverage.bytes)} read for it`),
    ...coverage.unstable.map((path) =>
      paint("yellow", `    ${path} (changed while it was read: may be a mixture)`),
    ),
    ...(kept.length === 0 ? [] : [line("held", "and kept on this machine:"), ...kept]),
    line(
      "does not",
      coverage.excluded_total === 0 ? "leave anything out" : `hold ${coverage.excluded_total}:`,
    ),
    ...shown.map((exclusion) =>
      paint("dim", `    ${shortened(exclusion.path)} (${exclusionText(exclusion)})`),
    ),
    ...(coverage.excluded_total > shown.length
      ? [`    … and ${coverage.excluded_total - shown.length} more`]
      : []),
  ];
}

/** What is held and does not leave this machine. */
function withheldLines({
  withheld = [],
  withheld_total = 0,
  included_secrets,
}: Coverage): string[] {
  const named = new Set(included_secrets);
  return [
    ...withheld
      .filter(({ path }) => !named.has(path))
      .map((file) => `${file.path} (${secretText(file)})`),
    ...(withheld_total > withheld.length ? [`… and ${withheld_total - withheld.length} more`] : []),
  ];
}
