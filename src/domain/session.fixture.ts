/** Plays a session: checkpoints, rollbacks, undos and redos, with the entries that the operations would journal. */
import { sampleDocument } from "./checkpoint.fixture.ts";
import type { CheckpointDocument } from "./checkpoint.ts";
import { standingOf, type Standing } from "./lineage.ts";
import {
  lineOf,
  newSession,
  recordRollback,
  type EpochBase,
  type RollbackKind,
  type SessionDocument,
  type UndoEntry,
} from "./session.ts";

export class SessionStory {
  readonly documents: CheckpointDocument[] = [];
  session: SessionDocument;
  worktreeId = "main";
  #seq = 0;
  #rollbacks = 0;

  constructor(sessionId = "worktree-main") {
    this.session = newSession(sessionId, "2026-11-15T18:00:00.000Z");
  }

  /** Takes a checkpoint in the present epoch. */
  take(id: string, more: Partial<CheckpointDocument> = {}): CheckpointDocument {
    this.#seq += 1;
    const document = sampleDocument({
      id,
      session_id: this.session.id,
      worktree_id: this.worktreeId,
      seq: this.#seq,
      epoch: this.line.epoch,
      ...more,
    });
    this.documents.push(document);
    return document;
  }

  takeAll(...ids: string[]): void {
    for (const id of ids) this.take(id);
  }

  get line() {
    return lineOf(this.session, this.worktreeId);
  }

  /** The journal entry's id is `rb1`, `rb2` …; the safety checkpoint's `rb1-safety` … */
  rollBack(toId: string): string {
    return this.#record("rollback", toId, undefined);
  }

  /** Only some paths: the line goes on as it was. */
  rollBackPaths(toId: string): string {
    const { epoch } = this.line;
    return this.#record("rollback", toId, undefined, epoch);
  }

  undo(): string {
    const entry = this.line.undo.at(-1);
    if (entry === undefined) throw new Error("nothing to undo");
    return this.#record("undo", entry.return_id, entry);
  }

  redo(): string {
    const entry = this.line.redo.at(-1);
    if (entry === undefined) throw new Error("nothing to redo");
    return this.#record("redo", entry.return_id, entry);
  }

  standing() {
    return standingOf(new Map([[this.session.id, this.session]]));
  }

  standingOf(id: string): Standing | undefined {
    const document = this.documents.find((candidate) => candidate.id === id);
    return document === undefined ? undefined : this.standing()(document);
  }

  /** Ids of the valid checkpoints that somebody took. */
  valid(documents: readonly CheckpointDocument[] = this.documents): string[] {
    const standing = this.standing();
    return documents
      .filter((document) => document.trigger !== "pre_rollback" && standing(document).valid)
      .map((document) => document.id);
  }

  #baseOf(id: string): EpochBase {
    const found = this.documents.find((document) => document.id === id);
    if (found === undefined) throw new Error(`there is no ${id}`);
    return {
      base_id: id,
      seq: found.seq,
      epoch: found.epoch,
      created_at: found.created_at,
      is_own: found.session_id === this.session.id && found.worktree_id === this.worktreeId,
    };
  }

  #record(kind: RollbackKind, toId: string, entry: UndoEntry | undefined, stay?: string | null) {
    this.#rollbacks += 1;
    const id = `rb${this.#rollbacks}`;
    const safety = this.take(`${id}-safety`, { trigger: "pre_rollback" });
    const { epoch } = this.line;
    const epochs = entry ?? {
      epoch_before: epoch,
      epoch_after: stay === undefined ? id : stay,
    };
    this.session = recordRollback(this.session, {
      sessionId: this.session.id,
      ...(entry === undefined ? {} : { taken: entry.rollback_id }),
      base: this.#baseOf(toId),
      record: {
        id,
        kind,
        worktree_id: this.worktreeId,
        at: "2026-11-15T19:00:00.000Z",
        by: null,
        reason: null,
        from_id: null,
        to_id: toId,
        safety_id: safety.id,
        epoch_before: epoch,
        epoch_after: kind === "undo" ? epochs.epoch_before : epochs.epoch_after,
        files: 0,
      },
      entry: {
        rollback_id: id,
        return_id: safety.id,
        to_id: toId,
        result: "",
        epoch_before: epochs.epoch_before,
        epoch_after: epochs.epoch_after,
        files_only: false,
        paths: null,
        keep_head: false,
      },
    });
    return id;
  }
}
