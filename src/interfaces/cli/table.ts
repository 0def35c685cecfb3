/** Tables that fit the terminal: columns give way in a given order, then the widest text column is cut. */
import stringWidth from "fast-string-width";
import { oneLine } from "./printable.ts";
import type { Output } from "./output.ts";
import type { Paint, Style } from "./style.ts";

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  readonly style?: (row: Row) => Style | undefined;
  readonly alignRight?: boolean;
  /** Columns with higher numbers are left out first where space is short, neighbours of one number together; 0 (default): never. */
  readonly giveWay?: number;
  /** Stays where the cell before it is cut. */
  readonly ending?: (row: Row) => string;
  /** May be cut down to this many columns, further where no other can give way; undefined: never cut. */
  readonly cutTo?: number;
}

const GAP = "  ";
const ELLIPSIS = "…";

export function tableLines<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  room: number,
  paint: Paint,
): string[] {
  // Nothing to say in any row: no column.
  const used = columns
    .map((column) => ({
      column,
      cells: rows.map((row) => oneLine(column.cell(row) + (column.ending?.(row) ?? ""))),
    }))
    .filter(({ cells }) => cells.some((cell) => cell !== ""))
    .map((filled) => ({ ...filled, width: widthOf(filled) }));
  const fitting = dropColumns(used, room);
  cutColumns(fitting, room, (column) => column.cutTo);
  // Cut to nothing in particular rather than wrapped.
  cutColumns(fitting, room, ({ cutTo }) => (cutTo === undefined ? undefined : 1));
  const head = fitting.map(({ column, width }) =>
    pad(cut(column.title, width), width, column.alignRight),
  );
  const lines = rows.map((row, at) =>
    fitting
      .map(({ column, cells, width }) => {
        const cell = cells[at] ?? "";
        const text = pad(
          cutBefore(column.ending?.(row) ?? "", cell, width),
          width,
          column.alignRight,
        );
        const style = column.style?.(row);
        return style === undefined ? text : paint(style, text);
      })
      .join(GAP)
      .trimEnd(),
  );
  return [paint("dim", head.join(GAP).trimEnd()), ...lines];
}

/** As wide as the terminal, with ids as its reader sees them. */
export function printedTable<Row>(
  output: Output,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): string[] {
  const short = output.shortIds();
  const shown = columns.map((column): Column<Row> =>
    short === undefined ? column : { ...column, cell: (row) => short.inText(column.cell(row)) },
  );
  return tableLines(shown, rows, output.columns, output.paint);
}

interface Filled<Row> {
  readonly column: Column<Row>;
  readonly cells: readonly string[];
}
interface Measured<Row> extends Filled<Row> {
  width: number;
}

function widthOf<Row>({ column, cells }: Filled<Row>): number {
  return Math.max(stringWidth(column.title), ...cells.map((cell) => stringWidth(cell)));
}

const total = (columns: readonly { readonly width: number }[]): number =>
  columns.reduce((sum, { width }) => sum + width + GAP.length, -GAP.length);

function leastTotal<Row>(columns: readonly Measured<Row>[]): number {
  return total(
    columns.map(({ column, width }) => ({ width: Math.min(width, column.cutTo ?? width) })),
  );
}

function dropColumns<Row>(columns: readonly Measured<Row>[], room: number): Measured<Row>[] {
  const left = [...columns];
  while (leastTotal(left) > room) {
    const order = left.map(({ column }) => column.giveWay ?? 0);
    const most = Math.max(...order);
    if (most === 0) break;
    const last = order.lastIndexOf(most);
    const first = order.findLastIndex((number, at) => at < last && number !== most) + 1;
    left.splice(first, last - first + 1);
  }
  return left;
}

function cutColumns<Row>(
  columns: readonly Measured<Row>[],
  room: number,
  least: (column: Column<Row>) => number | undefined,
): void {
  for (let over = total(columns) - room; over > 0; over = total(columns) - room) {
    const widest = columns
      .filter(({ column, width }) => width > (least(column) ?? Infinity))
      .toSorted((left, right) => right.width - left.width)[0];
    if (widest === undefined) return;
    widest.width = Math.max(least(widest.column) ?? 0, widest.width - over);
  }
}

function pad(text: string, width: number, alignRight = false): string {
  const space = " ".repeat(Math.max(0, width - stringWidth(text)));
  return alignRight ? space + text : text + space;
}

function cutBefore(ending: string, cell: string, width: number): string {
  if (ending === "" || stringWidth(cell) <= width) return cut(cell, width);
  return cut(cell.slice(0, -ending.length), Math.max(1, width - stringWidth(ending))) + ending;
}

export function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = "";
  let used = 0;
  for (const character of text) {
    const size = stringWidth(character);
    if (used + size > width - 1) break;
    kept += character;
    used += size;
  }
  return kept + ELLIPSIS;
}
