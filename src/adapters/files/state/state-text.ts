/** State documents as text: reading JSON and YAML, and changing a few keys without touching the rest. */
import { looksTooDeep } from "../yaml-depth.ts";
import { Failure } from "../../../domain/failure.ts";
import { keyPath, replaceKeys, valueAt } from "../../../domain/state-keys.ts";

export type StateFormat = "json" | "yaml";

export interface StateText {
  readonly format: StateFormat;
  readonly value: unknown;
}

/** Deeper than anything that a person wrote, and far from where a walk through it would end the process. */
const MOST_DEPTH = 200;

/** JSON is tried first whatever the file is called. `what` is for the message. */
export async function parseState(bytes: Buffer, what: string): Promise<StateText> {
  const text = decode(bytes, what);
  const parsed = parseJson(text) ?? (await parseYaml(text, what));
  if (parsed.value === undefined) throw bad(what, "there is nothing in it");
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
  try {
    return { format: "json", value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

async function parseYaml(text: string, what: string): Promise<StateText> {
  if (looksTooDeep(text, MOST_DEPTH)) throw tooDeep(what);
  const { readYaml } = await import("./state-yaml.ts");
  try {
    return { format: "yaml", value: readYaml(text) };
  } catch (error) {
    // The first line says what and where; the rest shows the text itself, which may be secret.
    throw bad(what, (error as Error).message.split("\n", 1)[0]?.replace(/:$/, "") ?? "");
  }
}

export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MOST_DEPTH) return true;
    level = level.flatMap((item) =>
      item !== null && typeof item === "object" ? Object.values(item) : [],
    );
  }
  return false;
}

function tooDeep(what: string): Failure {
  return bad(what, `it is nested deeper than ${MOST_DEPTH} levels`);
}

function bad(what: string, problem: string): Failure {
  return new Failure("usage", `${what} is neither JSON nor YAML that can be held: ${problem}`, {
    hint: "Give one JSON or YAML document. No checkpoint was made; nothing was changed.",
  });
}

export function jsonText(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
}

/** The text with these keys as `from` has them. Comments and order of YAML stay, and the indentation of JSON. */
export async function patchKeys(
  bytes: Buffer | undefined,
  from: unknown,
  keys: readonly string[],
  what: string,
): Promise<Buffer> {
  if (bytes === undefined) return jsonText(replaceKeys({}, from, keys));
  const now = await parseState(bytes, what);
  if (now.format === "json") {
    const text = bytes.toString("utf8");
    const indent = /\n([ \t]+)/.exec(text)?.[1] ?? (text.includes("\n") ? "  " : undefined);
    const end = text.endsWith("\n") ? "\n" : "";
    return Buffer.from(JSON.stringify(replaceKeys(now.value, from, keys), null, indent) + end);
  }
  const { patchYaml } = await import("./state-yaml.ts");
  const wanted = keys.map((key) => {
    const path = keyPath(from, key);
    return { path, value: valueAt(from, path) };
  });
  return Buffer.from(patchYaml(bytes.toString("utf8"), now.value, wanted));
}
