/** Bytes of a file as a value that is safe to keep, with what had to be changed about it. */
import { cleanValue, type CleanValue } from "../../domain/old-formats/clean-value.ts";
import { newerVersion } from "../../domain/old-formats/format-version.ts";
import { isFields, type Fields } from "../../domain/old-formats/field-reader.ts";
import { isTooDeep } from "../../domain/value-depth.ts";
import { looksTooDeep } from "../files/yaml-depth.ts";
import { PieceProblem } from "./source-folder.ts";

/** Nobody's record is nested deeper. */
const MOST_DEPTH = 100;

export interface ParsedPiece extends CleanValue {
  readonly value: Fields;
  /** As it was written, for checksums. */
  readonly raw: Fields;
}

/** The field that a file stands for which is a list and no object. */
export const LIST = "list";

export function parseJson(bytes: Buffer, mayBeList: boolean): ParsedPiece {
  const text = decode(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new PieceProblem("it is not valid JSON", "broken");
  }
  return cleaned(mayBeList && Array.isArray(value) ? { [LIST]: value } : value);
}

export async function parseYaml(bytes: Buffer): Promise<ParsedPiece> {
  const text = decode(bytes);
  if (looksTooDeep(text, MOST_DEPTH)) throw new PieceProblem("it is nested too deeply", "broken");
  const { readYaml } = await import("../files/state/state-yaml.ts");
  let value: unknown;
  try {
    value = readYaml(text).value;
  } catch (error) {
    // The first line says what and where; the rest shows the text itself, which may be secret.
    const [why = ""] = (error as Error).message.split("\n", 1);
    throw new PieceProblem(`it is not valid YAML: ${why.replace(/:$/, "")}`, "broken");
  }
  return cleaned(value);
}

/** One that a newer version of its tool wrote may mean something else by the same words. */
export function refuseNewer(value: unknown): void {
  const version = newerVersion(value);
  if (version === undefined) return;
  const message = `it has the version ${JSON.stringify(version)}, which this Waymark does not support`;
  throw new PieceProblem(message, "newer_version");
}

function decode(bytes: Buffer): string {
  try {
    // Takes a byte order mark away.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new PieceProblem("it is not UTF-8 text", "broken");
  }
}

function cleaned(raw: unknown): ParsedPiece {
  if (!isFields(raw)) throw new PieceProblem("it is not an object with fields", "broken");
  if (isTooDeep(raw)) throw new PieceProblem("it is nested too deeply", "broken");
  const clean = cleanValue(raw);
  return { ...clean, value: isFields(clean.value) ? clean.value : {}, raw };
}
