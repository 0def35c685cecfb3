/** Which versions of the old formats are read. All of them are of version 1 so far; later ones may mean something else by the same words. */
import { isFields } from "./field-reader.ts";

const LAST_MAJOR = 1;

/** The version of a document that is newer than what is known; undefined: it can be read. */
export function newerVersion(document: unknown): string | undefined {
  if (!isFields(document)) return undefined;
  for (const name of ["schema_version", "version"]) {
    const value = Object.hasOwn(document, name) ? document[name] : undefined;
    if (typeof value !== "string" && typeof value !== "number") continue;
    const major = Number(/^v?(\d{1,9})(?:\.|$)/.exec(String(value))?.[1] ?? Number.NaN);
    if (major > LAST_MAJOR) return String(value);
  }
  return undefined;
}
