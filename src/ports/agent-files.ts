/**
 * Files of agents, which belong to their users: read, and written only if they are still what was read.
 *
 * Obligations: a file is whole before and after; its mode stays, and so does a link that leads to it; nothing is overwritten that the caller has not seen;
 * what is no plain file is refused as it is.
 */
export interface FoundFile {
  readonly bytes: Uint8Array;
  /** Permissions. */
  readonly mode: number;
}

export interface FileWrite {
  readonly path: string;
  /** What the caller saw; undefined: nothing was there. */
  readonly before: FoundFile | undefined;
  readonly after: FoundFile;
}

export interface AgentFiles {
  /** Undefined: there is none, also where a link leads nowhere. */
  read(path: string): FoundFile | undefined;
  /** Whether something of this name is there, whatever it is. */
  isThere(path: string): boolean;
  /** The folders that have to be made before a file can be there, outermost first. */
  missingFolders(path: string): readonly string[];
  /** The permissions of a new file. */
  modeOfNew(isExecutable: boolean): number;
  /** Makes folders as needed. Fails with `repository_busy` if the file is no longer what the caller saw. */
  write(write: FileWrite): void;
  /** Fails as `write` does. */
  remove(path: string, before: FoundFile): void;
  /** Those that are empty; the others stay. */
  removeFolders(folders: readonly string[]): void;
}
