/** Reads YAML as data with places. Loads the `yaml` package, so only a file that was not read before leads here. */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
  type ParsedNode,
} from "yaml";
import { looksTooDeep } from "./yaml-depth.ts";
import type { Place, RawEntry, RawNode } from "../../domain/config-check.ts";

export interface YamlError extends Place {
  readonly message: string;
}

export type YamlResult =
  | { readonly kind: "ok"; readonly root: RawNode; readonly oddities: readonly YamlError[] }
  | { readonly kind: "wrong"; readonly errors: readonly YamlError[] };

/** Each use of an alias counts; without an end, ten lines of YAML could become gigabytes. */
const MOST_ALIASES = 100;
const MOST_DEPTH = 50;
/** An alias of a long list counts as often as it is used. */
const MOST_VALUES = 200_000;
/** Nobody reads more of them, and one slip can make thousands. */
const MOST_ERRORS = 20;

/** With `section`, other keys of the file are not looked at where it has that one. */
export function parseYaml(text: string, section?: string): YamlResult {
  if (looksTooDeep(text, MOST_DEPTH)) return TOO_DEEP;
  const lines = new LineCounter();
  // The package compares every key with every other; the converter needs one look at each.
  const options = { lineCounter: lines, prettyErrors: false, uniqueKeys: false };
  const document = parseDocument(text, options);
  const describe = (found: { pos: [number, number]; message: string }): YamlError => ({
    ...placeOf(lines, found.pos[0]),
    message: explained(found.message),
  });
  if (document.errors.length > 0) {
    return { kind: "wrong", errors: document.errors.slice(0, MOST_ERRORS).map(describe) };
  }
  const converter = new Converter(document, lines);
  try {
    const root = converter.convert(document.contents, 0, section);
    const { twice } = converter;
    if (twice.length > 0) return { kind: "wrong", errors: twice.slice(0, MOST_ERRORS) };
    return { kind: "ok", root, oddities: document.warnings.slice(0, MOST_ERRORS).map(describe) };
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    return { kind: "wrong", errors: [{ ...error.place, message: error.message }] };
  }
}

/** What the package says is about its own functions, or too short about the slip that everybody makes. */
function explained(message: string): string {
  if (message.startsWith("Source contains multiple documents")) {
    return "a second YAML document begins here: one file is one document, without --- between";
  }
  return message.startsWith("Nested mappings are not allowed")
    ? `${message}: a string with a colon followed by a space needs quotes`
    : message;
}

const TOO_DEEP: YamlResult = {
  kind: "wrong",
  errors: [{ line: 1, column: 1, message: "it is nested too deeply" }],
};

class TooMuch extends Error {
  readonly place: Place;

  constructor(message: string, place: Place) {
    super(message);
    this.place = place;
  }
}

function placeOf(lines: LineCounter, offset: number | undefined): Place {
  const { line, col } = lines.linePos(offset ?? 0);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

class Converter {
  readonly #document: Document.Parsed;
  readonly #lines: LineCounter;
  #aliases = 0;
  #values = 0;
  /** Keys that a map has more than once. */
  readonly twice: YamlError[] = [];

  constructor(document: Document.Parsed, lines: LineCounter) {
    this.#document = document;
    this.#lines = lines;
  }

  convert(node: unknown, depth: number, section?: string): RawNode {
    const place = placeOf(this.#lines, (node as ParsedNode | null)?.range?.[0]);
    if (depth > MOST_DEPTH) throw new TooMuch("it is nested too deeply", place);
    this.#values += 1;
    if (this.#values > MOST_VALUES) throw new TooMuch("it has too many values", place);
    if (isAlias(node)) {
      this.#aliases += 1;
      if (this.#aliases > MOST_ALIASES) throw new TooMuch("it has too many aliases", place);
      return { ...this.convert(node.resolve(this.#document), depth + 1), ...place };
    }
    if (isMap(node)) {
      const chosen = node.items.filter(({ key }) => keyText(key) === section);
      const items = section !== undefined && chosen.length > 0 ? chosen : node.items;
      const entries = items.map((pair) => this.#entry(pair, depth));
      this.#noteTwice(entries);
      return { kind: "map", ...place, entries };
    }
    if (isSeq(node)) {
      return {
        kind: "list",
        ...place,
        items: node.items.map((item) => this.convert(item, depth + 1)),
      };
    }
    return { kind: "scalar", ...place, value: isScalar(node) ? scalar(node.value) : null };
  }

  #noteTwice(entries: readonly RawEntry[]): void {
    const first = new Map<string, number>();
    for (const { key, line, column } of entries) {
      const before = first.get(key);
      if (before === undefined) first.set(key, line);
      else
        this.twice.push({
          line,
          column,
          message: `duplicate key ${key}, first in line ${before}`,
        });
    }
  }

  #entry(pair: { readonly key: unknown; readonly value: unknown }, depth: number): RawEntry {
    const place = placeOf(this.#lines, (pair.key as ParsedNode | null)?.range?.[0]);
    return { ...place, key: keyText(pair.key), value: this.convert(pair.value, depth + 1) };
  }
}

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key);
}

/** The core schema of YAML knows no others. */
function scalar(value: unknown): string | number | boolean | null {
  const isPlain = ["string", "number", "boolean"].includes(typeof value);
  return isPlain ? (value as string | number | boolean) : null;
}
