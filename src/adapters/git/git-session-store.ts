/** Sessions as refs: `refs/waymark/session/<id>` is a chain of commits, one for each change. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../domain/failure.ts";
import {
  isImplicitSessionId,
  newSession,
  standInOf,
  withStandIn,
  type SessionDocument,
} from "../../domain/session.ts";
import {
  orFailure,
  refuseUnreadable,
  sessionDamaged,
  setAsideText,
  sortedOut,
  WITHOUT_IT,
} from "../../domain/session-version.ts";
import type {
  ListedSessions,
  SessionStore,
  StoredSession,
  WriteOptions,
} from "../../ports/session-store.ts";
import { namesIn } from "../files/names-in.ts";
import { messageOf, parentsOf } from "./commit-object.ts";
import { forgetTrust } from "./made-here.ts";
import type { ObjectReader } from "./object-reader.ts";
import { mergePacks } from "./store/packs.ts";
import { PackSpool } from "./pack-spool.ts";
import { publish } from "./publish.ts";
import { Quarantine } from "./quarantine.ts";
import { isBrokenRef, isPacked } from "./read-refs.ts";
import { isRemoved, refMessages, refNames, type RefMessage } from "./ref-messages.ts";
import { DAMAGED_REFS, idOfRef, SESSION_REFS, sessionRef, STAND_IN_REFS } from "./ref-names.ts";
import type { Repository } from "./repository.ts";
import { addSession, sessionIn } from "./session-commit.ts";
import type { RefChange } from "./ref-transaction.ts";
import { updateRefs } from "./update-refs.ts";

/** Versions of stand-ins begin with this: a write that expects one goes to its ref. */
const STAND_IN = "standin:";
/** How many versions are looked at for a good one. */
const MAX_VERSIONS = 1000;

export class GitSessionStore implements SessionStore {
  readonly #project: Repository;
  readonly #reader: ObjectReader;
  readonly #warn: (message: string) => void;
  readonly #told = new Set<string>();

  constructor(
    repository: Repository,
    reader: ObjectReader,
    warn: (message: string) => void = () => undefined,
  ) {
    this.#project = repository;
    this.#reader = reader;
    this.#warn = warn;
  }

