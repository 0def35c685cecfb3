/** Sessions as refs: `refs/waymark/session/<id>` is a chain of commits, one for each change. */
import { Failure } from "../../domain/failure.ts";
import type { SessionDocument } from "../../domain/session.ts";
import {
  orFailure,
  refuseUnreadable,
  sessionDamaged,
  sortedOut,
} from "../../domain/session-version.ts";
import type {
  ListedSessions,
  SessionStore,
  StoredSession,
  WriteOptions,
} from "../../ports/session-store.ts";
import { messageOf, parentsOf } from "./commit-object.ts";
import type { ObjectReader } from "./object-reader.ts";
import { forgetTrust } from "./made-here.ts";
import { mergePacks } from "./own-packs.ts";
import { PackSpool } from "./pack-spool.ts";
import { publish } from "./publish.ts";
import { Quarantine } from "./quarantine.ts";
import { refMessages, refNames, type RefMessage } from "./ref-messages.ts";
import { idOfRef, sessionRef, SESSION_REFS } from "./ref-names.ts";
import type { Repository } from "./repository.ts";
import { addSession, sessionIn } from "./session-commit.ts";
import type { RefChange } from "./ref-transaction.ts";
import { updateRefs } from "./update-refs.ts";

export class GitSessionStore implements SessionStore {
  readonly #repository: Repository;
  readonly #reader: ObjectReader;

  constructor(repository: Repository, reader: ObjectReader) {
    this.#repository = repository;
    this.#reader = reader;
  }

  async read(id: string): Promise<StoredSession | undefined> {
    const commit = await this.#reader.read(sessionRef(id));
    if (commit === undefined) return undefined;
    const name = idOfRef(sessionRef(id));
    return { document: sessionIn(messageOf(commit.content), name), version: commit.oid };
  }

  async list(): Promise<StoredSession[]> {
    return [...(await this.listAll()).sessions];
  }

  async listAll(): Promise<ListedSessions> {
    return sortedOut(await this.#all());
  }

  async #all(): Promise<(StoredSession | Failure)[]> {
    const listed = await refMessages(this.#repository, this.#reader, SESSION_REFS);
    const sources = listed ?? (await this.#oneByOne());
    return sources.map((found) => {
      if (found instanceof Failure) return found;
      const { ref, oid, message } = found;
      return orFailure(() => ({ document: sessionIn(message, idOfRef(ref)), version: oid }));
    });
  }

  async #oneByOne(): Promise<(RefMessage | Failure)[]> {
    const found: (RefMessage | Failure)[] = [];
    for (const ref of await refNames(this.#repository, SESSION_REFS)) {
      try {
        const commit = await this.#reader.read(ref);
        found.push(
          commit === undefined
            ? sessionDamaged(idOfRef(ref), "its commit is missing")
            : { ref, oid: commit.oid, message: messageOf(commit.content) },
        );
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        found.push(sessionDamaged(idOfRef(ref), error.message, error));
      }
    }
    return found;
  }

  async write(
    document: SessionDocument,
    expected: string | undefined,
    message: string,
    { passing = false }: WriteOptions = {},
  ): Promise<boolean> {
    refuseUnreadable(document);
    const parents = await this.#parentsAfter(expected, passing ? message : undefined);
    const quarantine = new Quarantine(this.#repository);
    const spool = new PackSpool(() => quarantine.path("session.pack"), this.#repository.hash);
    let commit: Buffer;
    try {
      commit = addSession(spool, this.#repository.hash, document, parents, message);
    } catch (error) {
      spool.close();
      quarantine.discard();
      throw error;
    }
    const published = await publish(this.#repository, this.#reader, {
      spool,
      quarantine,
      commit,
      ref: sessionRef(document.id),
      expected,
      movesOn: true,
      reliesOn: undefined,
      durability: "safe",
    });
    // Checkpoints see to it that there are few packs; signs of life come without any.
    if (passing) await mergePacks(this.#repository);
    return published !== undefined;
  }

  async remove(id: string, expected: string): Promise<boolean> {
    const gone: RefChange = { name: sessionRef(id), old: expected, new: undefined };
    const quarantine = new Quarantine(this.#repository);
    try {
      quarantine.announceRefs([gone]);
      const isGone = await updateRefs(this.#repository, [gone], {});
      if (isGone) forgetTrust(this.#repository, id);
      return isGone;
    } finally {
      quarantine.removeRefLocks();
      quarantine.discard();
    }
  }

  /** What a new version stands on: the one before, or, in the place of a passing one, what that one stood on. */
  async #parentsAfter(
    expected: string | undefined,
    passing: string | undefined,
  ): Promise<string[]> {
    if (expected === undefined) return [];
    if (passing === undefined) return [expected];
    const before = await this.#reader.read(expected);
    const isReplaced =
      before !== undefined && messageOf(before.content).startsWith(`${passing}\n\n{`);
    return isReplaced ? parentsOf(before.content) : [expected];
  }
}
