/** The keepers of a project, each loaded when it is needed: most checkpoints hold the work tree only. */
import type { BytePath } from "../domain/byte-path.ts";
import type { DatabasePart, ExtraPart, FilePart, StateName, StatePart } from "../domain/parts.ts";
import type { PartKeeper } from "./part-keeper.ts";

/** Which files to copy. */
export interface FileAsk {
  /** Patterns of files inside the project that git ignores, from its root. */
  readonly patterns: readonly string[];
  /** Absolute paths and patterns of files outside of it. */
  readonly outside: readonly string[];
  /** Paths that are copied even if they look like secrets. */
  readonly includeSecrets: readonly string[];
  /** No part at all when there is nothing to hold. */
  readonly isOptional?: boolean;
}

export interface StateAsk {
  readonly documents: readonly StateAskDocument[];
  /** Only these keys of the state; null: all of it. */
  readonly keys: readonly string[] | null;
  /** Files, and folders with all that is below, that are held even if they look like secrets. */
  readonly includeSecrets?: readonly BytePath[];
}

export type StateAskDocument =
  | { readonly name: StateName; readonly kind: "file"; readonly path: string }
  | ({ readonly name: StateName; readonly kind: "text"; readonly text: string } & Fileless)
  | ({ readonly name: StateName; readonly kind: "value"; readonly value: unknown } & Fileless);

interface Fileless {
  /** Hold it although it looks like a secret. When it does not, that is an error. */
  readonly includeSecrets?: boolean;
  /** Secrets were taken out of it: what still looks like one never keeps a checkpoint from being taken. */
  readonly isRedacted?: boolean;
}

export interface DatabaseAsk {
  /** As users write it after `--database`. */
  readonly url: string;
  /** Which one it is, when a checkpoint holds several: 1, 2, 3 … */
  readonly number?: number;
}

export type PartAsk =
  | ({ readonly type: "file_backup" } & FileAsk)
  | ({ readonly type: "state_snapshot" } & StateAsk)
  | ({ readonly type: "database_savepoint" } & DatabaseAsk);

export interface KeeperOfType {
  readonly file_backup: PartKeeper<FilePart, FileAsk>;
  readonly state_snapshot: PartKeeper<StatePart, StateAsk>;
  readonly database_savepoint: PartKeeper<DatabasePart, DatabaseAsk>;
}

export interface PartKeepers {
  /** The session decides what the state is that no file holds. */
  keeper<T extends ExtraPart["type"]>(type: T, sessionId: string): Promise<KeeperOfType[T]>;
}