  get #repository(): Repository {
    return this.#project.store;
  }

  async read(id: string): Promise<StoredSession | undefined> {
    try {
      return await this.#readRef(sessionRef(id));
    } catch (error) {
      if (!(error instanceof Failure) || !isImplicitSessionId(id)) throw error;
      return this.#standIn(idOfRef(sessionRef(id)), error);
    }
  }

  /** Undefined: there is no such ref. */
  async #readRef(ref: string): Promise<StoredSession | undefined> {
    const name = idOfRef(ref);
    let commit;
    try {
      commit = await this.#reader.read(ref);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      throw sessionDamaged(name, error.message, error);
    }
    if (commit === undefined) {
      if (!this.#isThere(ref)) return undefined;
      throw sessionDamaged(name, "its commit is missing, or its ref is damaged");
    }
    if (commit.type !== "commit") throw sessionDamaged(name, "its ref does not point at a commit");
    return { document: sessionIn(messageOf(commit.content), name), version: commit.oid };
  }

  /** Whether there is a ref of this name, be it damaged. */
  #isThere(ref: string): boolean {
    const { commonDir } = this.#repository;
    return existsSync(join(commonDir, ref)) || isPacked(commonDir, ref);
  }

  async #standIn(name: string, why: Failure): Promise<StoredSession> {
    if (!this.#told.has(name)) {
      this.#told.add(name);
      this.#warn(setAsideText(why, WITHOUT_IT));
    }
    const stored = await this.#readStandIn(name);
    if (stored !== undefined) {
      return { ...stored, version: `${STAND_IN}${stored.version}`, setAside: why };
    }
    const good = await this.#lastGood(name);
    const document =
      good === undefined ? newSession(name, new Date().toISOString()) : standInOf(good.document);
    return { document, version: STAND_IN, setAside: why };
  }

  async #readStandIn(name: string): Promise<StoredSession | undefined> {
    try {
      return await this.#readRef(`${STAND_IN_REFS}/${name}`);
    } catch (error) {
      // It is gone too: `repair` puts it out of the way.
      if (error instanceof Failure) return undefined;
      throw error;
    }
  }

  /** The newest version in the chain of a session that can be read. */
  async #lastGood(name: string): Promise<StoredSession | undefined> {
    let next: string | undefined = `${SESSION_REFS}/${name}`;
    for (let looked = 0; next !== undefined && looked < MAX_VERSIONS; looked++) {
      let commit;
      try {
        commit = await this.#reader.read(next);
      } catch (error) {
        if (error instanceof Failure) return undefined;
        throw error;
      }
      if (commit?.type !== "commit") return undefined;
      const { oid, content } = commit;
      const found = orFailure(() => sessionIn(messageOf(content), name));
      if (!(found instanceof Failure)) return { document: found, version: oid };
      next = parentsOf(content)[0];
    }
    return undefined;
  }

  async list(): Promise<StoredSession[]> {
    return [...(await this.listAll()).sessions];
  }

  async listAll(): Promise<ListedSessions> {
    const { sessions, unreadable } = sortedOut(await this.#all());
    for (const why of unreadable) {
      const name = String(why.details["session"]);
      if (isImplicitSessionId(name)) sessions.push(await this.#standIn(name, why));
    }
    return { sessions, unreadable };
  }

  async #all(): Promise<(StoredSession | Failure)[]> {
    const listed = await refMessages(this.#repository, this.#reader, SESSION_REFS);
    const sources = listed ?? (await this.#oneByOne());
    const found = sources.map((source) => {
      if (source instanceof Failure) return source;
      const { ref, oid, message } = source;
      return orFailure(() => ({ document: sessionIn(message, idOfRef(ref)), version: oid }));
    });
    return [...found, ...this.#brokenRefs(sources)];
  }

  #brokenRefs(listed: readonly (RefMessage | Failure)[]): Failure[] {
    const known = new Set(
      listed.map((one) => (one instanceof Failure ? one.details["session"] : idOfRef(one.ref))),
    );
    const { commonDir } = this.#repository;
    const isBroken = (name: string): boolean => isBrokenRef(commonDir, `${SESSION_REFS}/${name}`);
    return namesIn(join(commonDir, SESSION_REFS))
      .filter((name) => !known.has(name) && !name.endsWith(".lock") && isBroken(name))
      .map((name) => sessionDamaged(name, "its ref is damaged"));
  }

  async #oneByOne(): Promise<(RefMessage | Failure)[]> {
    const found: (RefMessage | Failure)[] = [];
    for (const ref of await refNames(this.#repository, SESSION_REFS)) {
      try {
        const commit = await this.#reader.read(ref);
        if (commit === undefined && (await isRemoved(this.#repository, ref))) continue;
        found.push(
          commit === undefined
            ? sessionDamaged(idOfRef(ref), "its commit is missing")
            : commit.type === "commit"
              ? { ref, oid: commit.oid, tree: undefined, message: messageOf(commit.content) }
              : sessionDamaged(idOfRef(ref), "its ref does not point at a commit"),
        );
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        found.push(sessionDamaged(idOfRef(ref), error.message, error));
      }
    }
    return found;
  }

  write(
    document: SessionDocument,
    expected: string | undefined,
    message: string,
    { passing = false }: WriteOptions = {},
  ): Promise<boolean> {
    const name = idOfRef(sessionRef(document.id));
    if (expected?.startsWith(STAND_IN) !== true) {
      return this.#write(`${SESSION_REFS}/${name}`, document, expected, message, passing);
    }
    const before = expected.slice(STAND_IN.length);
    const standIn = `${STAND_IN_REFS}/${name}`;
    return this.#write(standIn, document, before === "" ? undefined : before, message, passing);
  }

  async #write(
    ref: string,
    document: SessionDocument,
    expected: string | undefined,
    message: string,
    passing: boolean,
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
      ref,
      expected,
      movesOn: true,
      reliesOn: [],
      durability: "safe",
    });
    // Checkpoints see to it that there are few packs; signs of life come without any.
    if (passing) await mergePacks(this.#repository);
    return published !== undefined;
  }

  async remove(id: string, expected: string): Promise<boolean> {
    const isGone = await this.#change([{ name: sessionRef(id), old: expected, new: undefined }]);
    if (isGone) forgetTrust(this.#repository, id);
    return isGone;
  }

  async #change(changes: readonly RefChange[]): Promise<boolean> {
    const quarantine = new Quarantine(this.#repository);
    try {
      quarantine.announceRefs(changes);
      return await updateRefs(this.#repository, changes, {});
    } finally {
      quarantine.removeRefLocks();
      quarantine.discard();
    }
  }

  async leftStandIns(): Promise<string[]> {
    const left: string[] = [];
    for (const ref of await refNames(this.#repository, STAND_IN_REFS)) {
      const name = idOfRef(ref);
      const session = await orUndefined(this.#readRef(`${SESSION_REFS}/${name}`));
      if (session !== undefined) left.push(name);
    }
    return left;
  }

  async repair(name: string): Promise<void> {
    const ref = `${SESSION_REFS}/${name}`;
    let session: StoredSession | undefined;
    try {
      session = await this.#readRef(ref);
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== "session_damaged") throw error;
      session = await this.#putBack(name, ref);
    }
    await this.#joinStandIn(name, session);
  }

  /** The ref at its last good version, and what was there under a name of its own. */
  async #putBack(name: string, ref: string): Promise<StoredSession | undefined> {
    const good = await this.#lastGood(name);
    const commit = await orUndefined(this.#reader.read(ref));
    if (commit?.type === "commit") {
      const kept = { name: `${DAMAGED_REFS}/${name}-${commit.oid.slice(0, 12)}`, new: commit.oid };
      await this.#change([{ ...kept, old: undefined }]);
      await this.#change([{ name: ref, old: commit.oid, new: good?.version }]);
      return good;
    }
    // There is no commit to keep: the file of the ref is, and what was packed before it may be good.
    const { setAside } = await import("./rebuild/set-aside.ts");
    setAside(this.#repository, ref);
    const before = await orUndefined(this.#readRef(ref));
    if (before === undefined && this.#isThere(ref)) {
      await this.#change([{ name: ref, old: undefined, new: undefined }]);
    }
    return before;
  }

  async #joinStandIn(name: string, session: StoredSession | undefined): Promise<void> {
    const ref = `${STAND_IN_REFS}/${name}`;
    const standIn = await this.#readStandIn(name);
    if (standIn === undefined) return;
    const document =
      session === undefined ? standIn.document : withStandIn(session.document, standIn.document);
    const message = "joined with what was written while it could not be read";
    const isWritten = await this.#write(
      `${SESSION_REFS}/${name}`,
      document,
      session?.version,
      message,
      false,
    );
    if (isWritten) await this.#change([{ name: ref, old: standIn.version, new: undefined }]);
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

async function orUndefined<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
