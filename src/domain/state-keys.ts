/** Parts of a state by their keys: `tasks`, or `tasks.current` for what is further inside. */
import { isRecord } from "./is-record.ts";

/** A key that is there as it is written wins over a path with dots. */
export function keyPath(value: unknown, key: string): string[] {
  return isRecord(value) && Object.hasOwn(value, key) ? [key] : key.split(".");
}

/** Undefined: there is nothing. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (!isRecord(found) || !Object.hasOwn(found, name)) return undefined;
    found = found[name];
  }
  return found;
}

/** Keys of which the value has nothing. */
export function missingKeys(value: unknown, keys: readonly string[]): string[] {
  return keys.filter((key) => valueAt(value, keyPath(value, key)) === undefined);
}

/** Nothing but what these keys name. */
export function pickKeys(value: unknown, keys: readonly string[]): Record<string, unknown> {
  return replaceKeys({}, value, keys);
}

/** A copy of `into` in which these keys are as `from` has them; what `from` does not have goes. */
export function replaceKeys(
  into: unknown,
  from: unknown,
  keys: readonly string[],
): Record<string, unknown> {
  let result: Record<string, unknown> = isRecord(into) ? into : {};
  for (const key of keys) {
    const path = keyPath(from, key);
    const wanted = valueAt(from, path);
    result = wanted === undefined ? without(result, path) : withValue(result, path, wanted);
  }
  return result;
}

function withValue(
  record: Readonly<Record<string, unknown>>,
  [first = "", ...rest]: readonly string[],
  value: unknown,
): Record<string, unknown> {
  if (rest.length === 0) return withMember(record, first, value);
  const inner = record[first];
  return withMember(record, first, withValue(isRecord(inner) ? inner : {}, rest, value));
}

function without(
  record: Readonly<Record<string, unknown>>,
  [first = "", ...rest]: readonly string[],
): Record<string, unknown> {
  if (rest.length === 0) {
    return Object.fromEntries(Object.entries(record).filter(([name]) => name !== first));
  }
  const inner = record[first];
  return isRecord(inner) ? withMember(record, first, without(inner, rest)) : { ...record };
}

/** By way of entries: a key called `__proto__` is a key like any other. */
function withMember(
  record: Readonly<Record<string, unknown>>,
  name: string,
  value: unknown,
): Record<string, unknown> {
  const isThere = Object.hasOwn(record, name);
  const members = Object.entries(record).map(([key, old]) => [key, key === name ? value : old]);
  return Object.fromEntries(isThere ? members : [...members, [name, value]]) as Record<
    string,
    unknown
  >;
}
