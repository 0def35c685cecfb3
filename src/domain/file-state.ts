/** One file of a project at one moment, as a checkpoint holds it. */
import type { BytePath } from "./byte-path.ts";

/** Git's own words for what a tree entry is. */
export type EntryMode = "100644" | "100755" | "120000" | "160000" | "040000";

export interface FileState {
  readonly type: "file" | "link";
  /** Object id of the raw bytes (for a link: of its target). */
  readonly oid: string;
  /** Full permission bits (07777). Links have none of their own: 0. */
  readonly mode: number;
}

export interface PathChange {
  readonly path: BytePath;
  readonly before: FileState | null;
  readonly target: FileState | null;
}

export function sameContent(left: FileState | null, right: FileState | null): boolean {
  return left?.oid === right?.oid && left?.type === right?.type;
}

export function sameFile(left: FileState | null, right: FileState | null): boolean {
  return sameContent(left, right) && left?.mode === right?.mode;
}

export function showMode(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}
