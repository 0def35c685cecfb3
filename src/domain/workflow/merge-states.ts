/**
 * The workflow's state after nodes that ran side by side, each with a copy of its own: merged by top-level key. Where two
 * made different things of one key, the last in the order of the batch wins, and the conflict is reported with both values.
 */
import { canonicalJson } from "../canonical-json.ts";

export interface NodeState {
  readonly node: string;
  /** What the node left in its copy. */
  readonly state: unknown;
}

export interface StateConflict {
  /** Null: the state is no object, so it is one thing. */
  readonly key: string | null;
  /** Who wanted what, in the order of the batch; a value that is not there: the key was taken out. */
  readonly values: readonly { readonly node: string; readonly value?: unknown }[];
}

export interface MergedState {
  readonly state: unknown;
  readonly conflicts: readonly StateConflict[];
}

type Fields = Readonly<Record<string, unknown>>;

export function mergeStates(base: unknown, results: readonly NodeState[]): MergedState {
  const changed = results.filter(({ state }) => !isSame(state, base));
  if (isFields(base) && changed.every(({ state }) => isFields(state))) {
    return mergeFields(
      base,
      changed.map(({ node, state }) => ({ node, fields: isFields(state) ? state : {} })),
    );
  }
  const last = changed.at(-1);
  if (last === undefined) return { state: base, conflicts: [] };
  const values = changed.map(({ node, state }) => ({ node, value: state }));
  return { state: last.state, conflicts: differ(values) ? [{ key: null, values }] : [] };
}

function mergeFields(
  base: Fields,
  results: readonly { readonly node: string; readonly fields: Fields }[],
): MergedState {
  const keys = new Set([base, ...results.map(({ fields }) => fields)].flatMap(Object.keys));
  const merged: [string, unknown][] = [];
  const conflicts: StateConflict[] = [];
  for (const key of keys) {
    const values = results
      .filter(({ fields }) => !isSame(at(fields, key), at(base, key)))
      .map(({ node, fields }) => ({ node, ...valueAt(fields, key) }));
    if (differ(values)) conflicts.push({ key, values });
    const winner = values.at(-1) ?? valueAt(base, key);
    if ("value" in winner) merged.push([key, winner.value]);
  }
  return { state: Object.fromEntries(merged), conflicts };
}

function valueAt(fields: Fields, key: string): { readonly value?: unknown } {
  return Object.hasOwn(fields, key) ? { value: fields[key] } : {};
}

/** In a list, so that a key that is not there differs from one that is null. */
function at(fields: Fields, key: string): readonly unknown[] {
  return Object.hasOwn(fields, key) ? [fields[key]] : [];
}

function differ(values: readonly { readonly value?: unknown }[]): boolean {
  const [first, ...others] = values;
  return others.some((other) => !isSame(asList(other), asList(first ?? {})));
}

function asList(given: { readonly value?: unknown }): readonly unknown[] {
  return "value" in given ? [given.value] : [];
}

function isSame(left: unknown, right: unknown): boolean {
  return canonicalJson(left ?? null) === canonicalJson(right ?? null);
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
