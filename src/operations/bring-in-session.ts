/** Makes one session of an older tool ours, with a checkpoint for each of its records whose code is here. */
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import { Failure, type FailureCode } from "../domain/failure.ts";
import {
  importedDocument,
  importedId,
  type ImportedPlace,
} from "../domain/old-formats/imported-checkpoint.ts";
import {
  fittingSession,
  importedSession,
  oldSessionDigest,
  originOf,
  progressAt,
  recordKey,
  withMoreCheckpoints,
  type ImportedSession,
  type MadeCheckpoint,
} from "../domain/old-formats/imported-session.ts";
import type { OldFormat } from "../domain/old-formats/old-formats.ts";
import type {
  NotCarried,
  NotCarriedCode,
  OldRecord,
  OldSession,
} from "../domain/old-formats/old-session.ts";
import { sessionSlug } from "../domain/old-formats/session-slug.ts";
import type { CodeStates, FoundCode, SessionArrival } from "../ports/code-states.ts";
import type { StoredSession } from "../ports/session-store.ts";
import type { Capture } from "../ports/work-tree.ts";
import type { Project } from "./project.ts";

/** extended: it was here, and records became checkpoints whose commits were missing then. kept: something else is here under its id. */
export type SessionStanding = "imported" | "extended" | "already_there" | "kept";

export interface BroughtIn {
  readonly id: string;
  readonly old: OldSession;
  readonly standing: SessionStanding;
  /** Those that are new. */
  readonly checkpoints: readonly { readonly id: string; readonly record: string }[];
}

export interface SessionOrder {
  readonly format: OldFormat;
  readonly old: OldSession;
  readonly dryRun: boolean;
  /** Ids of sessions of the same source. */
  readonly taken: ReadonlySet<string>;
  /** Is told before each record that becomes a checkpoint; what it throws ends the work, and nothing of the session is here then. */
  readonly onRecord: () => void;
}

/** Others write meanwhile; each try starts from what is there then. */
const TRIES = 5;

/** Undefined when nothing of it could be carried. What could not is added to `notCarried`. */
export async function bringInSession(
  project: Project,
  codeStates: CodeStates,
  order: SessionOrder,
  notCarried: NotCarried[],
): Promise<BroughtIn | undefined> {
  const id = sessionSlug(order.old.id, project.sha256);
  if (order.taken.has(id)) {
    notCarried.push(aboutSession(order.old, "twice", "another session of the source has its id"));
    return undefined;
  }
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const step = new SessionStep(project, codeStates, order, id);
    const done = await step.run();
    if (done === "changed_meanwhile") continue;
    notCarried.push(...step.problems);
    return done;
  }
  throw new Failure("repository_busy", `other processes keep writing session ${id}`, {
    hint: "Run the command again; nothing of this session was imported.",
  });
}

function aboutSession(old: OldSession, code: NotCarriedCode, message: string): NotCarried {
  return { code, session: old.id, record: null, file: null, message };
}

interface Wanted {
  readonly record: OldRecord;
  readonly code: FoundCode;
  readonly id: string;
}

type Draft = { readonly document: CheckpointDocument; readonly capture: Capture };

class SessionStep {
  readonly problems: NotCarried[] = [];
  readonly #project: Project;
  readonly #codeStates: CodeStates;
  readonly #order: SessionOrder;
  readonly #id: string;

  constructor(project: Project, codeStates: CodeStates, order: SessionOrder, id: string) {
    this.#project = project;
    this.#codeStates = codeStates;
    this.#order = order;
    this.#id = id;
  }

