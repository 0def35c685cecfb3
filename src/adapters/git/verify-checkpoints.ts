/** Reads every object of checkpoints and computes its id again: finds whatever is missing or was flipped. */
import { isCheckpointId } from "../../domain/checkpoint-id.ts";
import { readDocument } from "../../domain/document-text.ts";
import { gitPartOf, type CheckpointDocument } from "../../domain/checkpoint.ts";
import { Failure } from "../../domain/failure.ts";
import type { Integrity } from "../../ports/checkpoint-store.ts";
import { SILENT, type Progress } from "../../ports/progress.ts";
import { isPartialClone } from "./capture/trusted-objects.ts";
import { LOCAL_ENTRIES, type LocalEntry } from "../../domain/local-half.ts";
import { messageOf, parentsOf } from "./commit-object.ts";
import { isForeign } from "./foreign-marks.ts";
import { treeOfCommit } from "./head.ts";
import { objectId, type ObjectType } from "./object-hash.ts";
import type { ObjectReader, ReadObject } from "./object-reader.ts";
import { looseIds } from "./loose-ids.ts";
import { isRemoved, refNames } from "./ref-messages.ts";
import { isMadeHere } from "./made-here.ts";
import { partEntries } from "./part-entries.ts";
import { checkpointRef, CHECKPOINT_REFS, localRef } from "./ref-names.ts";
import type { Repository } from "./repository.ts";
import { sha256 } from "./sha256.ts";
import { decodeTree } from "./tree-object.ts";

export async function verifyCheckpoints(
  repository: Repository,
  reader: ObjectReader,
  ids?: readonly string[],
  progress: Progress = SILENT,
): Promise<Integrity[]> {
  const wanted = ids ?? (await allIds(repository));
  const task = progress.begin("checking checkpoints", { items: wanted.length });
  try {
    const checker = new ObjectChecker(repository, reader, (bytes) => task.advance(0, bytes));
    const results: Integrity[] = [];
    for (const id of wanted) {
      const result = await verifyOne(repository, checker, id);
      // One that was removed since the list was read is not damaged.
      const isGone =
        ids === undefined && !result.file && (await isRemoved(repository, checkpointRef(id)));
      if (!isGone) results.push(result);
      task.advance(1);
    }
    return results;
  } finally {
    task.end();
  }
}

async function allIds(repository: Repository): Promise<string[]> {
  const refs = await refNames(repository, CHECKPOINT_REFS);
  const ids = refs.map((ref) => ref.slice(CHECKPOINT_REFS.length + 1));
  return [...new Set([...ids, ...looseIds(repository)])];
}

async function verifyOne(
  repository: Repository,
  checker: ObjectChecker,
  id: string,
): Promise<Integrity> {
  const problems: string[] = [];
  const commit = isCheckpointId(id) ? await checker.object(checkpointRef(id), problems) : undefined;
  if (commit?.type !== "commit") {
    problems.unshift("its commit cannot be read");
    return { id, file: false, hash: false, git: false, state: false, problems };
  }
  const read = readDocument(messageOf(commit.content), id, sha256);
  const unchecked = { id, file: true, hash: false, git: false, state: false, problems };
  if (read.kind === "newer") {
    problems.push(`written by a newer Waymark (format ${read.version}): update Waymark to use it`);
    return { ...unchecked, newer: true };
  }
  if (read.kind === "damaged") {
    problems.push(read.problem);
    return unchecked;
  }
  const tree = treeOfCommit(commit.content);
  const part = gitPartOf(read.document);
  const before = problems.length;
  if (tree !== part?.digest) problems.push("its tree does not match the document");
  if (tree !== undefined) await checker.tree(tree, problems);
  for (const parent of parentsOf(commit.content)) {
    if ((await checker.object(parent, problems)) === undefined) {
      problems.push(`the commit ${parent} that it keeps alive is missing`);
    }
  }
  await checkParts(repository, checker, read.document, problems);
  const notHere = await checkLocalHalf(repository, checker, read.document, problems);
  const git = problems.length === before;
  const result = { id, file: true, hash: true, git, state: true, problems };
  return notHere.length === 0 ? result : { ...result, notHere };
}

