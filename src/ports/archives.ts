/**
 * Checkpoints as one portable file, and back.
 *
 * Obligations: an archive is whole at its final name or it is not there; what is written passes the reader's own
 * checks; everything in an archive is checked before anything of it becomes part of the project; what is admitted is
 * admitted as a whole, and nothing that is there already is changed.
 */
import type { ArchiveLimits } from "../domain/archive.ts";
import type { LocalEntry } from "../domain/local-half.ts";
import type { PinRecord } from "../domain/session.ts";
import type { Progress } from "./progress.ts";

export interface ArchivedCheckpoint {
  readonly id: string;
  readonly sessionId: string;
  readonly createdAt: string;
}

export interface ArchiveFacts {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly createdAt: string;
  /** The project that it was made of, as it calls itself. */
  readonly project: string;
  readonly checkpoints: readonly ArchivedCheckpoint[];
  readonly sessionIds: readonly string[];
  /** Commits that are not in it and that the reader has to have. */
  readonly basis: readonly string[];
  readonly objects: number;
  readonly contentBytes: number;
  readonly largestBytes: number;
}

export interface WriteOrder {
  readonly checkpoints: readonly (ArchivedCheckpoint & {
    /** What of its local half goes along. */
    readonly along?: readonly LocalEntry[];
  })[];
  readonly sessionIds: readonly string[];
  /** Leave out what these revisions hold. */
  readonly since: readonly string[];
  /** Leave out what remote-tracking branches hold. */
  readonly sinceRemotes: boolean;
  /** Undefined: a new file in the project's own place for exports. */
  readonly file: string | undefined;
  readonly overwrite: boolean;
  readonly at: Date;
  readonly progress: Progress;
}

export interface ReadOrder {
  readonly file: string;
  readonly limitsFor: (fileBytes: number) => ArchiveLimits;
  readonly progress: Progress;
}

export interface ArchivedPin {
  readonly checkpointId: string;
  readonly sessionId: string;
  readonly record: PinRecord;
}

/** What admitting an archive would do here. */
export interface Admission {
  readonly newIds: readonly string[];
  /** Of these, those that were deleted here and come back as they were. */
  readonly fromTrash: readonly string[];
  readonly alreadyThere: readonly string[];
  /** The same id with other content. */
  readonly conflicts: readonly string[];
  /** forward: ours is an earlier version of it. kept: ours went another way, or is ahead, and stays. */
  readonly sessions: readonly {
    readonly id: string;
    readonly standing: "new" | "forward" | "same" | "kept";
  }[];
  /** Of new checkpoints, in sessions that are kept as they are here: nothing else would bring them. */
  readonly pins: readonly ArchivedPin[];
}

/** An archive that was checked and is not part of the project yet. */
export interface OpenedArchive {
  readonly facts: ArchiveFacts;
  plan(): Promise<Admission>;
  /** Does what the last plan said, all of it or nothing; false when something here changed meanwhile. */
  admit(): Promise<boolean>;
  discard(): void;
}

export interface Archives {
  write(order: WriteOrder): Promise<ArchiveFacts>;
  open(order: ReadOrder): Promise<OpenedArchive>;
}
