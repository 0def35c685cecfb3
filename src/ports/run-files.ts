/**
 * Files of a workflow that runs, in the project's own folder and out of git: logs, the copy of the state that a node works
 * with, lists for resolvers; and the files that nodes leave as outputs.
 *
 * Obligations: only the user can read them; a log never grows without bound and always has the end of what was written; what
 * an output may be is never followed out of the folder that it is looked for in by a link of its last name.
 */

export interface AttemptPlace {
  readonly sessionId: string;
  readonly step: number;
  /** What runs: a node, a check … */
  readonly name: string;
  readonly attempt: number;
}

export interface AttemptLog {
  /** From the root of the project; absolute where it is not below it, as in a linked work tree. */
  readonly path: string;
  /** Why it does not have all that was written; undefined: it has. */
  readonly problem: string | undefined;
  /** Never fails: a command does not end because its output cannot be kept. */
  write(bytes: Uint8Array): void;
  close(): void;
}

export type ReadJson =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "bad"; readonly problem: string };

export type FoundFile =
  | { readonly kind: "file"; readonly size: number; readonly sha256: string }
  | { readonly kind: "bad"; readonly problem: string };

/** This process starts a workflow in this work tree, or rolls it back, and nobody else does meanwhile. */
export interface StartingPlace {
  leave(): void;
}

export interface RunFiles {
  /** Waits for others that start one here, and fails with `locked` when that takes long. `what`: what it is entered for. */
  enter(what?: string): Promise<StartingPlace>;
  /** A new log; those of earlier attempts stay, also of the same number. One that cannot be made has a problem. */
  openLog(place: AttemptPlace): Promise<AttemptLog>;
  /** The end of what a log has by now, also one that another process writes; undefined: there is none. */
  endOfLog(path: string): Promise<Uint8Array | undefined>;
  /** The path of a private file with this value as JSON. `what` tells several of one attempt apart. */
  writeJson(place: AttemptPlace, what: string, value: unknown): Promise<string>;
  /** Undefined: it is gone. */
  readJson(path: string): Promise<ReadJson | undefined>;
  /** Fine when it is gone. */
  remove(path: string): Promise<void>;
  /** Files that were given to commands of a session which have ended by now; logs stay. Fine when there are none. */
  sweep(sessionId: string): Promise<void>;
  /** Everything of a session, its logs too. */
  forget(sessionId: string): Promise<void>;
  /** A file below a folder, by its path there. */
  find(folder: string, path: string): Promise<FoundFile>;
  /** The same, read as JSON. */
  findJson(folder: string, path: string): Promise<ReadJson>;
}
