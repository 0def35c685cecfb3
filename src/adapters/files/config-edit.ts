/** Changes one setting in a file, and nothing else in it: comments, order and spacing stay. Loads `yaml`. */
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  realpathSync,
  statSync,
  unlinkSync,
  type Stats,
} from "node:fs";
import { join } from "node:path";
import { isMap, isPair, isScalar, isSeq, Lexer, parseDocument, type Pair } from "yaml";
import { checkOwnFile, type FoundSetting } from "../../domain/config-check.ts";
import { USER_FILE, userSettingsFolder } from "../../domain/config-places.ts";
import { yamlText } from "../../domain/config-template.ts";
import type { SettingValue } from "../../domain/config-keys.ts";
import { Failure } from "../../domain/failure.ts";
import { parseYaml } from "./config-yaml.ts";
import { writeDurably } from "./durable-write.ts";
import { NoText, readText } from "./read-text.ts";

export interface SettingChange {
  /** As in the file: `retention.max_age`. */
  readonly path: string;
  /** What it sets, which is more than one for a shorthand. */
  readonly keys: readonly string[];
  /** Undefined: the setting is removed. */
  readonly value: SettingValue | undefined;
}

export interface ChangedFile {
  readonly isChanged: boolean;
  /** What the file said before; undefined: nothing. */
  readonly before: SettingValue | undefined;
  /** Nothing was left in the file of the project. */
  readonly isDeleted: boolean;
}

/** The user's own file, where a link of theirs leads. */
export function userFile(env: NodeJS.ProcessEnv): string {
  const folder = userSettingsFolder(env);
  if (folder === undefined) {
    throw new Failure("no_permission", "neither HOME nor XDG_CONFIG_HOME is set to a folder", {
      hint: "Set one of them to a folder of yours. Nothing was changed.",
    });
  }
  const path = join(folder, USER_FILE);
  return existsSync(path) ? realpathSync(path) : path;
}

/** `shownAs`: the file in messages. Under a lock, or the change of another process may be lost. */
export function editSettings(file: string, shownAs: string, change: SettingChange): ChangedFile {
  const there = lstatSync(file, { throwIfNoEntry: false });
  const { text, mark } = there === undefined ? NO_TEXT : readEditable(file, shownAs, there);
  const settings = settingsOf(text, shownAs, change);
  const before = settings.find(({ key }) => change.keys.includes(key))?.value;
  const wanted = settingsAfter(settings, change);
  if (wanted === plainly(settings)) return { isChanged: false, before, isDeleted: false };
  const after = withChange(text, shownAs, wanted, change);
  // The user's own file stays: a link may lead to it.
  if (after.trim() === "" && file !== shownAs) {
    unlinkSync(file);
    return { isChanged: true, before, isDeleted: true };
  }
  writeDurably(file, mark + after, true);
  chmodSync(file, there === undefined ? 0o666 & ~process.umask() : there.mode & 0o777);
  return { isChanged: true, before, isDeleted: false };
}

interface Editable {
  readonly text: string;
  /** The byte order mark, if there is one. */
  readonly mark: string;
}

const NO_TEXT: Editable = { text: "", mark: "" };
const BYTE_ORDER_MARK = "\ufeff";

function readEditable(file: string, shownAs: string, there: Stats): Editable {
  try {
    if (there.isSymbolicLink()) throw new NoText("it is a symbolic link");
    accessSync(file, constants.W_OK);
    const text = readText(file);
    const isMarked = statSync(file).size > Buffer.byteLength(text);
    return { text, mark: isMarked ? BYTE_ORDER_MARK : "" };
  } catch (error) {
    throw new Failure(
      "config_invalid",
      `${shownAs} cannot be changed: ${(error as Error).message}`,
      {
        hint: "It has to be a plain text file that you may write to. Nothing was changed.",
        cause: error,
      },
    );
  }
}

function settingsOf(
  text: string,
  shownAs: string,
  { path }: SettingChange,
): readonly FoundSetting[] {
  const parsed = parseYaml(text);
  if (parsed.kind === "ok") {
    const { settings, problems } = checkOwnFile(shownAs, parsed.root);
    const wrong = problems.find(({ key }) => key === null || path.startsWith(`${key}.`));
    if (wrong === undefined) return settings;
    throw uncorrected(wrong.message);
  }
  const [error] = parsed.errors;
  const where = error === undefined ? shownAs : `${shownAs}:${error.line}:${error.column}`;
  throw uncorrected(`${where}: ${error?.message ?? "it is not YAML"}`);
}