  async run(): Promise<BroughtIn | undefined | "changed_meanwhile"> {
    const { old, dryRun } = this.#order;
    const before = await this.#stored();
    if (before === "kept") return this.#result("kept", []);
    const wanted = await this.#wanted(before);
    const isThere = before !== undefined;
    if (isThere && wanted.length === 0) return this.#result("already_there", []);
    const standing = isThere ? "extended" : "imported";
    if (dryRun) return this.#result(standing, wanted);
    const arrival = this.#codeStates.begin();
    try {
      const { drafts, made } = await this.#make(arrival, wanted, before);
      const session = this.#session(before, made);
      if (session === undefined) return undefined;
      if (isThere && drafts.length === 0) return this.#result("already_there", []);
      if (!(await arrival.publish(session, before?.version, drafts))) return "changed_meanwhile";
      const isMade = new Set(drafts.map(({ document }) => document.id));
      return this.#result(
        standing,
        wanted.filter(({ id }) => isMade.has(id)),
      );
    } catch (error) {
      throw withSession(error, old);
    } finally {
      arrival.discard();
    }
  }

  #result(standing: SessionStanding, made: readonly Wanted[]): BroughtIn {
    const checkpoints = made.map(({ id, record }) => ({ id, record: record.id }));
    return { id: this.#id, old: this.#order.old, standing, checkpoints };
  }

  #note(code: NotCarriedCode, message: string, record?: OldRecord): void {
    const { old } = this.#order;
    this.problems.push({
      code,
      session: old.id,
      record: record?.id ?? null,
      file: record?.file ?? null,
      message,
    });
  }

  /** The session as it is here; "kept": it is another one, or cannot be read. */
  async #stored(): Promise<StoredSession | "kept" | undefined> {
    let stored: StoredSession | undefined;
    try {
      stored = await this.#project.sessions.read(this.#id);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#note(
        "session_exists",
        `the existing session ${this.#id} was not changed: ${error.message}`,
      );
      return "kept";
    }
    if (stored === undefined) return undefined;
    const digest = oldSessionDigest(this.#order.old, this.#project.sha256);
    if (originOf(stored.document)?.digest === digest) return stored;
    const message = `a session ${this.#id} with other content exists here; it was not changed`;
    this.#note("session_exists", message);
    return "kept";
  }

  /** Records that become checkpoints, with the code that is here. */
  async #wanted(before: StoredSession | undefined): Promise<Wanted[]> {
    const known = before && originOf(before.document)?.checkpointIds;
    const wanted: Wanted[] = [];
    const taken = new Set<string>();
    let withoutCode = 0;
    for (const record of this.#order.old.records) {
      const { format } = this.#order;
      const id = importedId(format, this.#id, record, taken, this.#project.sha256);
      taken.add(id);
      // What is here already, or was and was deleted, stays as it is.
      if (typeof known?.get(recordKey(record)) === "string") continue;
      if (record.damage !== null) {
        this.#note(
          "checksum",
          `${record.damage}; it was kept in the session, without a checkpoint`,
          record,
        );
      } else if (record.code === null) {
        withoutCode += 1;
      } else {
        const code = await this.#codeStates.find(record.code);
        for (const problem of code.problems) this.#note(problem.code, problem.message, record);
        if (code.commit !== null && (await this.#isFree(id, record)))
          wanted.push({ record, code, id });
      }
    }
    if (withoutCode > 0 && before === undefined) {
      const what = withoutCode === 1 ? "1 record names" : `${withoutCode} records name`;
      this.#note("no_commit", `${what} no commit: kept in the session, without a checkpoint`);
    }
    return wanted;
  }

  async #isFree(id: string, record: OldRecord): Promise<boolean> {
    if ((await this.#project.checkpoints.read(id)) === undefined) return true;
    this.#note(
      "checkpoint_exists",
      `checkpoint ${id} already exists here and was not changed`,
      record,
    );
    return false;
  }

  async #make(
    arrival: SessionArrival,
    wanted: readonly Wanted[],
    before: StoredSession | undefined,
  ): Promise<{ drafts: Draft[]; made: Map<OldRecord, MadeCheckpoint> }> {
    const known = before && originOf(before.document)?.checkpointIds;
    const drafts: Draft[] = [];
    const made = new Map<OldRecord, MadeCheckpoint>();
    const earlierId = (record: OldRecord): string | null =>
      made.get(record)?.id ?? known?.get(recordKey(record)) ?? null;
    let previousId: string | null = null;
    for (const one of wanted) {
      this.#order.onRecord();
      const draft = await this.#draft(arrival, one, previousId, earlierId);
      if (draft === undefined) continue;
      drafts.push(draft);
      if (one.record.valid) previousId = one.id;
      made.set(one.record, { id: one.id, holdsState: draft.document.state_digest !== null });
    }
    return { drafts, made };
  }

  async #draft(
    arrival: SessionArrival,
    { record, code, id }: Wanted,
    previousId: string | null,
    earlierId: (record: OldRecord) => string | null,
  ): Promise<Draft | undefined> {
    const { format, old } = this.#order;
    try {
      const { capture, problems } = await arrival.capture(code, this.#project.policy);
      for (const problem of problems) this.#note(problem.code, problem.message, record);
      const ourId = (other: OldRecord): string | null => (other === record ? id : earlierId(other));
      const state = await this.#state(record, capture, ourId);
      const place: ImportedPlace = {
        format,
        sessionId: this.#id,
        worktreeId: this.#project.workTree.id,
        seq: old.records.indexOf(record) + 1,
        previousId,
        isWithoutChanges: record.code?.stash !== null && code.stash === null,
      };
      const document = importedDocument(id, record, capture, state, place, this.#project.sha256);
      return { document, capture };
    } catch (error) {
      if (!isAboutOne(error)) throw error;
      this.#note(
        "commit_missing",
        `no checkpoint can be created from it: ${error.message}`,
        record,
      );
      return undefined;
    }
  }

  /** What the workflow's state was; undefined: it had none, or it is kept in the session. */
  async #state(record: OldRecord, capture: Capture, ourId: (record: OldRecord) => string | null) {
    const workflow = progressAt(this.#order.old, record, ourId);
    const values = { state: record.state, outputs: record.outputs, workflow };
    const documents = (["state", "outputs", "workflow"] as const).flatMap((name) => {
      const value = values[name];
      return value === undefined ? [] : [{ name, kind: "value" as const, value }];
    });
    if (documents.length === 0) return undefined;
    const keeper = await this.#project.parts.keeper("state_snapshot", this.#id);
    try {
      const captured = await keeper.capture({ documents, keys: null });
      await capture.add(captured.entries);
      return captured.part;
    } catch (error) {
      if (!isAboutOne(error)) throw error;
      this.#note("too_large", `its state is kept in the session only: ${error.message}`, record);
      return undefined;
    }
  }

  #session(before: StoredSession | undefined, checkpoints: ReadonlyMap<OldRecord, MadeCheckpoint>) {
    const { format, old } = this.#order;
    const given: ImportedSession = {
      id: this.#id,
      format,
      worktreeId: this.#project.workTree.id,
      old,
      checkpoints,
      at: this.#project.clock.now().toISOString(),
      by: this.#project.actor.user,
      sha256: this.#project.sha256,
    };
    const made =
      before === undefined ? importedSession(given) : withMoreCheckpoints(before.document, given);
    const fitting = fittingSession(made);
    if (fitting === undefined) {
      this.#note("too_large", "it is too large for a session and was omitted");
      return undefined;
    }
    if (fitting.isCut) {
      this.#note(
        "too_large",
        "its records are too large in total; what only they contain was omitted",
      );
    }
    return fitting.session;
  }
}

/** Failures that are about one record; the others may fare better. */
const ABOUT_ONE: readonly FailureCode[] = [
  "checkpoint_damaged",
  "git_failed",
  "over_budget",
  "secrets_held",
  "usage",
];

function isAboutOne(error: unknown): error is Failure {
  return error instanceof Failure && ABOUT_ONE.includes(error.code);
}

function withSession(error: unknown, old: OldSession): unknown {
  if (!(error instanceof Failure)) return error;
  return new Failure(error.code, `session ${JSON.stringify(old.id)}: ${error.message}`, {
    hint: error.hint,
    details: error.details,
    cause: error,
  });
}
