/** Reading fields of a payload that may be anything: what is missing or of the wrong type is not there. */
import { canonicalJson } from "../canonical-json.ts";
import { isRecord } from "../is-record.ts";
import { isTooDeep } from "../value-depth.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** Only what the payload itself has: `constructor` is no field of it. */
export function fieldOf(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** The first of these fields that is a text and not empty. */
export function textOf(fields: Fields, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fieldOf(fields, name);
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

/** Ids and names are written into documents: one without an end is cut. */
const MOST_CHARACTERS = 256;

export function idOf(fields: Fields, ...names: readonly string[]): string | undefined {
  return textOf(fields, ...names)?.slice(0, MOST_CHARACTERS);
}

export function recordOf(fields: Fields, name: string): Fields | undefined {
  const value = fieldOf(fields, name);
  return isRecord(value) ? value : undefined;
}

/** The texts of a list; none where it is no list. */
export function textsOf(fields: Fields, name: string): readonly string[] {
  const value = fieldOf(fields, name);
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is string => typeof item === "string" && item !== "");
}

/** Some agents send what a tool is called with as a text of JSON. */
export function unpacked(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[{[]/u.test(value)) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/** One text per value, however deep it is nested. */
export function textOfValue(value: unknown): string {
  return isTooDeep(value) ? levelsOf(value) : canonicalJson(value ?? null);
}

/** Level by level, as a walk into the depth would end the process. */
function levelsOf(value: unknown): string {
  const texts: string[] = [];
  for (let level = [value]; level.length > 0; level = level.flatMap(membersOf))
    texts.push(JSON.stringify(level.map(outlineOf)));
  return texts.join("\n");
}

function membersOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return isRecord(value) ? namesOf(value).map((name) => value[name]) : [];
}

function outlineOf(value: unknown): unknown {
  if (Array.isArray(value)) return { items: value.length };
  return isRecord(value) ? namesOf(value) : value;
}

function namesOf(fields: Fields): string[] {
  return Object.keys(fields).toSorted();
}
