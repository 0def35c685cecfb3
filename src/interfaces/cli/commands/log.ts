/** `waymark log` */
import type { JournalEntry } from "../../../domain/journal.ts";
import { readJournal } from "../../../operations/read-journal.ts";
import type { Context } from "../command-spec.ts";
import type { Output } from "../output.ts";
import type { Style } from "../style.ts";
import { oneLine } from "../printable.ts";
import { tableLines, type Column } from "../table.ts";
import { exactTime, relativeTime } from "../units.ts";

interface Options {
  all?: boolean;
  limit?: number;
}

export async function run(context: Context): Promise<void> {
  const { output, sessionId } = context;
  const options: Options = context.options;
  const project = await context.openProject();
  const { entries, ...journal } = await readJournal(project, {
    ...options,
    ...(sessionId === undefined ? {} : { sessionId }),
  });
  output.result(
    "journal",
    { session_id: journal.sessionId, entries },
    process.stdout.isTTY ? table(entries, output, project.clock.now()) : entries.map(tabbed),
  );
  if (entries.length === 0) output.say("nothing was done yet: `waymark create` begins");
}

const STYLES: Partial<Record<JournalEntry["kind"], Style>> = {
  create: "green",
  rollback: "yellow",
  undo: "cyan",
  redo: "cyan",
  delete: "red",
  cleanup: "red",
  damage_found: "red",
};

function table(entries: readonly JournalEntry[], output: Output, now: Date): string[] {
  if (entries.length === 0) return [];
  const isWide = output.columns >= 120;
  const columns: Column<JournalEntry>[] = [
    { title: "WHEN", cell: ({ at }) => (isWide ? exactTime(at) : relativeTime(at, now)) },
    { title: "WHO", cell: who, giveWay: 2, cutTo: 8 },
    { title: "WHAT", cell: ({ kind }) => kind, style: ({ kind }) => STYLES[kind] },
    { title: "CHECKPOINT", cell: which },
    { title: "WHY", cell: ({ reason }) => reason ?? "", giveWay: 1, cutTo: 10 },
  ];
  return tableLines(columns, entries, output.columns, output.paint);
}

function tabbed(entry: JournalEntry): string {
  return [
    entry.at,
    who(entry),
    entry.kind,
    entry.checkpoint_ids.join(","),
    oneLine(entry.reason ?? ""),
  ].join("\t");
}

function who({ by, agent }: JournalEntry): string {
  return agent === null ? (by ?? "?") : `${by ?? "?"} (${agent})`;
}

function which({ checkpoint_ids: ids }: JournalEntry): string {
  return ids.length > 1 ? `${ids[0] ?? ""} and ${ids.length - 1} more` : (ids[0] ?? "");
}
