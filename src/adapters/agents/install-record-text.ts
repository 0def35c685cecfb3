/** A record of an installation as the text of a file, and back. */
import { isAgentName } from "../../domain/agents/agents.ts";
import { HOOK_SCOPES } from "../../domain/agents/hook-scope.ts";
import type { FileImage, InstallRecord, TouchedFile } from "../../domain/agents/install-record.ts";
import { isRecord } from "../../domain/is-record.ts";

const VERSION = 1;

export function recordText(record: InstallRecord): string {
  const bytes = (_name: string, value: unknown): unknown =>
    value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
  return `${JSON.stringify({ schema_version: VERSION, ...record }, bytes, 1)}\n`;
}

/** Undefined for what is none: then hooks are found by looking. */
export function parseRecord(text: string): InstallRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value) || value["schema_version"] !== VERSION) return undefined;
  const { kind, agent, scope, at, path, folders, touched } = value;
  if (typeof agent !== "string" || !isAgentName(agent) || typeof at !== "string") return undefined;
  if (kind === "plugin") {
    const files = Array.isArray(touched) ? touched.flatMap((file) => touchedFile(file) ?? []) : [];
    return { kind, agent, scope: "user", at, touched: files };
  }
  const known = HOOK_SCOPES.find((each) => each === scope);
  const file = touchedFile(value);
  if (kind !== "file" || known === undefined || file === undefined || typeof path !== "string") {
    return undefined;
  }
  const made = Array.isArray(folders) ? folders.filter((each) => typeof each === "string") : [];
  return { kind, agent, scope: known, at, ...file, folders: made };
}

function touchedFile(value: unknown): TouchedFile | undefined {
  if (!isRecord(value)) return undefined;
  const { path, after } = value;
  const before = imageOf(value["before"]);
  const isDigest = after === null || typeof after === "string";
  if (typeof path !== "string" || !isDigest || before === undefined) return undefined;
  return { path, before, after };
}

function imageOf(value: unknown): FileImage | null | undefined {
  if (value === null) return null;
  if (!isRecord(value)) return undefined;
  const { bytes, mode } = value;
  if (typeof bytes !== "string" || typeof mode !== "number") return undefined;
  return { bytes: new Uint8Array(Buffer.from(bytes, "base64")), mode };
}
