/**
 * What a checkpoint holds beside the work tree: one keeper for each kind of part.
 *
 * Obligations, to which the contract suite beside this file holds every keeper:
 * - `capture` changes nothing; it is complete or it fails. The same content gives the same digest.
 * - `verify` finds every damage to what was captured.
 * - Restoring makes the thing equal `to`. What is there is exchanged only if it is what `expected` holds; anything else
 *   is somebody's work since, stays and is reported. Done twice, the second time changes nothing. A kill at any
 *   point leaves each item as it was or as it should be, so that the way back (`to` and `expected` exchanged) works.
 * - Whatever can fail, fails in `prepare`, before the first change.
 * - Neither documents nor descriptions show a credential.
 */
import type { BytePath } from "../domain/byte-path.ts";
import type { EntryMode } from "../domain/file-state.ts";
import type { Exclusion } from "../domain/checkpoint.ts";
import type { ExtraPart } from "../domain/parts.ts";

/** A file of the checkpoint's tree, in one half or the other. */
export type PartContent =
  | { readonly kind: "bytes"; readonly bytes: Buffer }
  /** Read when the checkpoint is published; the capture's `discard` removes it. */
  | { readonly kind: "file"; readonly path: string }
  /** Waits on a shelf of the store, which the capture's `discard` removes. */
  | {
      readonly kind: "shelved";
      readonly oid: string;
      readonly mode: EntryMode;
      readonly shelf: object;
    };

export interface CapturedPart<P extends ExtraPart = ExtraPart> {
  readonly part: P;
  /** By path in the checkpoint's tree, for example `database/1/dump`; `src/domain/local-half.ts` says in which half. */
  readonly entries: ReadonlyMap<string, PartContent>;
  /** What people should know about it, such as files that changed while they were read. */
  readonly warnings: readonly string[];
  /** What was asked for and is not held; undefined: nothing of that kind. */
  readonly leftOut?: readonly Exclusion[];
  /** There is nothing in it; a part that is only asked for if there is something is not recorded then. */
  readonly isEmpty?: boolean;
  /** Removes temporary files. Safe to call at any time, more than once. */
  discard(): void;
}

/** A part of a published checkpoint. */
export interface HeldPart<P extends ExtraPart = ExtraPart> {
  readonly checkpointId: string;
  readonly part: P;
  /** Not taken here, but imported or fetched: then nothing outside of this project may be touched. */
  readonly isForeign: boolean;
  /** False where what of it must not leave its machine is on another one. */
  isHere(): Promise<boolean>;
  /** What git calls an entry: a ref and a path. */
  readonly revision: (name: string) => string;
  /** An entry of the checkpoint's tree. Fails with checkpoint_damaged when it is not there or not whole. */
  read(name: string): Promise<Buffer>;
  /** The SHA-256 of an entry, however large it is. Fails in the same way. */
  sha256(name: string): Promise<string>;
  /** Writes an entry to a new file that only the user can read. */
  extract(name: string, to: string): Promise<void>;
  /** True when the work tree of the same checkpoint holds this path: then it is not for another part to remove it. */
  hasFile?(path: BytePath): Promise<boolean>;
  /** The same of a folder: with files in it that the work tree holds, or as an empty one. */
  hasFolder?(path: BytePath): Promise<boolean>;
  /** For an undo or redo: the same part of the checkpoint that the rollback went to which is taken back, and so what it brought. */
  readonly broughtBy?: HeldPart<P>;
}

export interface PartRestoreOrder<P extends ExtraPart = ExtraPart> {
  readonly to: HeldPart<P>;
  /** What is believed to be there now. */
  readonly expected: HeldPart<P>;
  /** Only these paths and what is below them; null: everything. */
  readonly paths: readonly BytePath[] | null;
}

/** For plans and reports. */
export interface PartChange {
  /** A path or the name of a database. */
  readonly what: string;
  readonly operation: "restored" | "changed_back" | "removed" | "mode_changed_back";
  readonly summary: string;
}

/** Something that was not touched, and why. */
export interface PartKept {
  readonly what: string;
  readonly reason: string;
  /** Nobody changed it: it, or what it would come back from, is on another machine. */
  readonly isElsewhere?: true;
}

export interface PartPreview {
  readonly changes: readonly PartChange[];
  readonly kept: readonly PartKept[];
  /** Stands for what is there now of all that restoring it may touch: another content, another text. */
  readonly now: string;
}

/** A restore that can be carried out: everything that it needs was read and checked. */
export interface PreparedPart {
  /** Carries it out; answers with what is somebody's work since and was kept. */
  apply(): Promise<readonly PartKept[]>;
  /** What is not as it should be after `apply`, without what was kept. */
  mismatches(): Promise<readonly string[]>;
  /** Removes temporary files. Safe to call at any time, more than once. */
  close(): void;
}

export interface PartDescription {
  /** For people: what it holds, in one line. */
  readonly summary: string;
  /** How to bring it back by hand, without Waymark: shell commands, in order. */
  readonly commands: readonly string[];
  /** What has to be so before they can be run: each a part of a sentence. */
  readonly prerequisites: readonly string[];
  /** What has to be so for `waymark rollback`, beyond what holds for every checkpoint. */
  readonly rollbackNeeds: readonly string[];
}

export interface PartKeeper<P extends ExtraPart = ExtraPart, Ask = unknown> {
  readonly type: P["type"];
  capture(ask: Ask): Promise<CapturedPart<P>>;
  /**
   * The same things as a held part has, as they are now, and everything that restoring it would change or remove: what a
   * safety checkpoint takes.
   */
  captureLike(held: HeldPart<P>): Promise<CapturedPart<P>>;
  /** What is wrong with it; empty when nothing is. */
  verify(held: HeldPart<P>): Promise<readonly string[]>;
  /** What restoring it would change. Reads only. */
  preview(held: HeldPart<P>, paths: readonly BytePath[] | null): Promise<PartPreview>;
  prepare(order: PartRestoreOrder<P>): Promise<PreparedPart>;
  describe(held: HeldPart<P>): Promise<PartDescription>;
}
