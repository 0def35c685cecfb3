/** One checkpoint as a page for people. */
import { shortened } from "../../domain/byte-path.ts";
import { shortBranch } from "../../domain/branch-name.ts";
import {
  isExpired,
  isPlain,
  type CheckpointDocument,
  type Coverage,
} from "../../domain/checkpoint.ts";
import { titleOf } from "../../domain/checkpoint-glance.ts";
import type { ShortIds } from "../../domain/short-id.ts";
import { secretText } from "../../domain/secrets/secret-text.ts";
import type { DamageRecord, PinRecord } from "../../domain/session.ts";
import { isRecord } from "../../domain/is-record.ts";
import { isWorkflowLabel } from "../../domain/task.ts";
import type { Standing } from "../../domain/lineage.ts";
import type { PartDescription } from "../../ports/part-keeper.ts";
import { firstLines } from "./first-lines.ts";
import { exclusionText } from "./exclusion-text.ts";
import { ID_STYLE, type Paint } from "./style.ts";
import { oneLine, printable } from "./printable.ts";
import { clockTime, counted, exactTime, humanBytes, relativeTime } from "./units.ts";
import { TRIGGER_WORDS } from "../../domain/trigger-words.ts";

export interface PageOptions {
  readonly paint: Paint;
  readonly now: Date;
  /** Undefined: whole ids. */
  readonly short: ShortIds | undefined;
  /** The project is there. */
  readonly isCurrent: boolean;
  /** When a rollback went back behind it. */
  readonly rolledPastAt: string | undefined;
  /** Undefined: it is not pinned. */
  readonly pin: PinRecord | undefined;
  /** Undefined: nothing was found wrong with it so far. */
  readonly damage: DamageRecord | undefined;
  readonly parts: readonly PartDescription[];
  readonly workflow: Readonly<Record<string, unknown>> | null;
  readonly outputs: Readonly<Record<string, unknown>> | null;
  /** How git finds its refs in the root of the project. */
  readonly git: string;
  /** What git calls the tree of all files. */
  readonly files: string;
}

const LABEL_WIDTH = 11;

export function checkpointPage(
  document: CheckpointDocument,
  standing: Standing,
  options: PageOptions,
): string[] {
  const { paint, now, git } = options;
  const line = (label: string, text: string): string =>
    `  ${paint("dim", label.padEnd(LABEL_WIDTH))} ${text}`;
  const given = (label: string, value: string | number | null): string[] =>
    value === null ? [] : [line(label, oneLine(String(value)))];
  const brief = (id: string): string => options.short?.of(id) ?? id;
  return [
    ...(options.short === undefined
      ? [paint("bold", document.id)]
      : [
          `${paint(ID_STYLE, options.short.of(document.id))}  ${paint("bold", oneLine(titleOf(document)))}`,
          line("id", document.id),
        ]),
    ...(options.short === undefined ? given("reason", document.reason) : []),
    ...given("about", document.description),
    line(
      "created",
      `${exactTime(document.created_at)} (${relativeTime(document.created_at, now)})`,
    ),
    line("by", whoTook(document)),
    line("trigger", TRIGGER_WORDS[document.trigger]),
    ...given("scope", document.scope?.files?.join(", ") ?? null),
    // 80 columns are enough for it without its prefix.
    line("checksum", document.checksum.replace("sha256:", "")),
    line("session", `${oneLine(document.session_id)} (checkpoint ${document.seq})`),
    line("status", statusText(document, standing, options)),
    ...given("pinned", options.pin === undefined ? null : whoPinned(options.pin, now)),
    ...section(paint, "Workflow", [
      ...given("step", document.step),
      ...given("phase", document.phase),
      ...given("previous", document.previous_phase),
      ...given("state", document.workflow_state),
      ...given("task", taskText(document)),
      ...given("issue", document.issue_number),
      ...given("iteration", iterationOf(options)),
      ...given("phases", phasesText(options)),
    ]),
    ...section(paint, "Metrics", metricLines(document.metrics)),
    ...section(paint, "Outputs", outputLines(options)),
    ...section(paint, "Git", gitLines(document, line)),
    ...section(
      paint,
      `Files since ${document.previous_id === null ? "the beginning" : brief(document.previous_id)}`,
      fileLines(document, paint),
    ),
    ...section(paint, "Coverage", coverageLines(document, line, paint)),
    ...section(paint, "Other parts", partLines(options)),
    "",
    `${paint("dim", "roll back with:")} waymark rollback ${brief(document.id)}`,
    // On lines of their own, so that 80 columns are enough for each.
    paint("dim", `with plain git (${git.replace(/^git /, "")}):`),
    `  git ls-tree -r ${options.files}`,
  ];
}

