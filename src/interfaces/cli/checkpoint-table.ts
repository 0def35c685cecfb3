/** Checkpoints as a table on a terminal, and as lines with tabs in a pipe. */
import stringWidth from "fast-string-width";
import { shortBranch } from "../../domain/branch-name.ts";
import { isPlain } from "../../domain/checkpoint.ts";
import { titleOf, type CheckpointGlance } from "../../domain/checkpoint-glance.ts";
import { implicitSessionId } from "../../domain/session.ts";
import type { CheckpointList, Listed } from "../../operations/list-checkpoints.ts";
import type { CheckedOut, OperationInProgress } from "../../ports/branches.ts";
import type { ShortIds } from "../../domain/short-id.ts";
import type { DiffSummary } from "../../ports/differ.ts";
import { ID_STYLE, type Paint, type Style } from "./style.ts";
import { oneLine } from "./printable.ts";
import { tableLines, type Column } from "./table.ts";
import { counted, exactTime, shortAge } from "./units.ts";
import { TRIGGER_WORDS } from "../../domain/trigger-words.ts";

export interface Row<Document extends CheckpointGlance = CheckpointGlance> {
  readonly listed: Listed<Document>;
  /** From now, with `--stat`. */
  readonly summary: DiffSummary | undefined;
  /** Since the one before it. */
  readonly change?: DiffSummary | undefined;
  /** Of the prompt that it stands for, with its own; undefined: it stands for itself. */
  readonly checkpoints?: number | undefined;
}

interface Look {
  readonly columns: number;
  readonly paint: Paint;
  readonly now: Date;
  /** Undefined: whole ids. */
  readonly short?: ShortIds | undefined;
  /** Everything about each of them. */
  readonly isLong?: boolean;
}

/** What a message needs to be of use: other columns give way before it is cut below that. */
const LEAST_MESSAGE = 28;

export function checkpointTable(rows: readonly Row[], look: Look): string[] {
  if (look.isLong !== true) return tableOf(columnsFor(rows, look), rows, look);
  const whole = tableOf(columnsFor(rows, look), rows, { ...look, columns: Infinity });
  if (whole.every((line) => stringWidth(line) <= look.columns)) return whole;
  // Nothing that was asked for is left out: what has no room is below its row.
  const columns = columnsFor(rows, { ...look, isLong: false })
    .filter(({ title }) => title !== "SESSION" && title !== "AGENT")
    .map((column) => ({ ...column, giveWay: 0 }));
  const [head = "", ...lines] = tableOf(columns, rows, look);
  return [head, ...lines.flatMap((line, at) => [line, ...detailLines(rows[at], look)])];
}

function tableOf(columns: readonly Column<Row>[], rows: readonly Row[], look: Look): string[] {
  const dimmed = columns.map((column): Column<Row> => ({
    ...column,
    style: (row) => (isPast(row) ? "dim" : column.style?.(row)),
  }));
  return tableLines(dimmed, rows, look.columns, look.paint);
}

const DETAIL_INDENT = "     ";

function detailLines(row: Row | undefined, { columns, paint }: Look): string[] {
  if (row?.listed.kind !== "ok") return [];
  const { document } = row.listed;
  const { created_at, step, phase, trigger, task_id, session_id, created_by } = document;
  const details = [
    exactTime(created_at),
    ...(step === null ? [] : [`step ${step}`]),
    ...(phase === null ? [] : [`phase ${phase}`]),
    TRIGGER_WORDS[trigger],
    ...(task_id === null ? [] : [`task ${task_id}`]),
    `commit ${commitOf(document)}`,
    workOf(document),
    `session ${session_id}`,
    ...(created_by.agent === null ? [] : [`agent ${created_by.agent}`]),
  ].map(oneLine);
  const lines: string[] = [];
  for (const detail of details) {
    const longer = `${lines.at(-1) ?? ""}, ${detail}`;
    if (lines.length > 0 && stringWidth(longer) < columns) lines[lines.length - 1] = longer;
    else lines.push(DETAIL_INDENT + detail);
  }
  return lines.map((line) => paint("dim", line));
}

function isPast({ listed }: Row): boolean {
  return listed.kind === "ok" && !listed.standing.valid;
}

