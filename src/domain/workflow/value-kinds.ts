/**
 * The kinds of values in a workflow file. Each says in words what it takes, says the same as JSON Schema, and reads a node of
 * the file or reports what is wrong with it.
 */
import { plain, shown, type RawNode } from "../config-check.ts";
import { durationMs } from "../duration.ts";
import type { FileProblems } from "./file-problems.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface ValueKind<Value> {
  /** For people: `name` takes … */
  readonly takes: string;
  readonly schema: JsonSchema;
  /** Undefined: it is wrong, and was reported. */
  readonly read: (node: RawNode, shownAs: string, problems: FileProblems) => Value | undefined;
}

/** A value that is right or wrong as a whole. */
export function whole<Value>(
  takes: string,
  schema: JsonSchema,
  take: (raw: unknown) => Value | undefined,
): ValueKind<Value> {
  const read = (node: RawNode, shownAs: string, problems: FileProblems): Value | undefined => {
    const raw = plain(node);
    const value = take(raw);
    if (value === undefined) {
      problems.add(node, `${wrongText(raw, shownAs, takes)}${quotesText(raw, take)}`);
    }
    return value;
  };
  return { takes, schema, read };
}

export function wrongText(raw: unknown, shownAs: string, takes: string): string {
  return raw === null
    ? `${shownAs} has no value; it takes ${takes}`
    : `${shownAs} cannot be ${shown(raw)}; it takes ${takes}`;
}

/** YAML takes `1` for a number and `yes` for text: where text is meant, quotes say so. */
function quotesText(raw: unknown, take: (raw: unknown) => unknown): string {
  const isOther = typeof raw === "number" || typeof raw === "boolean";
  return isOther && take(String(raw)) !== undefined ? ". Put quotes around it" : "";
}

/** The system hands each word of a command line over in one piece, and a piece has a limit (128 KiB on Linux). */
const LONGEST_LINE = 100_000;
const LONGEST_TEXT = 10_000;

/** No variable, path or argument can hold it. */
const NUL = "\0";

function textOf(raw: unknown, longest: number): string | undefined {
  const isText = typeof raw === "string" && raw.trim() !== "" && raw.length <= longest;
  return isText && !raw.includes(NUL) ? raw : undefined;
}

export const TEXT = whole(
  "a string",
  { type: "string", pattern: String.raw`\S`, maxLength: LONGEST_TEXT },
  (raw) => textOf(raw, LONGEST_TEXT),
);

export const SHELL_LINE = whole(
  "a shell command such as npm test",
  { type: "string", pattern: String.raw`\S`, maxLength: LONGEST_LINE },
  (raw) => textOf(raw, LONGEST_LINE),
);

export const SHELL_LINES: ValueKind<readonly string[]> = {
  takes: "a shell command, or a list of them",
  schema: { anyOf: [SHELL_LINE.schema, { type: "array", items: SHELL_LINE.schema }] },
  read: (node, shownAs, problems) => {
    const items = node.kind === "list" ? node.items : [node];
    return allOf(
      items.map((item) =>
        SHELL_LINE.read(item, node.kind === "list" ? itemOf(shownAs) : shownAs, problems),
      ),
    );
  },
};

/** Part of the id `phase/name`, of selectors such as `phase:name`, of variables and of lines for people: no slash, nothing unseen. */
const NAME = String.raw`^[\p{L}\p{N}]([\p{L}\p{M}\p{N} ._-]{0,62}[\p{L}\p{M}\p{N}._-])?$`;

export const NAME_KIND = whole(
  "a name: letters, digits, spaces and . _ -, starting with a letter or digit, at most 64 characters",
  { type: "string", pattern: NAME },
  (raw) => (typeof raw === "string" && new RegExp(NAME, "u").test(raw) ? raw : undefined),
);

export const NAME_LIST: ValueKind<readonly string[]> = {
  takes: "a list of names such as [api, ui]",
  schema: { type: "array", items: NAME_KIND.schema },
  read: (node, shownAs, problems) => {
    if (node.kind === "list") {
      return allOf(node.items.map((item) => NAME_KIND.read(item, itemOf(shownAs), problems)));
    }
    problems.add(node, wrongText(plain(node), shownAs, NAME_LIST.takes));
    return undefined;
  },
};

export const FLAG = whole("true or false", { type: "boolean" }, (raw) =>
  typeof raw === "boolean" ? raw : undefined,
);

export function count(min: number, max: number): ValueKind<number> {
  return whole(
    `an integer from ${min} to ${max}`,
    { type: "integer", minimum: min, maximum: max },
    (raw) =>
      typeof raw === "number" && Number.isInteger(raw) && raw >= min && raw <= max
        ? raw
        : undefined,
  );
}

export function word<const Word extends string>(words: readonly Word[]): ValueKind<Word> {
  const takes =
    words.length === 1
      ? words.join("")
      : `${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`;
  return whole(takes, { enum: words }, (raw) => words.find((known) => known === raw));
}

/** A timer of Node takes no more than 24 days, and one that is too long fires at once. */
const LONGEST_MS = 21 * 86_400_000;

/** In milliseconds; null: for ever. */
export const TIME_LIMIT = whole<{ readonly ms: number | null }>(
  "a duration such as 30s, 10m or 2h, at most 3w, or never",
  { type: "string", pattern: "^(never|[0-9]{1,6}[smhdw])$" },
  (raw) => {
    const ms = typeof raw === "string" ? durationMs(raw) : undefined;
    if (ms === undefined || ms === 0 || (ms ?? 0) > LONGEST_MS) return undefined;
    return { ms };
  },
);

/** In milliseconds. */
export const DELAY = whole(
  "a duration such as 30s or 5m, at most 1d",
  { type: "string", pattern: "^[0-9]{1,6}[smhdw]$" },
  (raw) => {
    const ms = typeof raw === "string" ? durationMs(raw) : undefined;
    return ms === undefined || ms === null || ms > 86_400_000 ? undefined : ms;
  },
);

/** What lies outside is in no checkpoint and in no work tree of a node. */
const INSIDE = String.raw`^(?!/)(?!(.*/)?\.\.(/|$))(?=.*\S)[^\u0000\r\n]+$`;

export const INNER_PATH = whole(
  "a path inside the project, from its root, such as docs/spec.md",
  { type: "string", pattern: INSIDE, maxLength: 4096 },
  (raw) =>
    typeof raw === "string" && raw.length <= 4096 && new RegExp(INSIDE, "u").test(raw)
      ? raw
      : undefined,
);

export function allOf<Value>(values: readonly (Value | undefined)[]): readonly Value[] | undefined {
  const right = values.filter((value) => value !== undefined);
  return right.length === values.length ? right : undefined;
}

function itemOf(shownAs: string): string {
  return `an item of ${shownAs}`;
}
