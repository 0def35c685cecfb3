/** Reads what `gh issue view --json` prints. */
import { isRecord } from "../../domain/is-record.ts";
import type { SeenIssue } from "../../domain/issue-snapshot.ts";

/** Undefined: that is no issue. */
export function parseIssue(text: string): Omit<SeenIssue, "branch"> | undefined {
  const value = parse(text);
  if (!isRecord(value)) return undefined;
  const { number, title, body, state, url } = value;
  const labels = names(value["labels"], "name");
  const assignees = names(value["assignees"], "login");
  if (typeof number !== "number" || typeof title !== "string") return undefined;
  if (labels === undefined || assignees === undefined) return undefined;
  return {
    number,
    title,
    body: typeof body === "string" ? body : "",
    labels,
    assignees,
    ...(typeof state === "string" ? { state } : {}),
    ...(typeof url === "string" ? { url } : {}),
  };
}

function names(list: unknown, key: string): string[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const found = list.map((item: unknown) => (isRecord(item) ? item[key] : undefined));
  return found.every((name) => typeof name === "string") ? found : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
