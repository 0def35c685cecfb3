/** Picks a checkpoint from the time line; below it the patch that a rollback to the highlighted one would apply. */
import type { Key } from "node:readline";
import type { CheckpointDocument } from "../../domain/checkpoint.ts";
import type { ShortIds } from "../../domain/short-id.ts";
import type { DiffSummary } from "../../ports/differ.ts";
import {
  aboutOf,
  checkpointTable,
  startedSession,
  type Row as AnyRow,
} from "./checkpoint-table.ts";
import { runScreen, type ScreenProgram, type Size } from "./screen.ts";
import type { Paint } from "./style.ts";
import { cut } from "./table.ts";
import { counted } from "./units.ts";

type Row = AnyRow<CheckpointDocument>;

export interface PickRequest {
  readonly title: string;
  /** Those of one prompt folded. */
  readonly rows: readonly Row[];
  /** Each for itself; undefined: none is folded. */
  readonly expanded?: readonly Row[] | undefined;
  /** Where the cursor begins. */
  readonly first?: number;
  /** What would change; asked for when the choice rests on a checkpoint. */
  readonly preview: (row: Row, columns: number) => Promise<readonly string[]>;
  /** By id, what rows without a change of their own changed; asked for when they come into sight. */
  readonly changes: (rows: readonly Row[]) => Promise<ReadonlyMap<string, DiffSummary>>;
  readonly paint: Paint;
  readonly now: Date;
  /** Undefined: whole ids. */
  readonly short?: ShortIds | undefined;
}

const HELP: readonly (readonly [keys: string, text: string])[] = [
  ["type", "filter by words of message, id, phase, agent …"],
  ["/", "filter by a word that starts with q or ?"],
  ["backspace, ctrl+u", "delete a character; clear the filter (also esc)"],
  ["arrows up, down", "move; also home, end"],
  ["tab", "show each checkpoint of a prompt, or fold them"],
  ["page up, page down", "scroll the patch; also arrows left, right"],
  ["enter", "choose (shows the plan and asks)"],
  ["q, esc, ctrl+c", "cancel"],
  ["", ""],
  ["any key", "close this help"],
];
/** Title, keys, the table's head and two rules. */
const FRAME_LINES = 5;
const LEAST_LIST = 3;
/** At once. */
const MOST_COMPARED = 100;

/** Undefined: none was chosen. */
export function pickCheckpoint(request: PickRequest): Promise<Row | undefined> {
  return runScreen(picker(request));
}

