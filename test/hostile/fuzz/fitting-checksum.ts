/** Whether the checksum of a document is right, worked out here: an attack that asked Waymark itself would not notice when it stops looking. */
import { sha256 } from "../workshop.ts";

export function fits(text: string): boolean {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return false;
  }
  if (document === null || typeof document !== "object" || Array.isArray(document)) return false;
  const { checksum } = document as { readonly checksum?: unknown };
  const rest = Object.entries(document).filter(([key]) => key !== "checksum");
  return checksum === `sha256:${sha256(canonical(rest))}`;
}

/** Entries in the order of their keys, without white space. */
function canonical(entries: readonly (readonly [string, unknown])[]): string {
  const sorted = entries.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${sorted.map(([key, value]) => `${JSON.stringify(key)}:${valueText(value)}`).join(",")}}`;
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return canonical(Object.entries(value));
}
