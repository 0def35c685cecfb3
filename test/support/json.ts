/** Reads fields of an unknown JSON document; each reader says which field was not what it should be. */
export function field(document: unknown, ...path: readonly string[]): unknown {
  let value = document;
  for (const name of path) {
    if (typeof value !== "object" || value === null) {
      return undefined;
    }
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

export function text(document: unknown, ...path: readonly string[]): string {
  const value = field(document, ...path);
  if (typeof value !== "string") {
    throw new TypeError(wrong("a string", path, document));
  }
  return value;
}

export function flag(document: unknown, ...path: readonly string[]): boolean {
  const value = field(document, ...path);
  if (typeof value !== "boolean") {
    throw new TypeError(wrong("true or false", path, document));
  }
  return value;
}

export function items(document: unknown, ...path: readonly string[]): readonly unknown[] {
  const value = field(document, ...path);
  if (!Array.isArray(value)) {
    throw new TypeError(wrong("a list", path, document));
  }
  return value;
}

const wrong = (expected: string, path: readonly string[], document: unknown): string =>
  `${path.join(".")} is not ${expected} in ${JSON.stringify(document)?.slice(0, 2000)}`;