export function picker(request: PickRequest): ScreenProgram<Row | undefined> {
  const { paint } = request;
  const previews = new Map<Row, readonly string[]>();
  const withTexts = (all: readonly Row[]) =>
    all.map((row) => ({ row, text: textOf(row, request.short) }));
  const folded = withTexts(request.rows);
  const expanded = request.expanded === undefined ? undefined : withTexts(request.expanded);
  let isExpanded = false;
  const compared = new Map<Row, DiffSummary | undefined>();
  let rows = request.rows;
  /** Undefined: nothing was typed, and single letters are commands. */
  let filter: string | undefined;
  let chosen = request.first ?? 0;
  /** How far the patch is scrolled. */
  let offset = 0;
  let isHelp = false;
  let redraw = (): void => undefined;
  let isBusy = false;
  let isComparing = false;
  let table: { readonly columns: number; readonly lines: readonly string[] } | undefined;

  /** One at a time: a preview that is out of sight by then is not waited for. */
  const look = async (columns: number): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    try {
      for (let row = rows[chosen]; row !== undefined && !previews.has(row); row = rows[chosen]) {
        previews.set(row, await lines(row, columns));
        redraw();
      }
    } finally {
      isBusy = false;
    }
  };
  const lines = async (row: Row, columns: number): Promise<readonly string[]> => {
    try {
      return await request.preview(row, columns);
    } catch (error) {
      return [paint("red", error instanceof Error ? error.message : String(error))];
    }
  };
  const isNew = (row: Row): boolean => row.change === undefined && !compared.has(row);
  const compare = async (first: number): Promise<void> => {
    const next = rows.slice(first, first + MOST_COMPARED).filter(isNew);
    if (isComparing || next.length === 0) return;
    isComparing = true;
    // What cannot be compared stays empty.
    const found = await request.changes(next).catch(() => new Map<string, DiffSummary>());
    for (const row of next) compared.set(row, found.get(row.listed.id));
    isComparing = false;
    table = undefined;
    redraw();
  };
  const matching = (all: ReturnType<typeof withTexts>): Row[] => {
    const words = (filter ?? "").toLowerCase().split(/\s+/);
    const fits = (id: string, text: string): boolean =>
      words.every((word) => text.includes(word) || id.startsWith(word));
    return all.flatMap(({ row, text }) => (fits(row.listed.id, text) ? [row] : []));
  };
  const show = (typed: string | undefined): void => {
    const id = rows[chosen]?.listed.id;
    filter = typed;
    rows = isExpanded ? [] : matching(folded);
    // What only a folded checkpoint has is found, too.
    if (rows.length === 0 && expanded !== undefined) rows = matching(expanded);
    table = undefined;
    const among = (wanted: string | undefined): number =>
      rows.findIndex(({ listed: row }) => row.id === wanted);
    const all = request.expanded ?? request.rows;
    const at = all.findIndex(({ listed: row }) => row.id === id);
    // The row that a checkpoint is folded into is the next one above it.
    const above = all.slice(0, at + 1).findLast(({ listed: row }) => among(row.id) >= 0);
    chosen = Math.max(0, among(above?.listed.id));
    offset = 0;
  };
  const edit = ({ name, ctrl, meta, sequence = "" }: Key): boolean => {
    if (name === "backspace")
      show(filter === undefined || filter === "" ? undefined : filter.slice(0, -1));
    else if (ctrl === true && name === "u") show(undefined);
    else if (ctrl === true || meta === true || !/^[^\p{Cc}]$/u.test(sequence)) return false;
    else if (sequence === "/" && filter === undefined) show("");
    else show((filter ?? "") + sequence);
    return true;
  };
  const listed = (columns: number): readonly string[] => {
    if (table?.columns !== columns) {
      const { now, short } = request;
      table = {
        columns,
        lines: checkpointTable(
          rows.map((row) => ({ ...row, change: row.change ?? compared.get(row) })),
          { columns: columns - 2, paint, now, short },
        ),
      };
    }
    return table.lines;
  };

  return {
    start: (draw) => {
      redraw = draw;
    },
    key: (key, size) => {
      const { name, ctrl, sequence } = key;
      const isLeaving = ctrl === true && (name === "c" || name === "d");
      const isCancel = name === "escape" || (filter === undefined && sequence === "q");
      if (isLeaving) return { result: undefined };
      if (isCancel && !isHelp) {
        if (filter === undefined) return { result: undefined };
        show(undefined);
        return undefined;
      }
      if (isHelp || (filter === undefined && sequence === "?")) {
        isHelp = !isHelp;
        return undefined;
      }
      if (name === "return" || name === "enter") {
        const row = rows[chosen];
        return row === undefined ? undefined : { result: row };
      }
      if (name === "tab") {
        isExpanded = expanded !== undefined && !isExpanded;
        show(filter);
        return undefined;
      }
      const step = STEPS[name ?? ""]?.(rows.length);
      if (step !== undefined) {
        const before = chosen;
        chosen = Math.max(0, Math.min(rows.length - 1, chosen + step));
        if (chosen !== before) offset = 0;
        return undefined;
      }
      const room = previewRoom(size, rows.length);
      const most = Math.max(0, (previews.get(rows[chosen] as Row)?.length ?? 0) - room);
      if (name === "right" || name === "pagedown")
        offset = Math.min(most, offset + Math.max(1, room - 1));
      else if (name === "left" || name === "pageup")
        offset = Math.max(0, offset - Math.max(1, room - 1));
      else edit(key);
      return undefined;
    },
    frame: (size) => {
      const { columns } = size;
      const title = paint("bold", cut(request.title, columns - 1));
      if (isHelp) return [title, "", ...helpLines(columns - 1, paint)];
      void look(columns);
      const shown = listLines(size, rows.length);
      const first = Math.max(0, Math.min(chosen - Math.floor(shown / 2), rows.length - shown));
      if (rows.slice(first, first + shown).some(isNew)) void compare(first);
      const [head = "", ...body] = listed(columns);
      const list = body
        .slice(first, first + shown)
        .map((line, at) =>
          first + at === chosen ? `${paint(["bold", "cyan"], ">")} ${line}` : `  ${line}`,
        );
      const row = rows[chosen];
      const preview =
        row === undefined
          ? [paint("dim", "no checkpoint matches")]
          : (previews.get(row) ?? [paint("dim", "comparing …")]);
      const room = previewRoom(size, rows.length);
      const count = `${rows.length === 0 ? 0 : chosen + 1} of ${rows.length}`;
      const part = preview.slice(offset, offset + room);
      const below = preview.length - offset - part.length;
      return [
        title,
        `  ${head}`,
        ...list,
        paint("dim", ruled(count, columns)),
        ...part,
        ...Array.from({ length: Math.max(0, room - part.length) }, () => ""),
        paint("dim", ruled(below > 0 ? `${counted(below, "more line")}: page down` : "", columns)),
        filter === undefined
          ? paint("dim", cut("type to filter   enter: choose   ?: keys   q: cancel", columns - 1))
          : filterLine(filter, columns - 1, paint),
      ];
    },
  };
}

