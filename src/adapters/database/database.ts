/** One database as the keeper of databases sees it, whatever its engine. */
import type { DatabaseEngine } from "../../domain/parts.ts";
import type { DatabaseContent, Reading } from "./database-content.ts";

export interface DumpLimits {
  /** Fails with over_budget beyond. */
  readonly maxBytes: number;
  readonly onBytes: (bytes: number) => void;
}

export interface Dump {
  /** Names of the files that were written. */
  readonly files: readonly string[];
  /** How it is called on its server; a path for SQLite. */
  readonly database: string;
  readonly warnings: readonly string[];
}

/** What to do with what is there in the moment of the exchange. */
export type Judge = (now: DatabaseContent | null) => "replace" | "done" | "keep";

/** A restore that is ready: what can be made beside the database was made. */
export interface DatabaseRestore {
  /** The whole exchange or nothing of it, also when this process is killed. Says what the judge said. */
  apply(judge: Judge): Promise<"replace" | "done" | "keep">;
  /** Removes what was made beside. Safe to call more than once. */
  close(): void;
}

export interface Database {
  readonly engine: DatabaseEngine;
  readonly label: string;
  readonly source: string;
  /** Writes what it holds at one moment into the folder. null: there is no such database. */
  dump(folder: string, limits: DumpLimits, reading?: Reading): Promise<Dump | null>;
  /** What the dump in this folder holds, as the engine's own program reads it. */
  contentOf(folder: string, reading?: Reading): Promise<DatabaseContent>;
  contentNow(reading?: Reading): Promise<DatabaseContent | null>;
  /** Ends an exchange that was killed, for engines in which that leaves something to do. */
  finishInterrupted?(): Promise<void>;
  /** `dump`: a folder with the dump; null: to remove the database. Fails when rights, programs or the server are missing. */
  prepareRestore(
    dump: string | null,
    database: string,
    reading?: Reading,
  ): Promise<DatabaseRestore>;
  /** What the user may not do that bringing it back needs; empty: nothing. Changes nothing. */
  missingRights(): Promise<readonly string[]>;
  /** Why a rollback would be refused, whatever the user may do: ends of sentences. Changes nothing. */
  obstacles?(): Promise<readonly string[]>;
  /** A shell command that brings a dump back by hand. */
  byHand(hand: ByHand): string;
  readonly programs: readonly string[];
}

export interface ByHand {
  /** The step that writes a file of the dump, under its own name. */
  readonly fetch: (file: string) => string;
  /** How the database was called on its server. */
  readonly database: string;
}