function iterationOf({ workflow }: PageOptions): number | null {
  const { iteration, phase, step } = workflow ?? {};
  const isAtStep = typeof phase === "string" || typeof step === "number";
  return typeof iteration === "number" && (isAtStep || iteration > 0) ? iteration : null;
}

function phasesText({ workflow }: PageOptions): string | null {
  const phases = workflow?.["phases"];
  const all = isRecord(phases) ? Object.entries(phases) : [];
  return all.length === 0
    ? null
    : all.map(([name, status]) => `${name} ${String(status)}`).join(", ");
}

/** `spec: yes (docs/spec.md)`, `code_files: 2 (a.ts, b.ts)` */
function outputLines({ outputs }: PageOptions): string[] {
  return Object.entries(outputs ?? {}).map(
    ([name, value]) => `  ${oneLine(name)}: ${oneLine(outputText(value))}`,
  );
}

const MAX_OUTPUT_TEXT = 60;

function outputText(value: unknown): string {
  if (value === null || value === "" || value === false) return "no";
  if (Array.isArray(value)) {
    const names = value.map(String).join(", ");
    const list = names === "" || names.length > MAX_OUTPUT_TEXT ? "" : ` (${names})`;
    return `${value.length}${list}`;
  }
  if (typeof value === "number") return String(value);
  const text = typeof value === "string" ? value.trim() : "";
  if (text === "") return "yes";
  const lines = text.split("\n").length;
  return lines > 1 ? `yes (${counted(lines, "line")})` : `yes (${text})`;
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
    ...firstLines(
      commands.map((command) => `      ${commandLine(command)}`),
      MOST_COMMANDS,
      { indent: "      ", hint: ": show --json has them" },
    ).map((line) => paint("dim", line)),
  ]);
}

function byHandLine(commands: readonly string[], prerequisites: readonly string[]): string[] {
  const needed = prerequisites.map(oneLine).join("; ");
  if (needed === "") return commands.length === 0 ? [] : ["restore manually:"];
  return [commands.length === 0 ? `restore manually: ${needed}` : `restore manually (${needed}):`];
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

function statusText(
  document: CheckpointDocument,
  standing: Standing,
  options: PageOptions,
): string {
  const { paint, now, damage, isCurrent, rolledPastAt } = options;
  if (damage !== undefined) {
    const found = `damaged (found ${relativeTime(damage.at, now)})`;
    return paint("red", `${found}: ${oneLine(damage.problems[0] ?? "")}`);
  }
  if (isExpired(document, now)) {
    return paint("yellow", `expired ${relativeTime(document.expires_at ?? "", now)}`);
  }
  const until =
    document.expires_at === null ? "" : `, expires ${relativeTime(document.expires_at, now)}`;
  if (standing.valid) return `${paint("green", isCurrent ? "valid, latest" : "valid")}${until}`;
  if (document.worked_out === true) {
    return paint("yellow", "computed for a rollback that never ran");
  }
  const at = rolledPastAt === undefined ? "" : ` at ${clockTime(rolledPastAt, now)}`;
  return paint("yellow", `rolled past by the rollback${at}`) + until;
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
  const kinds = [
    [files.created.length, "created"],
    [files.modified.length, "modified"],
    [files.deleted.length, "deleted"],
  ] as const;
  const counts = kinds.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return [
    ...(counts.length === 0 ? [] : [`  ${counts.join(", ")}:`]),
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
  // Waymark's own files are of no interest here, as in what `create` prints.
  const shown = coverage.excluded.filter(({ reason }) => reason !== "own_files");
  const total = coverage.excluded_total - (coverage.excluded.length - shown.length);
  const kept = [
    ...(coverage.included_secrets ?? []).map((path) =>
      paint(
        "yellow",
        `    ${path} (captured although it looks like a secret, because --include-secrets named it)`,
      ),
    ),
    ...withheldLines(coverage).map((text) => paint("dim", `    ${text}`)),
  ];
  return [
    line("contains", `${counted(coverage.files, "file")} (${humanBytes(coverage.bytes)})`),
    ...coverage.unstable.map((path) =>
      paint("yellow", `    ${path} (changed while it was read: its content may be mixed)`),
    ),
    ...(kept.length === 0
      ? []
      : [line("local", "contained, but never leaves this machine:"), ...kept]),
    line("excluded", total === 0 ? "nothing" : `${counted(total, "path")}:`),
    ...shown.map((exclusion) =>
      paint("dim", `    ${shortened(exclusion.path)} (${exclusionText(exclusion)})`),
    ),
    ...(total > shown.length ? [`    … and ${total - shown.length} more`] : []),
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
