/** Differences for people. */
import { shortened, showPath } from "../../domain/byte-path.ts";
import type { Exclusion } from "../../domain/checkpoint.ts";
import type { ValueChange } from "../../domain/state-diff.ts";
import type { FileDifference, PassedCommit } from "../../ports/differ.ts";
import { exclusionText } from "./exclusion-text.ts";
import type { PartDifference } from "../../operations/part-differences.ts";
import { firstLines } from "./first-lines.ts";
import type { Paint, Style } from "./style.ts";
import { oneLine, printable } from "./printable.ts";
import { cut } from "./table.ts";
import { counted } from "./units.ts";
import stringWidth from "fast-string-width";

const MARKS = { added: "+", removed: "-", modified: "~" } as const;
const STYLES = { added: "green", removed: "red", modified: "yellow" } as const;
const WIDEST_BAR = 40;
const DEFAULT_COLUMNS = 100;
const LEAST_NAME = 16;

/** ` ~ src/api.ts  | 12 +++++---`, and a sum. */
export function statLines(
  files: readonly FileDifference[],
  columns: number,
  paint: Paint,
): string[] {
  if (files.length === 0) return [];
  const room = Number.isFinite(columns) ? columns : DEFAULT_COLUMNS;
  const counts = files.map((file) => (file.added ?? 0) + (file.removed ?? 0));
  const most = counts.reduce((highest, count) => Math.max(highest, count), 1);
  const countWidth = Math.max(3, String(most).length);
  const names = files.map((file) => oneLine(showPath(file.path)));
  const widest = names.reduce((width, name) => Math.max(width, stringWidth(name)), 0);
  const fixed = " ~  |  ".length + countWidth;
  const barRoom = Math.min(WIDEST_BAR, Math.max(4, room - fixed - widest));
  const nameWidth = Math.min(widest, Math.max(LEAST_NAME, room - fixed - barRoom));
  const lines = files.map((file, at) => {
    const name = cut(names[at] ?? "", nameWidth);
    const gap = " ".repeat(Math.max(0, nameWidth - stringWidth(name)));
    const count = counts[at] ?? 0;
    const mark = paint(STYLES[file.change], MARKS[file.change]);
    if (file.added === null) return ` ${mark} ${name}${gap} | ${"bin".padStart(countWidth)}`;
    // A character for each line, as git does it, as long as the longest bar fits.
    const length =
      most <= barRoom || count === 0 ? count : Math.max(1, Math.round((count / most) * barRoom));
    const plus = Math.round((length * file.added) / Math.max(1, count));
    const bar = paint("green", "+".repeat(plus)) + paint("red", "-".repeat(length - plus));
    return ` ${mark} ${name}${gap} | ${String(count).padStart(countWidth)} ${bar}`.trimEnd();
  });
  return [...lines, sumLine(files, paint)];
}

/** Painted here and not by git: what a file contains cannot pass for a color code. Tabs stay. */
export function patchLine(line: string, paint: Paint): string {
  const text = line.split("\t").map(printable).join("\t");
  const style = PATCH_STYLES.find(([start]) => line.startsWith(start))?.[1];
  return style === undefined ? text : paint(style, text);
}

const PATCH_STYLES: readonly (readonly [start: string, style: Style])[] = [
  ["diff ", "bold"],
  ["index ", "dim"],
  ["--- ", "bold"],
  ["+++ ", "bold"],
  ["@@", "cyan"],
  ["+", "green"],
  ["-", "red"],
];

export function sumLine(files: readonly FileDifference[], paint: Paint): string {
  const added = files.reduce((sum, file) => sum + (file.added ?? 0), 0);
  const removed = files.reduce((sum, file) => sum + (file.removed ?? 0), 0);
  return (
    `${counted(files.length, "file")} changed, ` +
    `${paint("green", `${counted(added, "line")} added`)}, ${paint("red", `${removed} removed`)}`
  );
}

export function notComparedLines(files: readonly Exclusion[], paint: Paint): string[] {
  return files.map((file) =>
    paint("dim", ` ? ${shortened(oneLine(file.path))} (not compared: ${exclusionText(file)})`),
  );
}

