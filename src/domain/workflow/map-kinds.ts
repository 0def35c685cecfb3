/** Values of a workflow file that are maps: variables and outputs. */
import { plain, type RawEntry, type RawNode } from "../config-check.ts";
import { nearestName } from "../nearest-name.ts";
import type { OutputSource, Outputs, Variables } from "./definition.ts";
import type { FileProblems } from "./file-problems.ts";
import {
  allOf,
  FLAG,
  INNER_PATH,
  whole,
  word,
  wrongText,
  type JsonSchema,
  type ValueKind,
} from "./value-kinds.ts";

interface MapOf<Value> {
  readonly takes: string;
  /** What a key is called, for people. */
  readonly key: string;
  readonly keyPattern: string;
  readonly keyTakes: string;
  readonly reserved: readonly string[];
  readonly value: ValueKind<Value>;
}

function mapOf<Value>(what: MapOf<Value>): ValueKind<Readonly<Record<string, Value>>> {
  const read = (
    node: RawNode,
    shownAs: string,
    problems: FileProblems,
  ): Readonly<Record<string, Value>> | undefined => {
    if (node.kind !== "map") {
      problems.add(node, wrongText(plain(node), shownAs, what.takes));
      return undefined;
    }
    const entries = allOf(
      node.entries.map((entry) => {
        const isNamed = checkKey(what, entry, problems);
        const value = what.value.read(entry.value, `${shownAs}.${entry.key}`, problems);
        return isNamed && value !== undefined ? ([entry.key, value] as const) : undefined;
      }),
    );
    return entries === undefined ? undefined : Object.fromEntries(entries);
  };
  return { takes: what.takes, schema: mapSchema(what), read };
}

function checkKey<Value>(what: MapOf<Value>, entry: RawEntry, problems: FileProblems): boolean {
  if (what.reserved.includes(entry.key)) {
    problems.add(entry, `${entry.key} is set by Waymark itself`);
    return false;
  }
  if (new RegExp(what.keyPattern, "u").test(entry.key)) return true;
  problems.add(entry, wrongText(entry.key, what.key, what.keyTakes));
  return false;
}

function mapSchema<Value>({ keyPattern, reserved, value }: MapOf<Value>): JsonSchema {
  const names = { pattern: keyPattern };
  return {
    type: "object",
    propertyNames: reserved.length === 0 ? names : { ...names, not: { enum: reserved } },
    additionalProperties: value.schema,
  };
}

/** What a node sees of its session. */
export const NODE_VARIABLES = [
  "WAYMARK_SESSION",
  "WAYMARK_PHASE",
  "WAYMARK_STEP",
  "WAYMARK_NODE",
  "WAYMARK_STATE",
] as const;

/** `1.10` would become `1.1`, so other numbers need quotes. */
const VARIABLE_VALUE = whole(
  "a string; integers, true and false are taken as strings too",
  { type: ["string", "integer", "boolean"] },
  (raw) => {
    if (typeof raw === "string") return raw.includes("\0") ? undefined : raw;
    return typeof raw === "boolean" || Number.isSafeInteger(raw) ? String(raw) : undefined;
  },
);

export const VARIABLES: ValueKind<Variables> = mapOf({
  takes: 'a map of variables such as {CI: "1"}',
  key: "the name of a variable",
  keyPattern: "^[A-Za-z_][A-Za-z0-9_]*$",
  keyTakes: "letters, digits and underscores, not starting with a digit",
  reserved: NODE_VARIABLES,
  value: VARIABLE_VALUE,
});

const STDOUT = word(["json", "text"]);
const OUTPUT_TAKES =
  "a path, {file: PATH}, {file: PATH, json: true}, {stdout: json} or {stdout: text}";

const OUTPUT: ValueKind<OutputSource> = {
  takes: OUTPUT_TAKES,
  schema: {
    anyOf: [
      INNER_PATH.schema,
      {
        type: "object",
        properties: { file: INNER_PATH.schema, json: FLAG.schema },
        required: ["file"],
        additionalProperties: false,
      },
      {
        type: "object",
        properties: { stdout: STDOUT.schema },
        required: ["stdout"],
        additionalProperties: false,
      },
    ],
  },
  read: (node, shownAs, problems) => {
    if (node.kind === "map") return readSource(node, shownAs, problems);
    if (node.kind === "scalar" && typeof node.value === "string") {
      const path = INNER_PATH.read(node, shownAs, problems);
      return path === undefined ? undefined : { kind: "file", path, json: false };
    }
    problems.add(node, wrongText(plain(node), shownAs, OUTPUT_TAKES));
    return undefined;
  },
};

const OUTPUT_KEYS = ["file", "json", "stdout"];

function readSource(
  node: RawNode & { readonly kind: "map" },
  shownAs: string,
  problems: FileProblems,
): OutputSource | undefined {
  const unknown = node.entries.filter(({ key }) => !OUTPUT_KEYS.includes(key));
  for (const entry of unknown) {
    const nearest = nearestName(entry.key, OUTPUT_KEYS);
    const meant = nearest === undefined ? "" : `; did you mean ${nearest}?`;
    problems.add(entry, `unknown key ${shownAs}.${entry.key}${meant}`);
  }
  if (unknown.length > 0) return undefined;
  const at = (key: string): RawNode | undefined =>
    node.entries.find((entry) => entry.key === key)?.value;
  const file = at("file");
  const json = at("json");
  const stdout = at("stdout");
  if (stdout !== undefined && file === undefined && json === undefined) {
    const format = STDOUT.read(stdout, `${shownAs}.stdout`, problems);
    return format === undefined ? undefined : { kind: "stdout", format };
  }
  if (file === undefined || stdout !== undefined) {
    problems.add(node, wrongText(plain(node), shownAs, OUTPUT_TAKES));
    return undefined;
  }
  const path = INNER_PATH.read(file, `${shownAs}.file`, problems);
  const isJson = json === undefined ? false : FLAG.read(json, `${shownAs}.json`, problems);
  return path === undefined || isJson === undefined
    ? undefined
    : { kind: "file", path, json: isJson };
}

export const OUTPUTS: ValueKind<Outputs> = mapOf({
  takes: "a map such as {spec: docs/spec.md}",
  key: "the name of an output",
  keyPattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
  keyTakes: "letters, digits and . _ -, starting with a letter or digit",
  reserved: [],
  value: OUTPUT,
});
