/** Picks a checkpoint from a list; what lies between each one and now is shown below it. */
import type { Key } from "node:readline";
import type { CheckpointDocument } from "../../domain/checkpoint.ts";
import { checkpointTable, type Row as AnyRow } from "./checkpoint-table.ts";
import { runScreen, type ScreenProgram, type Size } from "./screen.ts";
import type { Paint } from "./style.ts";
import { cut } from "./table.ts";

type Row = AnyRow<CheckpointDocument>;

export interface PickRequest {
  readonly title: string;
  readonly rows: readonly Row[];
  /** What would change; asked for when the choice rests on a checkpoint. */
  readonly preview: (row: Row, columns: number) => Promise<readonly string[]>;
  readonly paint: Paint;
  readonly now: Date;
}

const KEYS = "up/down: move   enter: choose   q: leave, change nothing";
/** Title, keys, the table's head and two rules. */
const FRAME_LINES = 5;
const LEAST_LIST = 3;

/** Undefined: none was chosen. */
export function pickCheckpoint(request: PickRequest): Promise<Row | undefined> {
  return runScreen(picker(request));
}

export function picker(request: PickRequest): ScreenProgram<Row | undefined> {
  const { rows, paint } = request;
  const previews = new Map<Row, readonly string[]>();
  let chosen = 0;
  let redraw = (): void => undefined;
  let isBusy = false;

  /** One at a time: who moves on quickly waits for nothing that is out of sight by then. */
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

  return {
    start: (draw) => {
      redraw = draw;
    },
    key: ({ name, ctrl }: Key, size) => {
      if ((ctrl === true && (name === "c" || name === "d")) || name === "q" || name === "escape") {
        return { result: undefined };
      }
      if (name === "return" || name === "enter") return { result: rows[chosen] };
      const page = listLines(size, rows.length);
      const step = STEPS[name ?? ""]?.(page, rows.length) ?? 0;
      chosen = Math.max(0, Math.min(rows.length - 1, chosen + step));
      return undefined;
    },
    frame: (size) => {
      void look(size.columns);
      const shown = listLines(size, rows.length);
      const first = Math.max(0, Math.min(chosen - Math.floor(shown / 2), rows.length - shown));
      const { columns } = size;
      const [head = "", ...body] = checkpointTable(rows, {
        columns: columns - 2,
        paint,
        now: request.now,
      });
      const list = body
        .slice(first, first + shown)
        .map((line, at) =>
          first + at === chosen ? `${paint(["bold", "cyan"], ">")} ${line}` : `  ${line}`,
        );
      const row = rows[chosen];
      const preview = (row && previews.get(row)) ?? [paint("dim", "comparing …")];
      const room = Math.max(0, size.rows - FRAME_LINES - list.length);
      const rule = paint("dim", "-".repeat(Math.max(0, columns - 1)));
      return [
        paint("bold", cut(request.title, columns - 1)),
        `  ${head}`,
        ...list,
        rule,
        ...fitted(preview, room),
        ...Array.from({ length: Math.max(0, room - Math.min(room, preview.length)) }, () => ""),
        rule,
        paint("dim", KEYS.slice(0, columns - 1)),
      ];
    },
  };
}

const STEPS: Readonly<Record<string, (page: number, all: number) => number>> = {
  up: () => -1,
  k: () => -1,
  down: () => 1,
  j: () => 1,
  pageup: (page) => -page,
  pagedown: (page) => page,
  home: (_page, all) => -all,
  end: (_page, all) => all,
};

/** At most half of the screen. */
function listLines({ rows }: Size, count: number): number {
  return Math.min(count, Math.max(LEAST_LIST, Math.floor((rows - FRAME_LINES) / 2)));
}

function fitted(lines: readonly string[], room: number): readonly string[] {
  if (lines.length <= room) return lines;
  const sum = lines.at(-1) ?? "";
  return [...lines.slice(0, Math.max(0, room - 2)), " …", sum].slice(0, room);
}