/** Of one that was taken elsewhere it may be missing, which is no damage. What is here has to be whole. Answers with what is not here. */
async function checkLocalHalf(
  repository: Repository,
  checker: ObjectChecker,
  document: CheckpointDocument,
  problems: string[],
): Promise<LocalEntry[]> {
  const commit = await checker.object(localRef(document.id), problems, "may be missing");
  const tree = commit && treeOfCommit(commit.content);
  const root = tree === undefined ? undefined : await checker.object(tree, problems);
  const here = new Map(
    (root === undefined ? [] : decodeTree(root.content, repository.hash)).map((entry) => [
      entry.name,
      entry.oid,
    ]),
  );
  const wanted = LOCAL_ENTRIES.filter((name) => document.local?.[name] !== undefined);
  for (const name of wanted) {
    const oid = here.get(name);
    if (oid === undefined) continue;
    if (oid !== document.local?.[name]) problems.push(`local ${name} does not match the document`);
  }
  if (tree !== undefined) await checker.tree(tree, problems);
  const missing = wanted.filter((name) => !here.has(name));
  const isOwn = !isForeign(repository, document.id) && isMadeHere(repository, document);
  if (isOwn) for (const name of missing) problems.push(`local ${name} is missing`);
  return missing;
}

/** The parts that the document names are the ones in the tree. */
async function checkParts(
  repository: Repository,
  checker: ObjectChecker,
  document: CheckpointDocument,
  problems: string[],
): Promise<void> {
  const part = gitPartOf(document);
  const root = part === undefined ? undefined : await checker.object(part.digest, problems);
  if (part === undefined || root === undefined) return;
  const names = new Map(
    decodeTree(root.content, repository.hash).map((entry) => [entry.name, entry.oid]),
  );
  for (const [name, oid] of partEntries(part)) {
    if ((names.get(name) ?? null) !== oid) problems.push(`${name} does not match the document`);
  }
}

class ObjectChecker {
  readonly #repository: Repository;
  readonly #reader: ObjectReader;
  /** Checkpoints share most of their objects; each is read once. */
  readonly #good = new Set<string>();
  readonly #bad = new Map<string, string>();
  /** In a partial clone, blobs that nobody needed yet are elsewhere; that is no damage. */
  readonly #isPartial: boolean;

  readonly #onRead: (bytes: number) => void;

  constructor(repository: Repository, reader: ObjectReader, onRead: (bytes: number) => void) {
    this.#repository = repository;
    this.#reader = reader;
    this.#onRead = onRead;
    this.#isPartial = isPartialClone(repository);
  }

  async object(
    name: string,
    problems: string[],
    need: "needed" | "may be missing" = "needed",
  ): Promise<ReadObject | undefined> {
    let object: ReadObject | undefined;
    try {
      object = await this.#reader.read(name);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      problems.push(error.message);
      return undefined;
    }
    if (object === undefined) {
      if (need === "needed") problems.push(`${name} is missing`);
      return undefined;
    }
    const type = object.type as ObjectType;
    this.#onRead(object.content.length);
    if (objectId(this.#repository.hash, type, object.content) !== object.oid) {
      problems.push(`the ${type} ${object.oid} is damaged`);
      return undefined;
    }
    return object;
  }

  async tree(oid: string, problems: string[]): Promise<void> {
    if (this.#isDone(oid, problems)) return;
    const object = await this.object(oid, problems);
    if (object === undefined) {
      this.#bad.set(oid, `the tree ${oid} is missing or damaged`);
      return;
    }
    const found = problems.length;
    for (const entry of decodeTree(object.content, this.#repository.hash)) {
      if (entry.mode === "160000") continue;
      if (entry.mode === "040000") await this.tree(entry.oid, problems);
      else await this.#blob(entry.oid, entry.name, problems);
    }
    if (problems.length === found) this.#good.add(oid);
    else this.#bad.set(oid, `something below the tree ${oid} is missing or damaged`);
  }

  async #blob(oid: string, name: string, problems: string[]): Promise<void> {
    if (this.#isDone(oid, problems)) return;
    if (this.#isPartial && (await this.#reader.read(oid)) === undefined) return;
    try {
      // In pieces, and not kept: it may be larger than memory.
      await this.#reader.readPieces(oid, "blob", { begin: this.#onRead, take: () => undefined });
      this.#good.add(oid);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      problems.push(error.message);
      this.#bad.set(oid, `the file ${JSON.stringify(name)} is missing or damaged`);
    }
  }

  #isDone(oid: string, problems: string[]): boolean {
    if (this.#good.has(oid)) return true;
    const problem = this.#bad.get(oid);
    if (problem === undefined) return false;
    problems.push(problem);
    return true;
  }
}
