/** A plain value as a file would say it; each key and item is on a line of its own. */
import type { RawNode } from "./config-check.ts";

export function rawNode(value: unknown, lines = { next: 1 }): RawNode {
  const place = { line: lines.next++, column: 1 };
  if (Array.isArray(value)) {
    return { kind: "list", ...place, items: value.map((item) => rawNode(item, lines)) };
  }
  if (value !== null && typeof value === "object") {
    const entries = Object.entries(value).map(([key, item]) => ({
      key,
      ...place,
      value: rawNode(item, lines),
    }));
    return { kind: "map", ...place, entries };
  }
  const isScalar = ["string", "number", "boolean"].includes(typeof value);
  return { kind: "scalar", ...place, value: isScalar ? (value as string) : null };
}
