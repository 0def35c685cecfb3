/** `manifest.json` beside a dump in a checkpoint's tree: what the dump is and what it holds. */
import { Failure } from "../../domain/failure.ts";
import type { DatabaseEngine } from "../../domain/parts.ts";
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
    const value = JSON.parse(bytes.toString("utf8")) as DatabaseManifest;
    const isWhole =
      value.schema_version === 1 &&
      typeof value.database === "string" &&
      typeof value.files === "object" &&
      (value.state === "captured") === (value.content !== null);
    if (isWhole) return value;
  } catch {
    // Said below.
  }
  throw new Failure(
    "checkpoint_damaged",
    `the manifest of a database in ${checkpointId} cannot be read`,
    {
      hint: "Use another checkpoint; `waymark validate` says which are whole.",
    },
  );
}