/** By what they tell: the state of the workflow, its metrics, its outputs. */
export function valueSections(values: readonly ValueChange[], paint: Paint): string[] {
  const sections = [
    ["metrics", "metrics."],
    ["outputs", "outputs."],
  ] as const;
  const isIn = (prefix: string, { key }: ValueChange): boolean => key.startsWith(prefix);
  const keys = new Set(values.map(({ key }) => key));
  // Phase and step are in the checkpoint and in the workflow that it holds.
  const isTwice = ({ key }: ValueChange): boolean => keys.has(key.slice("workflow.".length));
  const others = values.filter(
    (value) =>
      sections.every(([, prefix]) => !isIn(prefix, value)) &&
      !(isIn("workflow.", value) && isTwice(value)),
  );
  const found = sections.map(([title, prefix]) => {
    const own = values.filter((value) => isIn(prefix, value));
    return [
      title,
      own.map((value) => ({ ...value, key: value.key.slice(prefix.length) })),
    ] as const;
  });
  return [["state", others] as const, ...found].flatMap(([title, own]) =>
    own.length === 0
      ? []
      : [paint("bold", title), ...valueLines(own, paint).map((line) => `  ${line}`)],
  );
}

function valueLines(values: readonly ValueChange[], paint: Paint): string[] {
  return values.map(({ key, from, to }) => {
    if (isList(from) && isList(to))
      return `${paint("bold", oneLine(key))}: ${listChange(from ?? [], to ?? [])}`;
    if (isLongText(from) || isLongText(to))
      return `${paint("bold", oneLine(key))}: ${textChange(linesOf(from), linesOf(to))}`;
    const change = `${shown(from)} -> ${shown(to)}`;
    const delta = typeof from === "number" && typeof to === "number" ? to - from : undefined;
    const more =
      delta === undefined ? "" : `  (${delta > 0 ? "+" : ""}${Number(delta.toFixed(6))})`;
    return `${paint("bold", oneLine(key))}: ${change}${more}`;
  });
}

/** Undefined: it is not there on that side, which is as good as empty. */
function isList(value: unknown): value is readonly unknown[] | undefined {
  return value === undefined || Array.isArray(value);
}

/** `+2 -1 (+ a.ts, + b.ts, - c.ts)` */
function listChange(from: readonly unknown[], to: readonly unknown[]): string {
  const [before, after] = [from.map(shown), to.map(shown)];
  const added = after.filter((each) => !before.includes(each)).map((each) => `+ ${each}`);
  const removed = before.filter((each) => !after.includes(each)).map((each) => `- ${each}`);
  if (added.length + removed.length === 0) return "in another order";
  const counts = [
    ...(added.length === 0 ? [] : [`+${added.length}`]),
    ...(removed.length === 0 ? [] : [`-${removed.length}`]),
  ];
  return `${counts.join(" ")} (${[...added, ...removed].join(", ")})`;
}

function isLongText(value: unknown): value is string {
  return typeof value === "string" && value.trim().includes("\n");
}

function linesOf(value: unknown): string[] {
  const text = value === undefined || value === null ? "" : shownText(value).trimEnd();
  return text === "" ? [] : text.split("\n");
}

/** `12 lines added, 3 removed` */
function textChange(from: readonly string[], to: readonly string[]): string {
  const added = withoutThose(to, from).length;
  const removed = withoutThose(from, to).length;
  if (added + removed === 0) return "in another order";
  if (added === 0) return `${counted(removed, "line")} removed`;
  return `${counted(added, "line")} added${removed === 0 ? "" : `, ${removed} removed`}`;
}

/** As often as a line is in both, it is left out. */
function withoutThose(lines: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}

function shown(value: unknown): string {
  if (value === undefined) return "-";
  return oneLine(shownText(value));
}

function shownText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

const MOST_COMMITS = 20;

export function commitLines(
  commits: { readonly gained: readonly PassedCommit[]; readonly lost: readonly PassedCommit[] },
  paint: Paint,
): string[] {
  const side = (list: readonly PassedCommit[], mark: string, style: "green" | "red"): string[] =>
    firstLines(
      list.map(
        ({ commit, subject }) =>
          `${paint(style, mark)} ${paint("yellow", commit.slice(0, 8))} ${oneLine(subject)}`,
      ),
      MOST_COMMITS,
      { indent: `${mark} ` },
    );
  const { gained, lost } = commits;
  if (gained.length + lost.length === 0) return [];
  return [
    paint("bold", `commits between: ${gained.length} added, ${lost.length} removed`),
    ...side(gained, "+", "green"),
    ...side(lost, "-", "red"),
  ];
}

const PART_WORDS: Readonly<Record<PartDifference["type"], string>> = {
  file_backup: "copied file",
  state_snapshot: "state",
  database_savepoint: "database",
};

export function partLines(parts: readonly PartDifference[], paint: Paint): string[] {
  return parts.map(({ type, what, change, summary }) => {
    const about = summary === null ? PART_WORDS[type] : `${PART_WORDS[type]}: ${oneLine(summary)}`;
    return ` ${paint(STYLES[change], MARKS[change])} ${oneLine(what)} (${about})`;
  });
}
