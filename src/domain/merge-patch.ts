/** Changes a value by another, as RFC 7396 (JSON Merge Patch) says: fields are taken over one by one, null removes. */
import { isRecord } from "./is-record.ts";

export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const fields = new Map<string, unknown>(isRecord(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) fields.delete(name);
    else fields.set(name, mergePatch(fields.get(name), value));
  }
  return Object.fromEntries(fields);
}
