/** The Rebuilder port: finds lost objects elsewhere, and writes anew what only its own commit can tell. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gitPartOf, type CheckpointDocument } from "../../../domain/checkpoint.ts";
import { readDocument } from "../../../domain/document-text.ts";
import { LOCAL_ENTRIES } from "../../../domain/local-half.ts";
import { Failure } from "../../../domain/failure.ts";
import { asFailure } from "../../../domain/system-error.ts";
import type {
  MissingPiece,
  Rebuilder,
  RebuildOrder,
  RebuildReport,
  Remade,
  RepairedPiece,
} from "../../../ports/rebuilder.ts";
import { DocumentChecker } from "../archive/check-document.ts";
import { messageOf } from "../commit-object.ts";
import { foldsCase } from "../folds-case.ts";
import { isForeign, markForeign } from "../foreign-marks.ts";
import { localCommit, localHalfHere } from "../local-half.ts";
import { isMadeHere } from "../made-here.ts";
import { objectId } from "../object-hash.ts";
import { ObjectReader } from "../object-reader.ts";
import { PackSpool } from "../pack-spool.ts";
import { storePack, syncRef } from "../publish.ts";
import { Quarantine } from "../quarantine.ts";
import { checkpointRef, localRef, sessionRef, SESSION_REFS } from "../ref-names.ts";
import { refValues } from "../ref-values.ts";
import type { Repository } from "../repository.ts";
import { sha256 } from "../sha256.ts";
import { withoutLender } from "../store/store-place.ts";
import type { RefChange } from "../ref-transaction.ts";
import { encodeTree, type TreeEntry } from "../tree-object.ts";
import { updateRefs } from "../update-refs.ts";
import { lostCommit, refValue } from "./find-commit.ts";
import {
  anyFileSource,
  documentSource,
  indexSource,
  movedFileSource,
  projectSource,
  samePathSource,
} from "./local-sources.ts";
import type { RepositorySource } from "./object-source.ts";
import { openSource } from "./other-repository.ts";
import { movedMeanwhile, remakeCheckpoint, type LostPart } from "./remake-checkpoint.ts";
import { RepairWalk } from "./repair-walk.ts";
import { setAside } from "./set-aside.ts";

/** The commit that the checkpoint is to have. */
interface Target {
  readonly oid: string;
  readonly commit: Buffer;
  /** Undefined: damaged. */
  readonly document: CheckpointDocument | undefined;
  readonly source: string;
}

export class GitRebuilder implements Rebuilder {
  readonly #repository: Repository;
  readonly #reader: ObjectReader;

  constructor(repository: Repository, reader: ObjectReader) {
    this.#repository = repository;
    this.#reader = reader;
  }

