/** `manifest.json` beside a dump in a checkpoint's tree: what the dump is and what it holds. */
import { Failure } from "../../domain/failure.ts";
import { isRecord } from "../../domain/is-record.ts";
import { DATABASE_ENGINES, type DatabaseEngine } from "../../domain/parts.ts";
import type { DatabaseContent } from "./database-content.ts";

export const MANIFEST = "manifest.json";

export interface DumpFile {
  readonly sha256: string;
  readonly bytes: number;
}

export interface DatabaseManifest {
  readonly schema_version: 1;
  readonly engine: DatabaseEngine;
  /** `absent`: there was no such database. `not_captured`: nobody looked, because it is not this machine's. */
  readonly state: "captured" | "absent" | "not_captured";
  /** How it is called on its server; a path for SQLite. */
  readonly database: string;
  readonly files: Readonly<Record<string, DumpFile>>;
  readonly content: DatabaseContent | null;
}

export function parseManifest(bytes: Buffer, checkpointId: string): DatabaseManifest {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    if (isManifest(value)) return value;
  } catch {
    // Said below.
  }
  throw new Failure(
    "checkpoint_damaged",
    `the manifest of a database in ${checkpointId} cannot be read`,
    {
      hint: "Use another checkpoint; `waymark validate` shows which ones are intact.",
    },
  );
}

const STATES: readonly unknown[] = ["captured", "absent", "not_captured"];
const ENGINES: readonly unknown[] = DATABASE_ENGINES;
/** A name that comes from a document must not lead elsewhere. */
const FILE_NAME = /^[a-z]+$/;
const HEX = /^[0-9a-f]{64}$/;

/** It may come from anywhere, and what it says is believed. */
function isManifest(value: unknown): value is DatabaseManifest {
  if (!isRecord(value)) return false;
  const { schema_version, engine, state, database, files, content } = value;
  return (
    schema_version === 1 &&
    ENGINES.includes(engine) &&
    STATES.includes(state) &&
    typeof database === "string" &&
    isRecord(files) &&
    Object.entries(files).every(([name, file]) => FILE_NAME.test(name) && isDumpFile(file)) &&
    (state === "captured") === (content !== null) &&
    (state === "captured" || Object.keys(files).length === 0) &&
    (content === null || isContent(content))
  );
}

function isDumpFile(value: unknown): boolean {
  return isRecord(value) && isHex(value["sha256"]) && isCount(value["bytes"]);
}

function isContent(value: unknown): boolean {
  if (!isRecord(value) || !isHex(value["schema"]) || !isRecord(value["tables"])) return false;
  if (value["reading"] !== undefined && value["reading"] !== 2) return false;
  return Object.values(value["tables"]).every(
    (table) => isRecord(table) && isCount(table["rows"]) && isHex(table["checksum"]),
  );
}

function isHex(value: unknown): boolean {
  return typeof value === "string" && HEX.test(value);
}

function isCount(value: unknown): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
