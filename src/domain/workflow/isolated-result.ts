/** What the session knows about a node that worked in a work tree of its own, and about a merge that waits for somebody. */
import { isRecord } from "../is-record.ts";
import type { OpenConflict } from "./merge-conflict.ts";
import type { NodeProgress, WorkflowProgress } from "./progress.ts";

/** `isolated` of a node. */
export interface IsolatedResult {
  /** Holds what the node left. */
  readonly checkpoint_id: string;
  /** What its work tree began with. */
  readonly base_id: string;
  /** It is in the main work tree. */
  readonly merged: boolean;
  /** Entries of the journal with which it got there. */
  readonly merged_by?: readonly string[];
}

export function isolatedOf(node: NodeProgress | undefined): IsolatedResult | undefined {
  const value = node?.["isolated"];
  if (!isRecord(value)) return undefined;
  const { checkpoint_id, base_id, merged, merged_by: by } = value;
  if (typeof checkpoint_id !== "string" || typeof base_id !== "string") return undefined;
  const ids = Array.isArray(by) ? by.filter((id): id is string => typeof id === "string") : [];
  const how = ids.length === 0 ? {} : { merged_by: ids };
  return { checkpoint_id, base_id, merged: merged === true, ...how };
}

/** `open_conflict` of the progress. */
export function openConflictOf(progress: WorkflowProgress): OpenConflict | undefined {
  const value = progress["open_conflict"];
  return isRecord(value) && Array.isArray(value["paths"]) && typeof value["node"] === "string"
    ? (value as unknown as OpenConflict)
    : undefined;
}

/** With this conflict open, or with none. */
export function withConflict(
  progress: WorkflowProgress,
  conflict: OpenConflict | null,
): WorkflowProgress {
  const conflicts = conflict?.paths.map(({ path }) => `${conflict.node}: ${path}`) ?? [];
  return {
    ...progress,
    open_conflict: conflict,
    message_state: { ...progress.message_state, conflicts },
  };
}
