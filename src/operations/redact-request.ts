/** Texts that people and agents type get into documents, ids and refs, and from there to other machines. */
import { redact, redactValue } from "../domain/secrets/redact.ts";
import type { CreateRequest } from "./create-checkpoint.ts";

/** The request without what looks like a secret in it, and what that was taken out of. A text of spaces alone counts as none. */
export function redactRequest(given: CreateRequest): {
  readonly request: CreateRequest;
  readonly redacted: readonly string[];
} {
  const texts = ["name", "reason", "description", "phase", "taskId", "workflowState"] as const;
  const redacted: string[] = [];
  const clean: Record<string, unknown> = {};
  for (const field of texts) {
    const text = given[field];
    if (text === undefined) continue;
    if (text.trim() === "") {
      clean[field] = undefined;
      continue;
    }
    const without = redact(text);
    if (without === text) continue;
    clean[field] = without;
    redacted.push(FIELD_NAMES[field]);
  }
  if (given.metrics !== undefined) {
    // As it will be read back: a date becomes text here and not only in the stored document.
    const plain: unknown = JSON.parse(JSON.stringify(given.metrics));
    const metrics = redactValue(plain);
    if (JSON.stringify(metrics) !== JSON.stringify(plain)) redacted.push("metrics");
    clean["metrics"] = metrics;
  }
  return { request: { ...given, ...clean }, redacted };
}

const FIELD_NAMES = {
  name: "name",
  reason: "reason",
  description: "description",
  phase: "phase",
  taskId: "task",
  workflowState: "workflow state",
} as const;

export function redactedWarning(fields: readonly string[]): string[] {
  if (fields.length === 0) return [];
  return [`text that looks like a secret was removed from: ${fields.join(", ")}`];
}
