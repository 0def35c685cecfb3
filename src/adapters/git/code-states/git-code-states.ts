/** The CodeStates port. */
import type { CapturePolicy } from "../../../domain/capture-policy.ts";
import { documentMessage } from "../../../domain/document-text.ts";
import { Failure } from "../../../domain/failure.ts";
import type { OldCode } from "../../../domain/old-formats/old-session.ts";
import type { SessionDocument } from "../../../domain/session.ts";
import { asFailure } from "../../../domain/system-error.ts";
import type {
  CodeCapture,
  CodeStates,
  FoundCode,
  SessionArrival,
} from "../../../ports/code-states.ts";
import { encodeCommit } from "../commit-object.ts";
import { localCommit } from "../local-half.ts";
import { objectId } from "../object-hash.ts";
import type { ObjectReader } from "../object-reader.ts";
import { PackSpool } from "../pack-spool.ts";
import { storePack, syncRef } from "../publish.ts";
import { Quarantine } from "../quarantine.ts";
import { checkpointRef, localRef, sessionRef } from "../ref-names.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";
import { protectCommits } from "../store/protect-commits.ts";
import { addSession } from "../session-commit.ts";
import type { RefChange } from "../ref-transaction.ts";
import { updateRefs } from "../update-refs.ts";
import { captureCommit, CommitCapture, type CaptureShop } from "./commit-capture.ts";
import { CodeFinder } from "./find-code.ts";

export class GitCodeStates implements CodeStates {
  readonly #repository: Repository;
  readonly #reader: ObjectReader;
  readonly #finder: CodeFinder;

  constructor(repository: Repository, reader: ObjectReader) {
    this.#repository = repository;
    this.#reader = reader;
    this.#finder = new CodeFinder(repository, reader);
  }

  find(wanted: OldCode): Promise<FoundCode> {
    return this.#finder.find(wanted);
  }

  begin(): SessionArrival {
    return new GitSessionArrival(this.#repository, this.#reader);
  }
}

type Draft = Parameters<SessionArrival["publish"]>[2][number];

class GitSessionArrival implements SessionArrival {
  readonly #shop: CaptureShop;

  constructor(repository: Repository, reader: ObjectReader) {
    const quarantine = new Quarantine(repository);
    const spool = new PackSpool(() => quarantine.path("arrival.pack"), repository.hash);
    this.#shop = { repository, reader, quarantine, spool };
  }

  async capture(code: FoundCode, policy: CapturePolicy): Promise<CodeCapture> {
    const { commit } = code;
    if (commit === null) throw new Error("a commit that is not here cannot be captured");
    return captureCommit(this.#shop, { ...code, commit }, policy);
  }

  async publish(
    session: SessionDocument,
    expected: string | undefined,
    drafts: readonly Draft[],
  ): Promise<boolean> {
    const { quarantine, spool } = this.#shop;
    const repository = this.#shop.repository.store;
    const changes = drafts.flatMap((draft): RefChange[] => {
      const { id } = draft.document;
      const half = localCommit(draft.document, localOf(draft));
      return [
        { name: checkpointRef(id), old: undefined, new: this.#addCommit(commitOf(draft)) },
        ...(half === undefined
          ? []
          : [{ name: localRef(id), old: undefined, new: this.#addCommit(half) }]),
      ];
    });
    const parents = expected === undefined ? [] : [expected];
    const bytes = addSession(spool, repository.hash, session, parents, "imported");
    changes.push({ name: sessionRef(session.id), old: expected, new: this.#addCommit(bytes) });
    const commits = drafts.flatMap(({ document }) => document.git.commit ?? []);
    try {
      const { lost } = await protectCommits(repository, quarantine, {
        head: undefined,
        others: [...new Set(commits)],
      });
      if (lost.length > 0) throw prunedMeanwhile();
      await storePack(repository, spool, quarantine, "safe");
      quarantine.announceTransaction(changes);
      const isDone = await updateRefs(repository, changes, {});
      if (isDone) {
        for (const { name } of changes) syncRef(repository, name);
        await checkConnected(repository, changes, commits);
      }
      quarantine.settle();
      return isDone;
    } catch (error) {
      quarantine.takeBack();
      throw asFailure(error, "importing the session");
    }
  }

  discard(): void {
    this.#shop.spool.close();
    this.#shop.quarantine.discard();
  }

  #addCommit(bytes: Buffer): string {
    const oid = objectId(this.#shop.repository.hash, "commit", bytes);
    this.#shop.spool.add(oid, "commit", bytes);
    return oid;
  }
}

function commitOf({ document, capture }: Draft): Buffer {
  if (!(capture instanceof CommitCapture)) throw new Error("this capture is of another kind");
  return encodeCommit({
    tree: capture.part.digest,
    parents: [capture.commit],
    at: new Date(document.created_at),
    message: documentMessage(document),
  });
}

function localOf({ capture }: Draft): CommitCapture["local"] {
  return capture instanceof CommitCapture ? capture.local : undefined;
}

/** Read back, now that the refs are there. */
async function checkConnected(
  repository: Repository,
  changes: readonly RefChange[],
  commits: readonly string[],
): Promise<void> {
  const tips = [...changes.map((change) => change.new), ...commits];
  const input = tips.map((oid) => `${oid ?? ""}\n`).join("");
  const args = ["rev-list", "--quiet", "--objects", "--no-walk", "--stdin"];
  const { exitCode } = await runGit(repository, args, { input, accept: [0, 128] });
  if (exitCode !== 0) throw prunedMeanwhile();
}

function prunedMeanwhile(): Failure {
  return new Failure("repository_busy", "git pruned objects while the session was imported", {
    hint: "Run the command again; nothing of this session was imported.",
  });
}