function uncorrected(message: string): Failure {
  return new Failure("config_invalid", message, {
    hint: "Correct it in an editor first. Nothing was changed.",
  });
}

/** What the file says afterwards is compared with what it should say, so an edit that is too simple for a file is refused. */
function withChange(
  text: string,
  shownAs: string,
  wanted: string,
  { path, keys: [key = path], value }: SettingChange,
): string {
  const words =
    value === undefined
      ? [undefined]
      : [yamlText(value), ...(typeof value === "string" ? [JSON.stringify(value)] : [])];
  for (const place of new Set([path, key])) {
    for (const word of words) {
      const after = edited(text, place.split("."), word);
      const parsed = parseYaml(after);
      if (parsed.kind === "ok" && plainly(checkOwnFile(shownAs, parsed.root).settings) === wanted) {
        return after;
      }
    }
  }
  throw new Failure("config_invalid", `${shownAs} cannot be changed without losing something`, {
    hint: `Set ${path} in an editor. Nothing was changed.`,
  });
}

function settingsAfter(before: readonly FoundSetting[], { keys, value }: SettingChange): string {
  return plainly([
    ...before.filter(({ key }) => !keys.includes(key)),
    ...(value === undefined ? [] : keys.map((key) => ({ key, value }))),
  ]);
}

function plainly(settings: readonly Pick<FoundSetting, "key" | "value">[]): string {
  return JSON.stringify(
    settings
      .map(({ key, value }) => [key, value] as const)
      .toSorted(([left], [right]) => (left < right ? -1 : 1)),
  );
}

/** Only the bytes of the one setting. `word`: its value as YAML; undefined: the setting is removed. */
function edited(text: string, names: readonly string[], word: string | undefined): string {
  let map: unknown = parseDocument(text).contents;
  let above: Pair | undefined;
  for (const [depth, name] of names.entries()) {
    const pair = pairOf(map, name);
    if (pair === undefined) {
      return word === undefined ? text : inserted(text, map, above, names.slice(depth), word);
    }
    if (depth === names.length - 1) {
      if (word !== undefined) return replaced(text, pair, word);
      const after = removed(text, map, pair);
      return depth === 1 ? withoutEmpty(after, names[0] ?? "") : after;
    }
    above = pair;
    map = pair.value;
  }
  return text;
}

function pairOf(map: unknown, name: string): Pair | undefined {
  if (!isMap(map)) return undefined;
  return map.items.find(({ key }) => isScalar(key) && key.value === name);
}

