/** Documents for models: without secrets and control characters, and never larger than what fits into an answer. */
import { isRecord } from "../../domain/is-record.ts";
import { redactValue } from "../../domain/secrets/redact.ts";
import { cut, escaped } from "./shown-text.ts";

export interface LimitedDocument {
  readonly document: Record<string, unknown>;
  /** What is not in it, in words; empty: it is whole. */
  readonly leftOut: readonly string[];
}

interface Limits {
  /** Of a list. */
  readonly items: number;
  /** Of a text. */
  readonly characters: number;
  /** Of an object as deep as this nothing is shown. */
  readonly depth: number;
  /** Of an object that workflows keep in their own way. */
  readonly fields: number;
}

/** Of our own objects, which are not deeper than that. */
const MOST_FIELDS = 200;
const OUR_DEPTH = 2;
const MOST_NOTES = 20;
/** Deeper is only what workflows keep in their own way. */
const OWN_DEPTH = 6;

/** Tried one after the other until it fits. */
const LIMITS: readonly Limits[] = [
  { items: 200, characters: 4000, depth: 40, fields: MOST_FIELDS },
  { items: 100, characters: 2000, depth: 40, fields: MOST_FIELDS },
  { items: 50, characters: 1000, depth: 20, fields: MOST_FIELDS },
  { items: 20, characters: 600, depth: 20, fields: 100 },
  { items: 10, characters: 300, depth: 12, fields: 60 },
  { items: 5, characters: 300, depth: OWN_DEPTH, fields: 40 },
  { items: 2, characters: 200, depth: OWN_DEPTH, fields: 40 },
  { items: 0, characters: 100, depth: OWN_DEPTH - 1, fields: 40 },
  { items: 0, characters: 100, depth: OUR_DEPTH + 1, fields: 40 },
  { items: 0, characters: 100, depth: OUR_DEPTH, fields: 40 },
];

export function limitedDocument(
  given: Readonly<Record<string, unknown>>,
  mostCharacters: number,
): LimitedDocument {
  // As it will be sent: dates are texts, and what is undefined is not there.
  const plain = redactValue(JSON.parse(JSON.stringify(given)));
  let last: LimitedDocument = { document: {}, leftOut: [] };
  for (const limits of LIMITS) {
    const notes: string[] = [];
    const document = limited(plain, limits, "", 0, notes);
    const more = notes.length - MOST_NOTES;
    const leftOut = more > 0 ? [...notes.slice(0, MOST_NOTES), `and ${more} more places`] : notes;
    last = { document: isRecord(document) ? document : {}, leftOut };
    if (JSON.stringify(last.document).length <= mostCharacters) break;
  }
  return last;
}

function limited(
  value: unknown,
  limits: Limits,
  place: string,
  depth: number,
  notes: string[],
): unknown {
  if (typeof value === "string") {
    if (value.length > limits.characters) notes.push(`${place}: the end of a long text`);
    return escaped(cut(value, limits.characters));
  }
  if (Array.isArray(value)) {
    const most = depth >= limits.depth ? 0 : limits.items;
    if (value.length > most) {
      notes.push(`${place}: ${value.length - most} of ${value.length} entries`);
    }
    return value
      .slice(0, most)
      .map((item, at) => limited(item, limits, `${place}[${at}]`, depth + 1, notes));
  }
  if (!isRecord(value)) return value;
  const fields = Object.entries(value);
  const most = depth >= limits.depth ? 0 : depth < OUR_DEPTH ? MOST_FIELDS : limits.fields;
  if (fields.length > most) {
    notes.push(`${place}: ${fields.length - most} of ${fields.length} fields`);
  }
  return Object.fromEntries(
    fields.slice(0, most).map(([name, inner]) => {
      const key = escaped(cut(name, limits.characters));
      return [
        key,
        limited(inner, limits, place === "" ? key : `${place}.${key}`, depth + 1, notes),
      ];
    }),
  );
}
