/** State documents as text: reading JSON and YAML, and changing a few keys without touching the rest. */
import { hasInexactNumber } from "./inexact-numbers.ts";
import { looksTooDeep } from "../yaml-depth.ts";
import { Failure } from "../../../domain/failure.ts";
import { isTooDeep, MOST_DEPTH } from "../../../domain/value-depth.ts";
import { keyPath, replaceKeys, valueAt } from "../../../domain/state-keys.ts";

export type StateFormat = "json" | "yaml";

export interface StateText {
  readonly format: StateFormat;
  readonly value: unknown;
  /** It has numbers with more digits than `value` keeps. */
  readonly isInexact: boolean;
}

/** JSON is tried first whatever the file is called. `what` is for the message. */
export async function parseState(bytes: Buffer, what: string): Promise<StateText> {
  const text = decode(bytes, what);
  const parsed = parseJson(text) ?? (await parseYaml(text, what));
  if (parsed.value === undefined) throw bad(what, "it is empty");
  if (isTooDeep(parsed.value)) throw tooDeep(what);
  return parsed;
}

function decode(bytes: Buffer, what: string): string {
  try {
    // Takes a byte order mark away.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw bad(what, "it is not UTF-8 text");
  }
}

function parseJson(text: string): StateText | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return { format: "json", value, isInexact: hasInexactNumber(text) };
}

async function parseYaml(text: string, what: string): Promise<StateText> {
  if (looksTooDeep(text, MOST_DEPTH)) throw tooDeep(what);
  const { readYaml } = await import("./state-yaml.ts");
  try {
    return { format: "yaml", ...readYaml(text) };
  } catch (error) {
    // The first line says what and where; the rest shows the text itself, which may be secret.
    throw bad(what, (error as Error).message.split("\n", 1)[0]?.replace(/:$/, "") ?? "");
  }
}

function tooDeep(what: string): Failure {
  return bad(what, `it is nested deeper than ${MOST_DEPTH} levels`);
}

function bad(what: string, problem: string): Failure {
  return new Failure("usage", `${what} is not valid JSON or YAML: ${problem}`, {
    hint: "Pass one JSON or YAML document. No checkpoint was created; nothing was changed.",
  });
}

export function jsonText(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
}

/** The text with these keys as `from` has them; everything else stays as it is written. */
export async function patchKeys(
  bytes: Buffer | undefined,
  from: unknown,
  keys: readonly string[],
  what: string,
): Promise<Buffer> {
  if (bytes === undefined) return jsonText(replaceKeys({}, from, keys));
  const now = await parseState(bytes, what);
  const text = bytes.toString("utf8");
  const wanted = keys.map((key) => {
    const path = keyPath(from, key);
    return { path, value: valueAt(from, path) };
  });
  const changed = wanted.filter(({ path, value }) => !same(valueAt(now.value, path), value));
  if (changed.length === 0) return bytes;
  if (now.format === "json") {
    const { patchJson } = await import("./state-json.ts");
    return Buffer.from(patchJson(text, changed));
  }
  const { patchYaml } = await import("./state-yaml.ts");
  return Buffer.from(patchYaml(text, changed, replaceKeys(now.value, from, keys)));
}

function same(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