  async rebuild(order: RebuildOrder): Promise<RebuildReport> {
    const repository = this.#repository.store;
    const from =
      order.from === undefined
        ? undefined
        : await openSource(repository, order.from, order.progress);
    const quarantine = new Quarantine(repository);
    const spool = new PackSpool(() => quarantine.path("repaired.pack"), repository.hash);
    // What a store that owns its objects has lost may still be in the project.
    const own = new ObjectReader(withoutLender(repository));
    try {
      const isFolding = await foldsCase(repository);
      const first = from === undefined ? [] : [from];
      const walk = new RepairWalk(repository, own, spool, first, isFolding);
      const before = await refValue(repository, order.id);
      const target = await this.#target(order.id, before, walk, from);
      if (target === undefined) return nothingLeft(before);
      walk.sources.splice(0, walk.sources.length, ...(await this.#sources(target, from, order)));
      await walk.below(target.commit);
      const half = await this.#half(target, walk, spool, from);
      const sessions = await this.#sessions(order, target, spool, from);
      if (spool.count > 0) await storePack(repository, spool, quarantine, "safe");
      const found = [...walk.repaired, ...sessions.repaired];
      for (const { object } of found) if (object !== null) setAside(repository, loosePath(object));
      const movedSessions = await this.#move(sessions.moves, from?.label ?? "");
      if (walk.missing.length === 0)
        movedSessions.push(...(await this.#move(half, "its document")));
      const isOther = target.oid !== before;
      if (isOther && walk.missing.length > 0) {
        return { repaired: [...found, ...movedSessions], missing: walk.missing, remade: null };
      }
      const moved = isOther ? await this.#moveRef(order.id, before, target, isFolding) : [];
      const repaired = [...found, ...movedSessions, ...moved];
      const lost = remakable(walk.missing, target.document);
      if (lost === undefined || order.exactly) {
        return { repaired, missing: walk.missing, remade: null };
      }
      const remade = await this.#remake(order, target, lost);
      return { repaired, missing: [], remade };
    } catch (error) {
      throw asFailure(error, "rebuilding the checkpoint");
    } finally {
      spool.close();
      own.close();
      from?.close();
      quarantine.discard();
    }
  }

  /** The commit that the ref names, if its document is whole; then one with a whole document; then the damaged one. */
  async #target(
    id: string,
    before: string | undefined,
    walk: RepairWalk,
    from: RepositorySource | undefined,
  ): Promise<Target | undefined> {
    const own = before === undefined ? undefined : await this.#read(id, before, walk, "here");
    if (own?.document !== undefined) return own;
    const theirs = await from?.commitOf(checkpointRef(id));
    const other =
      theirs === undefined ? undefined : await this.#read(id, theirs, walk, from?.label ?? "");
    if (other?.document !== undefined) return other;
    const lost = await lostCommit(this.#repository.store, this.#reader, id);
    const found =
      lost === undefined ? undefined : await this.#read(id, lost, walk, "a commit without a ref");
    return found ?? own;
  }

  async #read(
    id: string,
    oid: string,
    walk: RepairWalk,
    source: string,
  ): Promise<Target | undefined> {
    const commit = await walk.commit(oid);
    if (commit === undefined) return undefined;
    const read = readDocument(messageOf(commit), id, sha256);
    if (read.kind === "newer") {
      throw new Failure("checkpoint_newer", `checkpoint ${id} was written by a newer Waymark`, {
        hint: "Update Waymark to rebuild it; it was not changed.",
      });
    }
    return { oid, commit, document: read.kind === "ok" ? read.document : undefined, source };
  }

  async #sources(target: Target, from: RepositorySource | undefined, order: RebuildOrder) {
    const { hash, gitDir } = this.#repository;
    const part = target.document === undefined ? undefined : gitPartOf(target.document);
    const indexFile = join(gitDir, "index");
    const now = existsSync(indexFile) ? readFileSync(indexFile) : undefined;
    const raw = part?.index_raw ?? undefined;
    const then = raw === undefined ? undefined : await this.#ifWhole(raw);
    return [
      projectSource(this.#reader),
      ...(part === undefined ? [] : [documentSource(part)]),
      indexSource("its raw index", then, hash),
      indexSource("the index", now, hash),
      samePathSource(this.#repository),
      movedFileSource(this.#repository, order.progress),
      ...(from === undefined ? [] : [from]),
      anyFileSource(this.#repository, order.progress),
    ];
  }

  /** Where it belongs here. The document tells what is in it, so that its commit can be made again. */
  async #half(
    { document }: Target,
    walk: RepairWalk,
    spool: PackSpool,
    from: RepositorySource | undefined,
  ): Promise<readonly RefChange[]> {
    if (document === undefined) return [];
    const repository = this.#repository;
    const name = localRef(document.id);
    const old = (await refValues(repository.store, name)).get(name);
    const isOwn = !isForeign(repository, document.id) && isMadeHere(repository, document);
    const isThere = (await from?.commitOf(name)) !== undefined;
    const here = await this.#orNothing(localHalfHere(repository, this.#reader, document.id));
    // One that was taken elsewhere has what came along.
    const wanted = isOwn || isThere ? (document.local ?? here ?? {}) : (here ?? {});
    const entries: TreeEntry[] = [];
    for (const entry of LOCAL_ENTRIES) {
      const oid = wanted[entry];
      if (oid === undefined) continue;
      await walk.half(oid, entry);
      entries.push({ mode: "040000", name: entry, oid });
    }
    if (entries.length === 0) return [];
    const content = encodeTree(entries);
    const tree = objectId(repository.hash, "tree", content);
    const commit = localCommit(document, { tree, entries: wanted }) ?? Buffer.alloc(0);
    const oid = objectId(repository.hash, "commit", commit);
    for (const [object, type, bytes] of [
      [tree, "tree", content],
      [oid, "commit", commit],
    ] as const) {
      if ((await this.#orNothing(this.#reader.readChecked(object, type))) !== undefined) continue;
      spool.add(object, type, bytes);
      walk.repaired.push({ object, type, path: name, source: "its document" });
    }
    return old === oid ? [] : [{ name, old, new: oid }];
  }

  /**
   * Without its journal a checkpoint is of little use: no rollback could be written down. Where the newest version of it is
   * lost, the one that `from` has takes its place. What is not found does not stop anything.
   */
  async #sessions(
    order: RebuildOrder,
    target: Target,
    spool: PackSpool,
    from: RepositorySource | undefined,
  ): Promise<{ repaired: readonly RepairedPiece[]; moves: readonly RefChange[] }> {
    if (from === undefined) return { repaired: [], moves: [] };
    const walk = new RepairWalk(this.#repository.store, this.#reader, spool, [from], false);
    const values = await refValues(this.#repository.store, SESSION_REFS);
    const moves: RefChange[] = [];
    for (const id of new Set([order.sessionId, target.document?.session_id ?? order.sessionId])) {
      const name = sessionRef(id);
      const ours = values.get(name);
      if (ours === undefined) continue;
      let commit = await walk.commit(ours);
      const theirs = commit === undefined ? await from.commitOf(name) : undefined;
      if (theirs !== undefined) {
        commit = await walk.commit(theirs);
        if (commit !== undefined) moves.push({ name, old: ours, new: theirs });
      }
      if (commit !== undefined) await walk.below(commit);
    }
    return { repaired: walk.repaired, moves };
  }

  #ifWhole(blob: string): Promise<Buffer | undefined> {
    return this.#orNothing(this.#reader.readChecked(blob, "blob"));
  }

  async #orNothing<Result>(read: Promise<Result>): Promise<Result | undefined> {
    try {
      return await read;
    } catch (error) {
      if (error instanceof Failure && error.code === "checkpoint_damaged") return undefined;
      throw error;
    }
  }

  /** To a commit that the ref did not name: it may come from anywhere, so it is checked as an import is. */
  async #moveRef(
    id: string,
    before: string | undefined,
    target: Target,
    isFolding: boolean,
  ): Promise<RepairedPiece[]> {
    await new DocumentChecker(this.#repository.store, this.#reader, isFolding).check(
      id,
      target.oid,
    );
    markForeign(this.#repository, [id]);
    const name = checkpointRef(id);
    // A ref file that is not one stops git from writing the ref.
    if (before === undefined) setAside(this.#repository.store, name);
    return this.#move([{ name, old: before, new: target.oid }], target.source);
  }

  async #move(changes: readonly RefChange[], source: string): Promise<RepairedPiece[]> {
    if (changes.length === 0) return [];
    const names = changes.map(({ name }) => name);
    if (!(await updateRefs(this.#repository.store, changes, {})))
      throw movedMeanwhile(names.join(", "));
    for (const name of names) syncRef(this.#repository.store, name);
    return names.map((path) => ({ object: null, type: "ref", path, source }));
  }

  async #remake(
    order: RebuildOrder,
    target: Target,
    lost: ReadonlySet<LostPart>,
  ): Promise<Remade | null> {
    if (target.document !== undefined && lost.size === 0) return null;
    return remakeCheckpoint(this.#repository.store, this.#reader, {
      id: order.id,
      oid: target.oid,
      commit: target.commit,
      document: target.document,
      lost,
      sessionId: order.sessionId,
      at: order.at,
    });
  }
}

function nothingLeft(before: string | undefined): RebuildReport {
  const missing: MissingPiece = { object: before ?? "", type: "commit", path: "commit" };
  return { repaired: [], missing: [missing], remade: null };
}

const loosePath = (oid: string): string => `objects/${oid.slice(0, 2)}/${oid.slice(2)}`;

/**
 * The parts that are lost and can be made again from the rest; undefined when something else is lost. What was left out
 * of the checkpoint stands in worktree.json: without it a rollback would take those files for absent, so it is made
 * again only when the document lists all of them.
 */
function remakable(
  missing: readonly MissingPiece[],
  document: CheckpointDocument | undefined,
): ReadonlySet<LostPart> | undefined {
  const lost = new Set<LostPart>();
  for (const { path } of missing) {
    if (path !== "index.raw" && path !== "worktree.json") return undefined;
    lost.add(path);
  }
  const coverage = document?.coverage;
  const listsAll =
    coverage !== undefined &&
    coverage.excluded.length === coverage.excluded_total &&
    (coverage.withheld?.length ?? 0) === (coverage.withheld_total ?? 0);
  return lost.has("worktree.json") && !listsAll ? undefined : lost;
}
