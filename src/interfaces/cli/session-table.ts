/** Sessions as a table for people, and as lines for programs that read text. */
import type { SessionSummary } from "../../operations/session-summary.ts";
import { oneLine } from "./printable.ts";
import type { Paint, Style } from "./style.ts";
import { tableLines, type Column } from "./table.ts";
import { relativeTime } from "./units.ts";
import { leftOut } from "./left-out.ts";

interface TableOptions {
  readonly columns: number;
  readonly paint: Paint;
  readonly now: Date;
}

export const STATUS_STYLES: Readonly<Record<string, Style>> = {
  active: "green",
  paused: "yellow",
  interrupted: "yellow",
  failed: "red",
  abandoned: "dim",
  completed: "dim",
};

export function sessionTable(
  sessions: readonly SessionSummary[],
  { columns: room, paint, now }: TableOptions,
): string[] {
  if (sessions.length === 0) return [];
  const columns: Column<SessionSummary>[] = [
    { title: "", cell: ({ current }) => (current ? "*" : " "), style: () => "green" },
    {
      title: "SESSION",
      cell: ({ id }) => id,
      style: ({ current }) => (current ? "bold" : undefined),
    },
    { title: "TYPE", cell: ({ workflow_type }) => workflow_type ?? "", giveWay: 4, cutTo: 8 },
    { title: "STATUS", cell: statusText, style: ({ status }) => STATUS_STYLES[status] },
    { title: "PHASE", cell: phaseText, giveWay: 2, cutTo: 8 },
    { title: "ACTIVE", cell: ({ last_activity_at: at }) => relativeTime(at, now), giveWay: 1 },
    {
      title: "CHECKPOINTS",
      cell: ({ checkpoint_count }) => String(checkpoint_count),
      alignRight: true,
      giveWay: 5,
    },
    { title: "RUN BY", cell: runnerText, giveWay: 3, cutTo: 10 },
    { title: "ABOUT", cell: aboutText, giveWay: 6, cutTo: 12 },
  ];
  return tableLines(columns, sessions, room, paint);
}

/** One line for each, fields separated by tabs. */
export function sessionLines(sessions: readonly SessionSummary[]): string[] {
  return sessions.map((session) =>
    [
      session.id,
      session.workflow_type ?? "",
      session.status,
      phaseText(session),
      session.last_activity_at,
      String(session.checkpoint_count),
      runnerText(session),
      aboutText(session),
    ]
      .map(oneLine)
      .join("\t"),
  );
}

function statusText({ status, archived_at }: SessionSummary): string {
  return archived_at === null ? status : `${status}, archived`;
}

/** `implement 2/5` */
export function phaseText(session: SessionSummary): string {
  const { current_phase, current_step, total_phases, completed_phases } = session;
  const name = current_phase ?? (current_step === null ? "" : `step ${current_step}`);
  const done =
    total_phases === 0 ? "" : `${completed_phases}/${total_phases}${leftOut(session.progress)}`;
  return [name, done].filter((part) => part !== "").join(" ");
}

export function runnerText({ lease }: SessionSummary): string {
  const { holder, alive } = lease;
  if (holder === null) return "";
  const who = `${holder.user ?? "?"}@${holder.host} (${holder.pid})`;
  return alive === true ? who : alive === null ? `${who}?` : `${who}, not running`;
}

function aboutText({ description, topic, implicit }: SessionSummary): string {
  return description ?? topic ?? (implicit ? "checkpoints outside a session" : "");
}
