/** The order of old records. */
import type { OldRecord } from "./old-session.ts";

/** Older first. Several may be of one second: then the step and the name decide, so that two imports agree. */
export function byAge(left: OldRecord, right: OldRecord): number {
  return (
    compareText(left.createdAt, right.createdAt) ||
    (left.step ?? 0) - (right.step ?? 0) ||
    compareText(left.id, right.id) ||
    compareText(left.file, right.file)
  );
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
