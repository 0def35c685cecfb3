/** Colours and widths of a terminal. */
import { styleText } from "node:util";

export type Style = Parameters<typeof styleText>[0];
export type Paint = (style: Style, text: string) => string;

/** NO_COLOR wins over FORCE_COLOR; both win over what the stream is. */
export function hasColor(stream: { readonly isTTY?: boolean }): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "") {
    return !["0", "false"].includes(FORCE_COLOR);
  }
  return stream.isTTY === true && TERM !== "dumb";
}

export function painter(isColored: boolean): Paint {
  return (style, text) => (isColored ? styleText(style, text, { validateStream: false }) : text);
}

export const ID_STYLE: Style = ["bold", "magenta"];

/** Columns to fit in; a pipe has no width and gets everything. */
export function columnsOf(stream: { readonly isTTY?: boolean; readonly columns?: number }): number {
  const { COLUMNS } = process.env;
  if (COLUMNS !== undefined && /^[1-9]\d{0,4}$/.test(COLUMNS)) return Number(COLUMNS);
  return stream.isTTY === true && stream.columns !== undefined && stream.columns > 0
    ? stream.columns
    : Number.POSITIVE_INFINITY;
}
