/** The audit log: one line for each operation that changes something, whether it succeeded or not. */
import { redact } from "./secrets/redact.ts";
import type { CreatedBy } from "./checkpoint.ts";
import { Failure } from "./failure.ts";
import { asFailure } from "./system-error.ts";

export const AUDITED_OPERATIONS = [
  "create",
  "rollback",
  "undo",
  "redo",
  "recover",
  "cleanup",
  "delete",
  "undelete",
  "purge",
  "store_own",
  "pin",
  "unpin",
  "export",
  "import",
  "rebuild",
  "stash",
  "validate",
  "init",
  "guard",
  "session",
  "phase",
  "run",
  "resume",
  "hooks_install",
  "hooks_uninstall",
] as const;
export type AuditedOperation = (typeof AUDITED_OPERATIONS)[number];

export interface AuditError {
  /** A failure code, or `internal` for a bug. */
  readonly code: string;
  readonly message: string;
}

export interface AuditEntry {
  readonly schema_version: number;
  /** When it ended. */
  readonly at: string;
  /** One of `AUDITED_OPERATIONS`, or what a newer Waymark calls its own. */
  readonly operation: string;
  readonly ok: boolean;
  /** Null when it succeeded. */
  readonly error: AuditError | null;
  readonly session_id: string;
  readonly worktree_id: string;
  readonly checkpoint_ids: readonly string[];
  /** How many there were: a long list is cut. */
  readonly checkpoint_total: number;
  readonly reason: string | null;
  readonly by: CreatedBy;
  readonly duration_ms: number;
  readonly details: Readonly<Record<string, unknown>>;
}

export const AUDIT_SCHEMA_VERSION = 1;

/** One write of this size is whole or not there, whoever else writes; and a log of small lines can be read by eye. */
export const MOST_LINE_BYTES = 4096;

/** What the lists and texts of a line may take. The second is for lines that the first leaves too long. */
interface Room {
  readonly items: number;
  readonly characters: number;
  readonly details: boolean;
}
const USUAL: Room = { items: 20, characters: 400, details: true };
const TIGHT: Room = { items: 5, characters: 40, details: false };

/** The entry as a line, with its end. JSON escapes control characters, so nothing in it can break the line. */
export function auditLine(entry: AuditEntry): string {
  const line = lineWithin(entry, USUAL);
  return bytesOf(line) <= MOST_LINE_BYTES ? line : lineWithin(entry, TIGHT);
}

function lineWithin(entry: AuditEntry, room: Room): string {
  const fitting = {
    ...entry,
    details: room.details ? entry.details : { cut: true },
  };
  return `${JSON.stringify(fitted(fitting, room))}\n`;
}

function fitted(value: unknown, room: Room): unknown {
  if (typeof value === "string") return said(value, room.characters);
  if (Array.isArray(value)) return value.slice(0, room.items).map((item) => fitted(item, room));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => [name, fitted(field, room)]);
  return Object.fromEntries(fields) as unknown;
}

/** Every text of an entry passes here, before it is written, and leaves its secrets behind. */
function said(given: string, most: number): string {
  const text = redact(given);
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Undefined for what is no entry: half a line of a process that was killed, or what somebody wrote by hand. */
export function parseAuditLine(line: string): AuditEntry | undefined {
  if (!line.startsWith("{")) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  return isEntry(value) ? value : undefined;
}

function isEntry(value: unknown): value is AuditEntry {
  const entry = value as Partial<Record<keyof AuditEntry, unknown>>;
  return (
    typeof entry.at === "string" &&
    !Number.isNaN(Date.parse(entry.at)) &&
    typeof entry.operation === "string" &&
    typeof entry.ok === "boolean" &&
    (entry.ok ? entry.error === null : isError(entry.error)) &&
    typeof entry.session_id === "string" &&
    Array.isArray(entry.checkpoint_ids) &&
    entry.checkpoint_ids.every((id) => typeof id === "string") &&
    (entry.reason === null || typeof entry.reason === "string") &&
    typeof entry.duration_ms === "number" &&
    isObject(entry.by) &&
    isObject(entry.details)
  );
}

function isError(value: unknown): boolean {
  return (
    isObject(value) && typeof value["code"] === "string" && typeof value["message"] === "string"
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

export function auditErrorOf(thrown: unknown): AuditError {
  const error = asFailure(thrown);
  return {
    code: error instanceof Failure ? error.code : "internal",
    message: error instanceof Error ? error.message : String(error),
  };
}
