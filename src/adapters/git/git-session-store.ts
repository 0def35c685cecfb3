/** Sessions as refs: `refs/waymark/session/<id>` is a chain of commits, one for each change. */
import { Failure } from "../../domain/failure.ts";
import type { SessionDocument } from "../../domain/session.ts";
import { understood } from "../../domain/session-version.ts";
import type { SessionStore, StoredSession, WriteOptions } from "../../ports/session-store.ts";
import { encodeCommit, messageOf, parentsOf } from "./commit-object.ts";
import type { ObjectReader } from "./object-reader.ts";
import { mergePacks } from "./own-packs.ts";
import { PackSpool } from "./pack-spool.ts";
import { publish } from "./publish.ts";
import { Quarantine } from "./quarantine.ts";
import { refMessages, refNames, type RefMessage } from "./ref-messages.ts";
import { sessionRef, SESSION_REFS } from "./ref-names.ts";
import type { Repository } from "./repository.ts";
import { TreeBuilder } from "./tree-builder.ts";
import { updateRefs, type RefChange } from "./update-refs.ts";

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
    return { document: parse(messageOf(commit.content), id), version: commit.oid };
  }

  /** One that cannot be read does not hide the others; asking for it by name says what is wrong. */
  async list(): Promise<StoredSession[]> {
    const listed = await refMessages(this.#repository, SESSION_REFS);
    const sources = listed ?? (await this.#oneByOne());
    return sources.flatMap(({ ref, oid, message }) => {
      const document = readable(message, ref.slice(SESSION_REFS.length + 1));
      return document === undefined ? [] : [{ document, version: oid }];
    });
  }

  async #oneByOne(): Promise<RefMessage[]> {
    const found: RefMessage[] = [];
    for (const ref of await refNames(this.#repository, SESSION_REFS)) {
      const commit = await this.#readable(ref);
      if (commit !== undefined) found.push(commit);
    }
    return found;
  }

  async #readable(ref: string): Promise<RefMessage | undefined> {
    try {
      const commit = await this.#reader.read(ref);
      return commit && { ref, oid: commit.oid, message: messageOf(commit.content) };
    } catch (error) {
      if (error instanceof Failure) return undefined;
      throw error;
    }
  }

  async write(
    document: SessionDocument,
    expected: string | undefined,
    message: string,
    { passing = false }: WriteOptions = {},
  ): Promise<boolean> {
    const parents = await this.#parentsAfter(expected, passing ? message : undefined);
    const quarantine = new Quarantine(this.#repository);
    const spool = new PackSpool(() => quarantine.path("session.pack"), this.#repository.hash);
    const builder = new TreeBuilder(undefined, this.#repository.hash);
    const tree = builder.folder([]);
    const content = builder.made.get(tree);
    try {
      if (content !== undefined) spool.add(tree, "tree", content);
    } catch (error) {
      spool.close();
      quarantine.discard();
      throw error;
    }
    const published = await publish(this.#repository, this.#reader, {
      spool,
      quarantine,
      commit: encodeCommit({
        tree,
        parents,
        at: new Date(document.updated_at),
        message: `${message}\n\n${JSON.stringify(document, null, 1)}\n`,
      }),
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
      return await updateRefs(this.#repository, [gone], {});
    } catch (error) {
      quarantine.removeRefLocks();
      throw error;
    } finally {
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

function readable(message: string, id: string): SessionDocument | undefined {
  try {
    return parse(message, id);
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

function parse(message: string, id: string): SessionDocument {
  const start = message.indexOf("\n\n{");
  try {
    return understood(JSON.parse(message.slice(start + 2)) as SessionDocument, id);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure("session_damaged", `the journal of session ${id} cannot be read`, {
      hint: `git log ${sessionRef(id)} shows its earlier versions; docs/recovery.md says how to go back to one.`,
      cause: error,
    });
  }
}
