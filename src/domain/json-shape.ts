/** What values of JSON must look like to be read at all. Small and without a library: every command reads sessions. */
import { isRecord } from "./is-record.ts";

/** Where the first thing is that does not fit, and what it should be; undefined: all fits. */
export type Shape = (value: unknown) => string | undefined;

export const isText: Shape = (value) => (typeof value === "string" ? undefined : "is not a string");
export const isNumber: Shape = (value) =>
  typeof value === "number" && Number.isFinite(value) ? undefined : "is not a number";
export const isCount: Shape = (value) =>
  Number.isSafeInteger(value) && Number(value) >= 0
    ? undefined
    : "is not a whole number of 0 or more";
export const isBoolean: Shape = (value) =>
  typeof value === "boolean" ? undefined : "is neither true nor false";
export const isInstant: Shape = (value) =>
  typeof value === "string" && !Number.isNaN(Date.parse(value)) ? undefined : "is not a time";
export const isAnyRecord: Shape = (value) => (isRecord(value) ? undefined : "is not an object");

export function orNull(shape: Shape): Shape {
  return (value) => (value === null ? undefined : shape(value));
}

export function orMissing(shape: Shape): Shape {
  return (value) => (value === undefined ? undefined : shape(value));
}

export function oneOf(words: readonly unknown[]): Shape {
  return (value) => (words.includes(value) ? undefined : `is not one of ${words.join(", ")}`);
}

export function listOf(shape: Shape): Shape {
  return (value) => (Array.isArray(value) ? firstIn(value.entries(), shape) : "is not a list");
}

/** By any name. */
export function recordOf(shape: Shape): Shape {
  return (value) => (isRecord(value) ? firstIn(Object.entries(value), shape) : "is not an object");
}

/** With these fields; others may be there. */
export function recordWith(fields: Readonly<Record<string, Shape>>): Shape {
  return (value) => {
    if (!isRecord(value)) return "is not an object";
    for (const [name, shape] of Object.entries(fields)) {
      const problem = shape(Object.hasOwn(value, name) ? value[name] : undefined);
      if (problem !== undefined) return at(name, problem);
    }
    return undefined;
  };
}

function firstIn(
  entries: Iterable<readonly [string | number, unknown]>,
  shape: Shape,
): string | undefined {
  for (const [name, value] of entries) {
    const problem = shape(value);
    if (problem !== undefined) return at(name, problem);
  }
  return undefined;
}

function at(name: string | number, problem: string): string {
  return problem.startsWith("is ") ? `${name} ${problem}` : `${name}.${problem}`;
}
