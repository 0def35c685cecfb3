/** How deep a value of JSON may be nested: a walk through a deeper one would end the process. */

/** Deeper than anything that a person wrote. */
export const MOST_DEPTH = 200;

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
