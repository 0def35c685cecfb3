/** State documents in YAML. Loads the `yaml` package, so only a text that is no JSON leads here. */
import { isAlias, isNode, isScalar, parseAllDocuments, parseDocument, stringify } from "yaml";
import { canonicalJson } from "../../../domain/canonical-json.ts";
import type { WantedValue } from "./state-json.ts";

/** Each use of an alias counts; without an end, ten lines of YAML could become gigabytes. */
const MOST_ALIASES = 100;

export interface YamlState {
  readonly value: unknown;
  /** It has whole numbers that JSON's readers do not keep. */
  readonly isInexact: boolean;
}

/** As JSON has it: what has no place there is an error and not silently something else. */
export function readYaml(text: string): YamlState {
  const options = { uniqueKeys: true, prettyErrors: true, intAsBigInt: true };
  const documents = parseAllDocuments(text, options);
  const [document, second] = Array.isArray(documents) ? documents : [];
  if (document === undefined) throw new Error("it is empty");
  if (second !== undefined) throw new Error("it has more than one document");
  const [error] = document.errors;
  if (error !== undefined) throw error;
  const value: unknown = document.toJS({ maxAliasCount: MOST_ALIASES });
  let isInexact = false;
  const json = JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member === "bigint") {
      isInexact ||= !Number.isSafeInteger(Number(member));
      return Number(member);
    }
    if (typeof member === "number" && !Number.isFinite(member)) {
      throw new Error("it has a number that JSON cannot represent");
    }
    return member;
  }) as string | undefined;
  return { value: json === undefined ? undefined : (JSON.parse(json) as unknown), isInexact };
}

/** Only the text of these values is exchanged, where that gives what is wanted; comments, order and style of the rest stay. */
export function patchYaml(text: string, wanted: readonly WantedValue[], result: unknown): string {
  const spliced = splice(text, wanted);
  if (spliced !== undefined && means(spliced, result)) return spliced;
  // A key that comes or goes has no text to exchange: then the package writes the document.
  const document = parseDocument(text);
  for (const { path, value } of wanted) {
    if (value === undefined) document.deleteIn(path);
    else document.setIn(path, document.createNode(value));
  }
  return document.toString();
}

function splice(text: string, wanted: readonly WantedValue[]): string | undefined {
  const document = parseDocument(text);
  const edits: { start: number; end: number; text: string }[] = [];
  for (const { path, value } of wanted) {
    const node: unknown = document.getIn(path, true);
    if (value === undefined || !isNode(node) || isAlias(node)) return undefined;
    const { range, anchor } = node;
    if (range === null || range === undefined || anchor !== undefined) return undefined;
    edits.push({ start: range[0], end: range[1], text: written(value, isScalar(node)) });
  }
  return edits
    .toSorted((left, right) => right.start - left.start)
    .reduce((now, { start, end, text: by }) => now.slice(0, start) + by + now.slice(end), text);
}

/** On one line: JSON is YAML, and what was a list or a map over many lines may become one. */
function written(value: unknown, isPlain: boolean): string {
  const plain = isPlain && typeof value === "string" ? stringify(value, { lineWidth: 0 }) : "";
  const line = plain.trimEnd();
  return line !== "" && !line.includes("\n") ? line : JSON.stringify(value);
}

function means(text: string, value: unknown): boolean {
  try {
    return canonicalJson(readYaml(text).value) === canonicalJson(value);
  } catch {
    return false;
  }
}