function inserted(
  text: string,
  map: unknown,
  above: Pair | undefined,
  names: readonly string[],
  word: string,
): string {
  if (isMap(map) && map.flow === true) {
    const inner = names.slice(1);
    const entry = `${names.join(": {")}: ${word}${"}".repeat(inner.length)}`;
    const [start] = rangeOf(map);
    const at = start + (/^\{\s*/.exec(text.slice(start))?.[0].length ?? 0);
    return `${text.slice(0, at)}${entry}${map.items.length === 0 ? "" : ", "}${text.slice(at)}`;
  }
  const [valueStart, valueEnd] = rangeOf(map);
  // `retention: ~`: written as nothing.
  if (above !== undefined && !isMap(map) && valueEnd > valueStart) {
    return replaced(text, above, `{${names.join(": {")}: ${word}${"}".repeat(names.length)}`);
  }
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const first = isMap(map) ? map.items[0] : undefined;
  const column =
    first === undefined
      ? above === undefined
        ? 0
        : columnOf(text, above) + 2
      : columnOf(text, first);
  const lines = names.map(
    (name, at) =>
      `${" ".repeat(column + 2 * at)}${name}:${at === names.length - 1 ? ` ${word}` : ""}`,
  );
  const start = above === undefined ? 0 : lineEnd(text, rangeOf(above.key)[1]);
  const commented = commentedAt(
    text,
    above === undefined ? 0 : start + 1,
    `${" ".repeat(column)}#${names[0] ?? ""}: `,
    above === undefined,
  );
  // Below the default that stands there as a comment, which is left when the setting is removed.
  const place = commented === undefined || names.length > 1 ? start : lineEnd(text, commented);
  const at = above === undefined && place === 0 ? text.length : Math.min(place + 1, text.length);
  const isAfterLine = at === 0 || text[at - 1] === "\n";
  const added = lines.join(eol);
  return text.slice(0, at) + (isAfterLine ? added + eol : eol + added) + text.slice(at);
}

/** Where a default stands as a comment, in the same section. */
function commentedAt(
  text: string,
  from: number,
  start: string,
  isRoot: boolean,
): number | undefined {
  for (let at = from; at < text.length; at = lineEnd(text, at) + 1) {
    if (text.startsWith(start, at)) return at;
    if (!isRoot && /^[^\s#]/.test(text.slice(at, at + 1))) return undefined;
  }
  return undefined;
}

function removed(text: string, map: unknown, pair: Pair): string {
  const [start] = rangeOf(pair.key);
  const end = Math.max(rangeOf(pair.key)[1], endOf(text, pair.value));
  if (!isMap(map) || map.flow !== true) {
    const kept = text.slice(0, text.lastIndexOf("\n", start - 1) + 1);
    const after = lineEnd(text, end);
    // The last line, without a line end: so is the one before it then.
    return after === text.length ? kept.replace(/\r?\n$/, "") : kept + text.slice(after + 1);
  }
  const comma = /^\s*,[ \t]*/.exec(text.slice(end))?.[0].length;
  return comma === undefined
    ? text.slice(0, start).replace(/,\s*$/, "") + text.slice(end)
    : text.slice(0, start) + text.slice(end + comma);
}

/** Without the line of a section that has neither a setting nor a comment in it. */
function withoutEmpty(text: string, section: string): string {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => /^(.*):(?: \{\s*\})?\s*$/.exec(line)?.[1] === section);
  const isEmpty =
    at >= 0 && !/^\s+\S/.test(lines.slice(at + 1).find((line) => line.trim() !== "") ?? "");
  return isEmpty ? lines.toSpliced(at, 1).join("\n").replace(/\r$/, "") : text;
}

function replaced(text: string, { key, value }: Pair, word: string): string {
  const colon = text.indexOf(":", rangeOf(key)[1]) + 1;
  const [start, valueEnd] = rangeOf(value);
  if (start === valueEnd) return `${text.slice(0, colon)} ${word}${text.slice(colon)}`;
  const end = endOf(text, value);
  const isOnLine = !text.slice(colon, end).includes("\n");
  if (isOnLine) return text.slice(0, start) + word + text.slice(end);
  // Of several lines only the comments stay.
  const last = lineEnd(text, end);
  const rest = text[last - 1] === "\r" ? last - 1 : last;
  const comments = commentsIn(text)
    .filter((comment) => comment.start >= colon && comment.start < rest)
    .map(({ start: at, comment }) => {
      const line = text.lastIndexOf("\n", at) + 1;
      if (line <= colon) return ` ${comment}`;
      const indent = /^[ \t]*/.exec(text.slice(line))?.[0] ?? "";
      return `${text.includes("\r\n") ? "\r\n" : "\n"}${indent}${comment}`;
    });
  return `${text.slice(0, colon)} ${word}${comments.join("")}${text.slice(rest)}`;
}

/** The lexer puts these before or after a token; they are not in the text. */
const MARKS = new Set(["\u0002", "\u0018", "\u001f"]);

function commentsIn(text: string): { readonly start: number; readonly comment: string }[] {
  const comments: { start: number; comment: string }[] = [];
  let at = 0;
  let before = "";
  for (const token of new Lexer().lex(text)) {
    if (token.startsWith("#") && before !== "\u001f") comments.push({ start: at, comment: token });
    if (!MARKS.has(token)) at += token.length;
    before = token;
  }
  return comments;
}

function rangeOf(node: unknown): readonly [number, number] {
  const [start, end] = (node as { range?: [number, number, number] | null } | null)?.range ?? [
    0, 0,
  ];
  return [start, end];
}

/** Where its last character is: ranges of lists and of texts in several lines go on to the next key. */
function endOf(text: string, node: unknown): number {
  if ((isMap(node) || isSeq(node)) && node.flow !== true) {
    const last: unknown = node.items.at(-1);
    const end = isPair(last)
      ? Math.max(rangeOf(last.key)[1], endOf(text, last.value))
      : endOf(text, last);
    return end;
  }
  return text.slice(0, rangeOf(node)[1]).trimEnd().length;
}

function columnOf(text: string, { key }: Pair): number {
  const [start] = rangeOf(key);
  return start - (text.lastIndexOf("\n", start - 1) + 1);
}

/** Of the line end, or the end of the text. */
function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}
