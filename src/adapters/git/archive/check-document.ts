/** Checks what a checkpoint from outside says: a rollback does what the document tells it. */
import { gitPartOf, type CheckpointDocument } from "../../../domain/checkpoint.ts";
import { schemaProblems } from "../../../domain/checkpoint-schema.ts";
import { Failure } from "../../../domain/failure.ts";
import { readDocument } from "../../../domain/document-text.ts";
import {
  isLocalEntry,
  LOCAL_ENTRIES,
  type LocalEntry,
  type LocalHalf,
} from "../../../domain/local-half.ts";
import { isHostilePath, isRestorableRef } from "../../../domain/hostile-path.ts";
import { decodeDetails, type WorkTreeDetails } from "../../../domain/work-tree-details.ts";
import { digestFlags } from "../capture/index-facts.ts";
import { messageOf, parentsOf } from "../commit-object.ts";
import { contentHashOf } from "../content-hash.ts";
import { treeOfCommit } from "../head.ts";
import type { ObjectReader } from "../object-reader.ts";
import { STATE_NAMES } from "../operation-state.ts";
import { partEntries } from "../part-entries.ts";
import type { Repository } from "../repository.ts";
import { sha256 } from "../sha256.ts";
import { decodeTree, type TreeEntry } from "../tree-object.ts";
import { TreeBuilder } from "../tree-builder.ts";
import { foldsCase } from "../folds-case.ts";
import { checkpointRef, localRef } from "../ref-names.ts";
import { checkIndex } from "./check-index.ts";
import { partsProblem } from "./check-parts.ts";
import { problemOf, refusal } from "./refusal.ts";

export class DocumentChecker {
  readonly #repository: Repository;
  readonly #reader: ObjectReader;
  readonly #foldsCase: boolean;
  /** Checkpoints share indexes and folders; each is checked once. */
  readonly #done = new Set<string>();

  constructor(repository: Repository, reader: ObjectReader, foldsCase: boolean) {
    this.#repository = repository;
    this.#reader = reader;
    this.#foldsCase = foldsCase;
  }