const FILTER_KEYS = "   enter: choose   esc: clear";

/** The keys only where the whole filter leaves them room. */
function filterLine(filter: string, columns: number, paint: Paint): string {
  const typed = `${paint("bold", "filter:")} ${cut(filter, columns - 9)}_`;
  const hasRoom = "filter: _".length + filter.length + FILTER_KEYS.length <= columns;
  return hasRoom ? typed + paint("dim", FILTER_KEYS) : typed;
}

/** Everything that the user may look for. Not the rest of a long id: every number is in the time of some. */
function textOf({ listed }: Row, short: ShortIds | undefined): string {
  const id = short?.of(listed.id) ?? listed.id;
  if (listed.kind !== "ok") return id;
  const { task_id, phase, trigger, created_by, name, description } = listed.document;
  const { agent } = created_by;
  const session = startedSession(listed.document);
  return [aboutOf(listed), id, session, task_id, phase, trigger, agent, name, description]
    .filter((text) => text !== null && text !== undefined)
    .join(" ")
    .toLowerCase();
}

function helpLines(columns: number, paint: Paint): string[] {
  const width = Math.max(...HELP.map(([keys]) => keys.length));
  return HELP.map(([keys, text]) => {
    const line = `  ${paint("bold", keys.padEnd(width))}  `;
    return line + cut(text, Math.max(1, columns - width - "    ".length));
  });
}

function ruled(text: string, columns: number): string {
  const room = Math.max(0, columns - 1);
  const end = text === "" ? "" : ` ${text} `;
  return `${"-".repeat(Math.max(0, room - end.length - 2))}${end}--`.slice(0, room);
}

const STEPS: Readonly<Record<string, (all: number) => number>> = {
  up: () => -1,
  down: () => 1,
  home: (all) => -all,
  end: (all) => all,
};

/** At most half of the screen. */
function listLines({ rows }: Size, count: number): number {
  return Math.min(count, Math.max(LEAST_LIST, Math.floor((rows - FRAME_LINES) / 2)));
}

function previewRoom(size: Size, count: number): number {
  return Math.max(0, size.rows - FRAME_LINES - listLines(size, count));
}
