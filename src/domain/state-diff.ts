/** What changed in the workflow's side of two moments: values by their dotted names. */
import { isRecord } from "./is-record.ts";
import type { CheckpointDocument } from "./checkpoint.ts";

export interface ValueChange {
  readonly key: string;
  /** Undefined: it is not there on that side. */
  readonly from: unknown;
  readonly to: unknown;
}

/** The fields of a checkpoint that tell where a workflow stood. */
export function workflowValues(document: CheckpointDocument | undefined): Record<string, unknown> {
  if (document === undefined) return {};
  const { phase, step, workflow_state, task_id, issue_number, metrics } = document;
  const given = { phase, step, workflow_state, task_id, issue_number, metrics };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}

export function diffValues(
  from: Readonly<Record<string, unknown>>,
  to: Readonly<Record<string, unknown>>,
): ValueChange[] {
  const before = flatten(from);
  const after = flatten(to);
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  return keys
    .filter((key) => JSON.stringify(before.get(key)) !== JSON.stringify(after.get(key)))
    .map((key) => ({ key, from: before.get(key), to: after.get(key) }));
}

/** Objects are walked, lists are values: a list that shifted by one would otherwise differ everywhere. */
function flatten(value: Readonly<Record<string, unknown>>, prefix = ""): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [name, part] of Object.entries(value)) {
    const key = prefix + name;
    if (isRecord(part)) {
      for (const [inner, innerValue] of flatten(part, `${key}.`)) found.set(inner, innerValue);
    } else {
      found.set(key, part);
    }
  }
  return found;
}
