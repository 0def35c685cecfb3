/** `waymark log` */
import { isCancelled, isPaused, type JournalEntry } from "../../../domain/journal.ts";
import type { TriggerFilter } from "../../../domain/trigger-filter.ts";
import { isRecord } from "../../../domain/is-record.ts";
import { readJournal } from "../../../operations/read-journal.ts";
import type { Context } from "../command-spec.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import type { Output } from "../output.ts";
import type { Style } from "../style.ts";
import { withoutTime } from "../checkpoint-table.ts";
import { oneLine } from "../printable.ts";
import { printedTable, type Column } from "../table.ts";
import { exactTime, shortAge } from "../units.ts";

interface Options {
  all?: boolean;
  failed?: boolean;
  since?: string;
  task?: string;
  phase?: string;
  trigger?: TriggerFilter;
  agent?: string;
  limit?: number;
}

export async function run(context: Context): Promise<void> {
  const { output, sessionId } = context;
  const { task, ...options }: Options = context.options;
  const project = await context.openProject();
  const { entries, ...journal } = await readJournal(project, {
    ...options,
    ...(task === undefined ? {} : { taskId: task }),
    ...(sessionId === undefined ? {} : { sessionId }),
  });
  output.result(
    "journal",
    { session_id: journal.sessionId, entries },
    process.stdout.isTTY
      ? table(entries, output, { now: project.clock.now(), isAll: options.all === true })
      : entries.map((entry) => tabbed(entry, options.all === true)),
  );
  if (entries.length > 0) return;
  const { failed, since, phase, trigger, agent } = options;
  const isFiltered =
    failed === true || [since, task, phase, trigger, agent].some((value) => value !== undefined);
  output.say(
    isFiltered
      ? "no entry matches"
      : "no entries yet: `waymark create` creates the first checkpoint",
  );
}

const STYLES: Readonly<Record<string, Style>> = {
  create: "green",
  rollback: "yellow",
  undo: "cyan",
  redo: "cyan",
  delete: "red",
  cleanup: "red",
  damage_found: "red",
};

interface Look {
  readonly now: Date;
  /** Of every work tree: then each session is named. */
  readonly isAll: boolean;
}

function table(entries: readonly JournalEntry[], output: Output, { now, isAll }: Look): string[] {
  if (entries.length === 0) return [];
  const hasSeveral = new Set(entries.map(({ session_id }) => session_id)).size > 1;
  const isOne = new Set(entries.map(who)).size === 1;
  const isWide = output.columns >= 120;
  const columns: Column<JournalEntry>[] = [
    { title: "AGE", cell: ({ at }) => shortAge(at, now), alignRight: true },
    { title: "AT", cell: ({ at }) => (isWide ? exactTime(at) : "") },
    { title: "WHO", cell: isOne ? () => "" : who, giveWay: 2, cutTo: 8 },
    {
      title: "SESSION",
      cell: ({ session_id }) => (isAll ? session_id : hasSeveral ? withoutTime(session_id) : ""),
      giveWay: 3,
      cutTo: 12,
    },
    { title: "WHAT", cell: what, style: styleOf },
    { title: "CHECKPOINT", cell: which },
    { title: "WHY", cell: (entry) => why(entry), cutTo: 24 },
  ];
  return printedTable(output, columns, entries);
}

function tabbed(entry: JournalEntry, isAll: boolean): string {
  return [
    entry.at,
    who(entry),
    ...(isAll ? [entry.session_id] : []),
    what(entry),
    entry.checkpoint_ids.join(","),
    why(entry, { withCode: true }),
  ]
    .map(oneLine)
    .join("\t");
}

function what(entry: JournalEntry): string {
  const { kind, ok, details } = entry;
  if (!ok) {
    const { command } = details;
    return `${typeof command === "string" ? command : kind} ${endOf(entry)}`;
  }
  const { selective } = details;
  if (isRecord(selective)) return `${kind} of ${String(selective["session"])}`;
  return kind === "session" ? `session ${deed(details)}` : kind;
}

/** How what did not succeed ended: what was refused changed nothing. */
function endOf(entry: JournalEntry): string {
  if (isCancelled(entry)) return "cancelled";
  if (isPaused(entry)) return "paused";
  if (entry.error?.code === "session_interrupted") return "interrupted";
  const codes: Readonly<Record<string, number>> = EXIT_CODES;
  const exitCode = codes[entry.error?.code ?? ""] ?? EXIT_CODES.io_failed;
  if (exitCode === EXIT_CODES.interrupted) return "interrupted";
  return exitCode === EXIT_CODES.io_failed ? "failed" : "refused";
}

function styleOf(entry: JournalEntry): Style | undefined {
  if (isCancelled(entry)) return "dim";
  if (isPaused(entry)) return "yellow";
  return entry.ok ? STYLES[entry.kind] : "red";
}

/** What was done to the session itself. */
function deed({ became, saved, requested }: JournalEntry["details"]): string {
  if (typeof became === "string") return became;
  if (typeof requested === "string") return `asked: ${requested}`;
  return Array.isArray(saved) ? "saved" : "";
}

/** People read what was wrong, and scripts the code, too. */
function why(entry: JournalEntry, { withCode = false } = {}): string {
  const { reason, error } = entry;
  if (error === null || isCancelled(entry)) return reason ?? "";
  return withCode ? `${error.code}: ${error.message}` : error.message;
}

function who({ by, agent }: JournalEntry): string {
  return agent === null ? (by ?? "?") : `${by ?? "?"} (${agent})`;
}

function which({ checkpoint_ids: ids }: JournalEntry): string {
  return ids.length > 1 ? `${ids[0] ?? ""} and ${ids.length - 1} more` : (ids[0] ?? "");
}
