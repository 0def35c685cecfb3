/** What a checkpoint can hold beside the work tree and the index, as its document says it. */
import { parsePath, type BytePath } from "./byte-path.ts";
import type { GitPart } from "./checkpoint.ts";

export const PART_TYPES = [
  "git_stash",
  "file_backup",
  "state_snapshot",
  "database_savepoint",
] as const;
export type PartType = (typeof PART_TYPES)[number];

/** Copies of files that git does not track or ignores, and of files outside the project. */
export interface FilePart {
  readonly type: "file_backup";
  /** `sha256:` of the manifest, so that the same content has the same digest. */
  readonly digest: string;
  readonly files: number;
  readonly bytes: number;
  /** Patterns of the files inside the project, from its root. */
  readonly patterns: readonly string[];
  /** Absolute paths and patterns of those outside. */
  readonly outside: readonly string[];
  /** Files that look like secrets and are captured because they were named. */
  readonly included_secrets?: readonly string[];
}

/** workflow: how far the session had come (`src/domain/workflow/held-workflow.ts`); it is added by itself. */
/** What plans call the progress of a session. */
export const WORKFLOW_STATE = "workflow state of the session";
export const STATE_NAMES = ["state", "outputs", "workflow"] as const;
export type StateName = (typeof STATE_NAMES)[number];

/** One document of a state snapshot. */
export interface StateDocument {
  readonly name: StateName;
  /** The file that it came from, from the root of the project; null: from standard input, a program, or outside of the project. */
  readonly path: string | null;
  /** Null: it is neither, or not there, which only safety checkpoints hold. */
  readonly format: "json" | "yaml" | null;
  /** Permissions of the file in octal; null: there was no file. */
  readonly mode: string | null;
  readonly bytes: number;
  /** The bytes of the file are not held: something beside the keys that are held looks like a secret. */
  readonly without_source?: true;
}

export interface StatePart {
  readonly type: "state_snapshot";
  readonly digest: string;
  readonly documents: readonly StateDocument[];
  /** Only these keys of the state are held; null: all of it. */
  readonly keys: readonly string[] | null;
  /** Documents that look like secrets and are held because they were named: their files, or `state.json`, `outputs.json`. */
  readonly included_secrets?: readonly string[];
}

/** The file of a checkpoint's tree with a state document. */
export function stateEntry(name: StateName): string {
  return `${name}.json`;
}

/** True when nothing of an earlier state is left beside it. */
export function isWholeState(part: StatePart): boolean {
  return (
    part.keys === null &&
    SAVED_STATES.every((name) => part.documents.some((held) => held.name === name))
  );
}

/** How far the workflow of its session had come. */
export function holdsProgress(part: Part): part is StatePart {
  return (
    part.type === "state_snapshot" &&
    part.documents.some(({ name, format }) => name === "workflow" && format !== null)
  );
}

/** What people save; the workflow belongs to the session itself. */
export const SAVED_STATES: readonly StateName[] = ["state", "outputs"];

/** True when it holds something of what people save. */
export function isSavedState(part: StatePart): boolean {
  return part.documents.some(({ name }) => SAVED_STATES.includes(name));
}

export const DATABASE_ENGINES = ["sqlite", "postgresql", "mysql"] as const;
export type DatabaseEngine = (typeof DATABASE_ENGINES)[number];

export interface DatabasePart {
  readonly type: "database_savepoint";
  /** `sha256:` of what the database holds, not of the dump, which differs from run to run. */
  readonly digest: string;
  readonly engine: DatabaseEngine;
  /** What people call it; no credentials. */
  readonly label: string;
  /** How to reach it again: a URL without a password, `env:NAME` or `service:NAME`. */
  readonly source: string;
  /** The folder of the checkpoint's tree with the dump and its manifest. */
  readonly folder: string;
  readonly bytes: number;
  readonly tables: number;
  readonly rows: number;
  /** Whoever took it could read it, but not bring it back as things were: for want of rights, or because of other databases that point into it. */
  readonly restorable?: false;
}

/** A part that is kept by a keeper of its own, beside the work tree. */
export type ExtraPart = FilePart | StatePart | DatabasePart;
export type Part = GitPart | ExtraPart;
export type ExtraPartType = ExtraPart["type"];

export function isExtraPart(part: Part): part is ExtraPart {
  return part.type !== "git_stash";
}

/**
 * Files of the project that are a database which a part brings back: exchanging them like other files would leave programs that
 * have the database open with the old one.
 */
export function databaseFiles(parts: readonly Part[]): BytePath[] {
  return parts.flatMap((part) => {
    const isInside =
      part.type === "database_savepoint" && part.engine === "sqlite" && !part.label.startsWith("/");
    return isInside
      ? ["", "-wal", "-shm", "-journal"].map((end) => parsePath(`${part.label}${end}`))
      : [];
  });
}
