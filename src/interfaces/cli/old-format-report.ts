/** What `waymark import --from` says: a line for each session, and a table of what could not be carried. */
import { progressCount } from "../../domain/workflow/progress.ts";
import type { OldFormat } from "../../domain/old-formats/old-formats.ts";
import type { NotCarried } from "../../domain/old-formats/old-session.ts";
import type { BroughtIn, SessionStanding } from "../../operations/bring-in-session.ts";
import type { OldFormatImport } from "../../operations/import-old-format.ts";
import type { Output } from "./output.ts";
import { oneLine } from "./printable.ts";
import { tableLines, type Column } from "./table.ts";
import { counted } from "./units.ts";

interface Report {
  readonly format: OldFormat;
  readonly dryRun: boolean;
  readonly result: OldFormatImport;
}

/** The exit code: a source of which nothing can be used is an invalid one. */
export function reportOldFormat(output: Output, report: Report): number {
  const { dryRun, result } = report;
  output.result("old_format_import", document(report), lines(output, report));
  if (!dryRun && result.sessions.some(({ checkpoints }) => checkpoints.length > 0)) {
    output.say("`waymark list --session ID` shows the checkpoints of one of them");
  }
  return result.sessions.length === 0 ? 4 : 0;
}

function document({ format, dryRun, result }: Report): Record<string, unknown> {
  return {
    dry_run: dryRun,
    from: format,
    path: result.path,
    sessions: result.sessions.map(({ id, old, standing, checkpoints }) => ({
      id,
      old_id: old.id,
      result: standing,
      status: old.status,
      workflow_type: old.workflowType,
      project_name: old.projectName,
      task_id: old.taskId,
      issue_number: old.issueNumber,
      records: old.records.length,
      progress: progressCount(old.workflow),
      checkpoints: checkpoints.map((made) => ({ id: made.id, record: made.record })),
    })),
    not_carried: result.notCarried,
  };
}

function lines(output: Output, { format, dryRun, result }: Report): string[] {
  const { sessions, notCarried } = result;
  const isNew = ({ standing }: BroughtIn): boolean => standing === "imported";
  const count = counted(sessions.filter(isNew).length, "session");
  const head = `${output.paint("green", dryRun ? "would import" : "imported")} ${count} of ${format} from ${oneLine(result.path)}`;
  return [
    head,
    ...sessions.map((session) => `  ${sessionLine(session, dryRun)}`),
    ...(notCarried.length === 0
      ? []
      : [
          "",
          "Not imported, or imported with changes:",
          ...tableLines(COLUMNS, notCarried, output.columns, output.paint),
        ]),
  ];
}

const WORDS: Readonly<Record<SessionStanding, string>> = {
  imported: "new",
  extended: "more",
  already_there: "had",
  kept: "kept",
};

function sessionLine({ id, old, standing, checkpoints }: BroughtIn, dryRun: boolean): string {
  const word = WORDS[standing].padEnd(5);
  if (standing === "already_there") return `${word} ${id}: already here`;
  if (standing === "kept")
    return `${word} ${id}: a different session with this id exists and was not changed`;
  const made = counted(checkpoints.length, "checkpoint");
  const of = old.records.length === 0 ? "" : ` of ${counted(old.records.length, "record")}`;
  const what = old.description ?? old.topic;
  const about = what === null ? "" : ` (${oneLine(what)})`;
  return `${word} ${id}: ${old.status}, ${dryRun ? "would create " : ""}${made}${of}${about}`;
}

const COLUMNS: readonly Column<NotCarried>[] = [
  { title: "SESSION", cell: ({ session }) => session ?? "", giveWay: 1, cutTo: 12 },
  { title: "RECORD", cell: ({ record, file }) => record ?? file ?? "", cutTo: 16 },
  { title: "WHAT", cell: ({ message }) => message, cutTo: 30 },
];