function columnsFor(rows: readonly Row[], { now, short, isLong }: Look): Column<Row>[] {
  const of =
    (pick: (document: CheckpointGlance) => string) =>
    ({ listed }: Row): string =>
      listed.kind === "ok" ? pick(listed.document) : "";
  const ifSeveral = (pick: (row: Row) => string): ((row: Row) => string) =>
    new Set(rows.map(pick)).size > 1 ? pick : () => "";
  const long: readonly Column<Row>[] = [
    { title: "CREATED", cell: of(({ created_at }) => exactTime(created_at)), giveWay: 9 },
    { title: "STEP", cell: of(({ step }) => String(step ?? "")), alignRight: true, giveWay: 4 },
    { title: "PHASE", cell: of(({ phase }) => phase ?? ""), giveWay: 7, cutTo: 8 },
    { title: "TRIGGER", cell: of(({ trigger }) => TRIGGER_WORDS[trigger]), giveWay: 5 },
    { title: "TASK", cell: of(({ task_id }) => task_id ?? ""), giveWay: 6, cutTo: 8 },
    { title: "COMMIT", cell: of(commitOf), giveWay: 8, style: () => "yellow" },
    { title: "CHANGES", cell: of(workOf), giveWay: 9 },
  ];
  const session = of(({ session_id }) => session_id);
  return [
    { title: "", cell: ({ listed }) => markOf(listed)[0] ?? " ", style: markStyle },
    {
      title: "ID",
      cell: ({ listed }) => short?.of(listed.id) ?? listed.id,
      style: (row) => idStyle(row) ?? (short === undefined ? undefined : ID_STYLE),
    },
    { title: "AGE", cell: of(({ created_at }) => shortAge(created_at, now)), alignRight: true },
    {
      title: "",
      cell: ({ change }) => (change?.added ? `+${change.added}` : ""),
      style: () => "green",
      alignRight: true,
      giveWay: 2,
    },
    {
      title: "",
      cell: ({ change }) => (change?.removed ? `-${change.removed}` : ""),
      style: () => "red",
      alignRight: true,
      giveWay: 2,
    },
    {
      title: "FILES",
      cell: ({ change }) => String(change?.files ?? ""),
      alignRight: true,
      giveWay: 3,
    },
    { title: "FROM NOW", cell: ({ summary }) => summaryText(summary) },
    ...(isLong === true ? long : []),
    {
      title: "SESSION",
      cell: isLong === true ? session : ifSeveral(of(startedSession)),
      giveWay: 5,
      cutTo: 8,
    },
    {
      title: "AGENT",
      // What a hook finds when a prompt arrives was changed by someone else.
      cell: ifSeveral(
        of(({ created_by }) => (created_by.moment === "prompt" ? "" : (created_by.agent ?? ""))),
      ),
      giveWay: 4,
    },
    {
      title: "MESSAGE",
      cell: (row) => short?.inText(messageOf(row)) ?? messageOf(row),
      ending: ({ checkpoints }) => (checkpoints === undefined ? "" : ` (${checkpoints})`),
      cutTo: LEAST_MESSAGE,
    },
  ];
}

/** One that was started, without the time that ids of workflows end with; the work tree's own has no name. */
export function startedSession({ session_id, worktree_id }: CheckpointGlance): string {
  if (session_id === implicitSessionId(worktree_id)) return "";
  return withoutTime(session_id);
}

export function withoutTime(sessionId: string): string {
  return sessionId.replace(/_\d{8}_\d{6}$/, "");
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
  return undefined;
}

/** For people: always something, with words in the place of marks. */
function messageOf({ listed, change, checkpoints }: Row): string {
  if (listed.kind !== "ok" || listed.damage !== undefined) return aboutOf(listed);
  const marks = [
    ...(listed.standing.valid ? [] : ["(rolled past)"]),
    ...(listed.expired ? ["(expired)"] : []),
    ...(listed.pinned ? ["(pinned)"] : []),
  ];
  const { prompt, moment } = listed.document.created_by;
  if (checkpoints !== undefined && prompt !== undefined) return [...marks, prompt].join(" ");
  const isChanged = moment === "prompt" && (change?.files ?? 0) > 0;
  return [...marks, ...(isChanged ? ["changes"] : []), titleOf(listed.document)].join(" ");
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
    ...(listed.standing.valid ? [] : ["(rolled past)"]),
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
  return `${counted(summary.files, "file")} +${summary.added} -${summary.removed}`;
}

/** Where nothing is listed. */
export function restorableText(deleted: number): string {
  return `\`waymark delete --undo\` shows ${counted(deleted, "deleted one")} that can be restored`;
}

/** Where the user is; a session only where one was started, after the count, which is not its own. */
export function placeLine(
  { sessionId, hasStarted }: Pick<CheckpointList, "sessionId" | "hasStarted">,
  place: CheckedOut,
  count: number,
  operation?: OperationInProgress,
): string {
  const session = hasStarted ? [`current session ${sessionId}`] : [];
  const inProgress = operation === undefined ? [] : [operationText(operation)];
  return [placeText(place), ...inProgress, counted(count, "checkpoint"), ...session].join(", ");
}

function operationText({ kind, conflicts }: OperationInProgress): string {
  return `${kind} in progress${conflicts === 0 ? "" : ` (${counted(conflicts, "conflict")})`}`;
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
