/**
 * Takes fields out of an object of unknown origin. What is not taken, because nobody asked for it or because it is of another type than it
 * should be, is still there in `rest`: nothing is lost on the way.
 */
import { instantOf, LAST_INSTANT } from "../instant.ts";

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

export class FieldReader {
  readonly #fields: Fields;
  readonly #taken = new Set<string>();

  constructor(fields: unknown) {
    this.#fields = isFields(fields) ? fields : {};
  }

  text(...names: readonly string[]): string | null {
    return this.#first(names, (value) => (typeof value === "string" ? value : undefined));
  }

  /** A whole number, not negative. */
  count(...names: readonly string[]): number | null {
    return this.#first(names, (value) =>
      typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined,
    );
  }

  flag(name: string): boolean | null {
    return this.#first([name], (value) => (typeof value === "boolean" ? value : undefined));
  }

  /** A point in time, in the form that all time stamps have. */
  time(...names: readonly string[]): string | null {
    return this.#first(names, timeStamp);
  }

  list(name: string): readonly unknown[] {
    return this.#first([name], (value) => (Array.isArray(value) ? value : undefined)) ?? [];
  }

  texts(name: string): readonly string[] {
    const isTexts = (value: unknown): value is string[] =>
      Array.isArray(value) && value.every((item) => typeof item === "string");
    return this.#first([name], (value) => (isTexts(value) ? value : undefined)) ?? [];
  }

  fields(name: string): Fields | null {
    return this.#first([name], (value) => (isFields(value) ? value : undefined));
  }

  /** The object itself is taken; what nobody takes of it is in its own `rest`. */
  inner(name: string): FieldReader {
    return new FieldReader(this.fields(name));
  }

  any(name: string): unknown {
    if (!Object.hasOwn(this.#fields, name)) return undefined;
    this.#taken.add(name);
    return this.#fields[name];
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#fields, name);
  }

  rest(): Fields {
    return Object.fromEntries(
      Object.entries(this.#fields).filter(([name]) => !this.#taken.has(name)),
    );
  }

  #first<Value>(
    names: readonly string[],
    read: (value: unknown) => Value | undefined,
  ): Value | null {
    for (const name of names) {
      if (!Object.hasOwn(this.#fields, name)) continue;
      const value = this.#fields[name];
      const found = value === null ? undefined : read(value);
      if (value === null || found !== undefined) this.#taken.add(name);
      if (found !== undefined) return found;
    }
    return null;
  }
}

/** Times without a zone are UTC, as everywhere here; digits after the milliseconds are of no use to anybody. */
export function timeStamp(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const at = instantOf(value.replace(/(\.\d{3})\d+/, "$1").replace(/([+-]\d{2})(\d{2})$/, "$1:$2"));
  return at === undefined || at < 0 || at > LAST_INSTANT ? undefined : new Date(at).toISOString();
}
