/** Checkpoints as a table on a terminal, and as lines with tabs in a pipe. */
import { shortBranch } from "../../domain/branch-name.ts";
import { isPlain } from "../../domain/checkpoint.ts";
import type { CheckpointGlance } from "../../domain/checkpoint-glance.ts";
import type { Listed } from "../../operations/list-checkpoints.ts";
import type { CheckedOut } from "../../ports/branches.ts";
import type { DiffSummary } from "../../ports/differ.ts";
import type { Paint, Style } from "./style.ts";
import { oneLine } from "./printable.ts";
import { tableLines, type Column } from "./table.ts";
import { counted, exactTime, relativeTime } from "./units.ts";

export interface Row<Document extends CheckpointGlance = CheckpointGlance> {
  readonly listed: Listed<Document>;
  /** From now, with `--stat`. */
  readonly summary: DiffSummary | undefined;
}

interface Look {
  readonly columns: number;
  readonly paint: Paint;
  readonly now: Date;
  /** Of every session: then each is named. */
  readonly isAll?: boolean;
}

const LEAST_ABOUT = 12;

export function checkpointTable(rows: readonly Row[], look: Look): string[] {
  return tableLines(columnsFor(look), rows, look.columns, look.paint);
}

function columnsFor({ now, isAll }: Look): Column<Row>[] {
  const of =
    (pick: (document: CheckpointGlance) => string) =>
    ({ listed }: Row): string =>
      listed.kind === "ok" ? pick(listed.document) : "";
  return [
    { title: "", cell: ({ listed }) => markOf(listed) || " ", style: markStyle },
    { title: "ID", cell: ({ listed }) => listed.id, style: idStyle },
    {
      title: "SESSION",
      cell: of(({ session_id }) => (isAll === true ? session_id : "")),
      giveWay: 5,
      cutTo: 12,
    },
    { title: "STEP", cell: of(({ step }) => String(step ?? "")), alignRight: true, giveWay: 6 },
    { title: "PHASE", cell: of(({ phase }) => phase ?? ""), giveWay: 7, cutTo: 8 },
    { title: "TRIGGER", cell: of(({ trigger }) => trigger), giveWay: 4 },
    { title: "TASK", cell: of(({ task_id }) => task_id ?? ""), giveWay: 5, cutTo: 8 },
    { title: "TAKEN", cell: of(({ created_at }) => relativeTime(created_at, now)), giveWay: 1 },
    { title: "AT", cell: of(({ created_at }) => exactTime(created_at)), giveWay: 9 },
    { title: "COMMIT", cell: of(commitOf), giveWay: 8, style: () => "yellow" },
    { title: "WORK", cell: of(workOf), giveWay: 3 },
    { title: "FROM NOW", cell: ({ summary }) => summaryText(summary) },
    { title: "ABOUT", cell: ({ listed }) => aboutOf(listed), giveWay: 2, cutTo: LEAST_ABOUT },
  ];
}

/** Tabs between full values, exact times: for `cut`, `awk` and the like. */
export function checkpointLines(rows: readonly Row[], isAll: boolean): string[] {
  return rows.map(({ listed, summary }) => {
    if (listed.kind !== "ok") return [listed.id, markOf(listed), aboutOf(listed)].join("\t");
    const { document } = listed;
    return [
      document.id,
      markOf(listed),
      document.step ?? "",
      document.phase ?? "",
      document.trigger,
      document.task_id ?? "",
      document.created_at,
      document.git.commit ?? "",
      workOf(document),
      ...(isAll ? [document.session_id] : []),
      ...(summary === undefined ? [] : [summaryText(summary)]),
      aboutOf(listed),
    ]
      .map((value) => oneLine(String(value)))
      .join("\t");
  });
}

function markOf(listed: Listed<CheckpointGlance>): string {
  if (listed.kind === "damaged") return "!";
  if (listed.kind === "newer") return "?";
  if (listed.damage !== undefined) return "!";
  const standing = listed.isCurrent ? "*" : listed.standing.valid ? "" : "x";
  return standing + (listed.expired ? "e" : "") + (listed.pinned ? "^" : "");
}

function markStyle({ listed }: Row): Style | undefined {
  switch (markOf(listed)[0]) {
    case "*":
      return "green";
    case "!":
      return "red";
    case "x":
      return "dim";
    case undefined:
      return undefined;
    default:
      return "yellow";
  }
}

function idStyle({ listed }: Row): Style | undefined {
  if (listed.kind === "damaged" || (listed.kind === "ok" && listed.damage !== undefined)) {
    return "red";
  }
  if (listed.kind === "newer") return "yellow";
  return listed.isCurrent ? "bold" : listed.standing.valid ? undefined : "dim";
}

export function aboutOf(listed: Listed<CheckpointGlance>): string {
  if (listed.kind === "damaged") return `damaged: ${listed.problem}`;
  if (listed.kind === "newer") return `written by a newer Waymark (format ${listed.version})`;
  if (listed.damage !== undefined) return `damaged: ${listed.damage.problems[0] ?? ""}`;
  const { reason, description, name } = listed.document;
  const about = reason ?? description ?? name ?? "";
  const scope = listed.document.scope?.files?.join(", ");
  const text = scope === undefined ? about : `${about} (only ${scope})`.trimStart();
  const marks = [
    ...(listed.standing.valid ? [] : ["(invalid)"]),
    ...(listed.expired ? ["(expired)"] : []),
  ];
  return [...marks, text].join(" ").trimEnd();
}

export function commitOf(document: CheckpointGlance): string {
  return document.git.commit?.slice(0, 8) ?? "none yet";
}

/** Whether work was uncommitted, and how much. */
export function workOf(document: CheckpointGlance): string {
  const { staged, unstaged, untracked, deleted, conflicted } = document.git.stats;
  const count = staged + unstaged + untracked + deleted + conflicted;
  if (isPlain(document.git)) return counted(document.coverage.files, "file");
  const operation = document.git.operation === "none" ? "" : ` ${document.git.operation}`;
  return (count === 0 ? "clean" : `${count} uncommitted`) + operation;
}

function summaryText(summary: DiffSummary | undefined): string {
  if (summary === undefined) return "";
  if (summary.files === 0) return "same files";
  return `${summary.files} files +${summary.added} -${summary.removed}`;
}

export function placeLine(sessionId: string, place: CheckedOut, count: number): string {
  return `session ${sessionId}, ${placeText(place)}, ${count} checkpoint${count === 1 ? "" : "s"}`;
}

function placeText(place: CheckedOut): string {
  switch (place.kind) {
    case "branch":
      return `branch ${shortBranch(place.name)}`;
    case "detached":
      return "detached HEAD";
    case "no_git":
      return "plain folder";
  }
}