  /** `localId`: the commit of its local half, as far as that came along. */
  async check(id: string, commitId: string, localId?: string): Promise<CheckpointDocument> {
    const commit = await this.#reader.read(commitId);
    const bad = (problem: string) => refusal(`checkpoint ${id}: ${problem}`, { checkpoint_id: id });
    if (commit?.type !== "commit") throw bad("its ref does not point at a commit");
    const read = readDocument(messageOf(commit.content), id, sha256);
    if (read.kind === "newer")
      throw bad(`it was written by a newer Waymark (format ${read.version})`);
    if (read.kind === "damaged") throw bad(read.problem);
    const { document } = read;
    const [wrong] = schemaProblems(document);
    if (wrong !== undefined) throw bad(wrong);
    const half = await this.#half(localId);
    const problem =
      localProblem(document, half) ??
      refProblem(document, parentsOf(commit.content)) ??
      (await this.#partProblem(document, treeOfCommit(commit.content))) ??
      (await partsProblem(
        document,
        (name) => {
          const isLocal = isLocalEntry(name) && document.local !== undefined;
          return this.#file((isLocal ? half.tree : treeOfCommit(commit.content)) ?? "", name);
        },
        this.#foldsCase,
        half.entries,
      ));
    if (problem !== undefined) throw bad(problem);
    return document;
  }

  async #half(localId: string | undefined): Promise<Half> {
    if (localId === undefined) return { tree: undefined, entries: {}, others: [] };
    const tree = treeOfCommit(await this.#reader.readChecked(localId, "commit")) ?? "";
    const entries = await this.#entries(tree);
    const isKnown = ({ name }: TreeEntry): boolean => LOCAL_ENTRIES.some((one) => one === name);
    return {
      tree,
      entries: Object.fromEntries(entries.filter(isKnown).map(({ name, oid }) => [name, oid])),
      others: entries.filter((entry) => !isKnown(entry)).map(({ name }) => name),
    };
  }

  async #partProblem(
    document: CheckpointDocument,
    tree: string | undefined,
  ): Promise<string | undefined> {
    const part = gitPartOf(document);
    if (part === undefined) return "it contains no work tree";
    if (tree !== part.digest) return "its tree does not match the document";
    const root = await this.#entries(tree);
    const entries = new Map(root.map((entry) => [entry.name, entry.oid]));
    for (const [name, oid] of partEntries(part)) {
      if ((entries.get(name) ?? null) !== oid) return `${name} does not match the document`;
    }
    if (contentHashOf(root, document.local?.worktree) !== document.content_hash)
      return "its content_hash is wrong";
    return (
      (await this.#once(`details ${part.details}`, () => this.#detailsProblem(part.details))) ??
      (await this.#once(`operation ${part.operation}`, () =>
        this.#operationProblem(part.operation),
      )) ??
      (await this.#once(`index ${part.index_raw} ${part.index} ${part.index_flags}`, () =>
        this.#indexProblem(part.index_raw, part.index, part.index_flags),
      ))
    );
  }

  async #once(key: string, find: () => Promise<string | undefined>): Promise<string | undefined> {
    if (this.#done.has(key)) return undefined;
    const problem = await find();
    if (problem === undefined) this.#done.add(key);
    return problem;
  }

  async #detailsProblem(oid: string): Promise<string | undefined> {
    let details: WorkTreeDetails;
    try {
      details = decodeDetails((await this.#reader.readChecked(oid, "blob")).toString("utf8"));
    } catch {
      return "its worktree.json cannot be read";
    }
    const paths = [...details.modes.keys(), ...details.emptyFolders.keys()];
    const hostile = paths.find((path) => isHostilePath(path, this.#foldsCase));
    return hostile === undefined
      ? undefined
      : `its worktree.json has the path ${JSON.stringify(hostile)}`;
  }

  /** These go into git's own folder, so only the files that belong to an operation may be there, and no links. */
  async #operationProblem(oid: string | null): Promise<string | undefined> {
    if (oid === null) return undefined;
    const names: ReadonlySet<string> = new Set(STATE_NAMES);
    const folders = [oid];
    for (const folder of folders) {
      for (const { mode, name, oid: child } of await this.#entries(folder)) {
        if (folder === oid && !names.has(name))
          return `its operation has the file ${JSON.stringify(name)}`;
        if (mode === "040000") folders.push(child);
        else if (!mode.startsWith("100"))
          return `its operation has ${JSON.stringify(name)}, which is not a regular file`;
      }
    }
    return undefined;
  }

  async #indexProblem(
    raw: string | null,
    tree: string,
    flags: string,
  ): Promise<string | undefined> {
    if (raw === null) return undefined;
    const { hash } = this.#repository;
    const bytes = await this.#reader.readChecked(raw, "blob");
    const checked = checkIndex(bytes, hash, this.#foldsCase);
    if (checked.kind === "wrong") return checked.problem;
    if (digestFlags(checked.index) !== flags)
      return "the flags of its index do not match the document";
    if (checked.tree === tree) return undefined;
    // Names that are stored escaped make another tree.
    const stored = new TreeBuilder(checked.index, hash).indexTree();
    return stored === tree ? undefined : "its index does not have the files that index/ has";
  }

  /** A plain file of a checkpoint's tree. */
  async #file(tree: string, name: string): Promise<Buffer> {
    const names = name.split("/");
    let oid = tree;
    for (const [at, part] of names.entries()) {
      const mode = at === names.length - 1 ? "100644" : "040000";
      const found = (await this.#entries(oid)).find((entry) => entry.name === part);
      if (found?.mode !== mode) throw refusal(`${name} of a checkpoint is missing`);
      oid = found.oid;
    }
    return this.#reader.readChecked(oid, "blob");
  }

  async #entries(oid: string): Promise<TreeEntry[]> {
    return decodeTree(await this.#reader.readChecked(oid, "tree"), this.#repository.hash);
  }
}

/** Of what came along. */
interface Half {
  readonly tree: string | undefined;
  readonly entries: LocalHalf;
  readonly others: readonly string[];
}

function localProblem(
  { local }: CheckpointDocument,
  { entries, others }: Half,
): string | undefined {
  const [other] = others;
  if (other !== undefined) return `its local half contains ${JSON.stringify(other)}`;
  // Earlier versions kept copied files beside git: those are checked by their manifest.
  const isKnown = (name: LocalEntry): boolean => local === undefined && name === "files";
  const wrong = LOCAL_ENTRIES.find(
    (name) => entries[name] !== undefined && entries[name] !== local?.[name] && !isKnown(name),
  );
  return wrong && `${wrong} of its local half does not match the document`;
}

/** A rollback moves these refs to these commits, so they have to be ones that the checkpoint itself keeps alive. */
function refProblem({ git }: CheckpointDocument, parents: readonly string[]): string | undefined {
  if (git.commit !== null && parents[0] !== git.commit)
    return "its commit is not the one that it was taken at";
  if (git.branch !== null && !git.branch.startsWith("refs/heads/"))
    return `it names the branch ${JSON.stringify(git.branch)}`;
  for (const [name, oid] of [
    ...Object.entries(git.refs),
    [git.branch ?? "refs/heads/x", null] as const,
  ]) {
    if (!isRestorableRef(name)) return `it would set the ref ${JSON.stringify(name)}`;
    if (oid !== null && !parents.includes(oid))
      return `it would set ${name} to a commit that it does not contain`;
  }
  return undefined;
}

/** The same for one that is in the repository already and was not made here: `git fetch` checks nothing of it. */
export async function checkFetched(
  repository: Repository,
  reader: ObjectReader,
  id: string,
): Promise<void> {
  const commit = await reader.read(checkpointRef(id));
  // Whoever reads it says that it is gone.
  if (commit === undefined) return;
  const checker = new DocumentChecker(repository, reader, await foldsCase(repository));
  const half = await reader.read(localRef(id));
  try {
    await checker.check(id, commit.oid, half?.oid);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "archive_refused") throw error;
    const why = problemOf(error).replace(`checkpoint ${id}: `, "");
    throw new Failure("checkpoint_damaged", `${why}; it was not created on this machine`, {
      hint: "An import would refuse it too. Nothing was changed.",
      cause: error,
    });
  }
}
