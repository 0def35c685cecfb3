/** A commit of this repository, with a stash entry on top where there is one, as the capture of a moment. */
import { asBytePath, showPath, type BytePath } from "../../../domain/byte-path.ts";
import type { CapturePolicy } from "../../../domain/capture-policy.ts";
import type { Coverage, Exclusion, GitPart, GitSummary } from "../../../domain/checkpoint.ts";
import { Failure } from "../../../domain/failure.ts";
import { isHostilePath } from "../../../domain/hostile-path.ts";
import { listedExclusions, listedWithheld } from "../../../domain/listed-exclusions.ts";
import { isLookedInto, verdictOf } from "../../../domain/secrets/judge-file.ts";
import type { SecretReason } from "../../../domain/secrets/secret-text.ts";
import { nameKinds } from "../../../domain/sensitive-name.ts";
import { encodeDetails, type WorkTreeDetails } from "../../../domain/work-tree-details.ts";
import type { CodeProblem, FoundCode } from "../../../ports/code-states.ts";
import type { PartContent } from "../../../ports/part-keeper.ts";
import type { Capture, StoredMoment } from "../../../ports/work-tree.ts";
import { scanContent } from "../../files/scan-content.ts";
import { defaultModes, withheldFiles } from "../capture/context.ts";
import { countFiles, digestFlags } from "../capture/index-facts.ts";
import { storeObjects } from "../capture/objects-to-store.ts";
import { parentsOf } from "../commit-object.ts";
import { contentHashOf } from "../content-hash.ts";
import { treeOfCommit } from "../head.ts";
import type { IndexFile } from "../index-file.ts";
import { splitHalves, type MadeHalf } from "../local-half.ts";
import { objectId } from "../object-hash.ts";
import type { ObjectReader } from "../object-reader.ts";
import type { PackSpool } from "../pack-spool.ts";
import type { Quarantine } from "../quarantine.ts";
import type { Repository } from "../repository.ts";
import { TreeBuilder, type Leaf } from "../tree-builder.ts";
import { decodeTree, type TreeEntry } from "../tree-object.ts";
import { diffTrees, TreeSource, type LeafChange } from "../tree-source.ts";
import { spoolBlob } from "../write-blob.ts";
import { checkOut } from "./checked-out.ts";
import { makeIndex } from "./private-index.ts";

/** Where what is captured goes until it is published. */
export interface CaptureShop {
  readonly repository: Repository;
  readonly reader: ObjectReader;
  readonly quarantine: Quarantine;
  readonly spool: PackSpool;
}

export class CommitCapture implements Capture {
  readonly git: GitSummary;
  readonly coverage: Coverage;
  readonly details: WorkTreeDetails;
  readonly withheld: ReadonlyMap<BytePath, SecretReason>;
  readonly sameness: string;
  readonly commit: string;
  readonly #shop: CaptureShop;
  readonly #part: GitPart;
  readonly #made: ReadonlyMap<string, Buffer>;
  #root: readonly TreeEntry[];
  #digest: string;
  #local: MadeHalf | undefined;

  constructor(
    shop: CaptureShop,
    commit: string,
    facts: Pick<Capture, "git" | "coverage" | "details" | "withheld"> & {
      part: GitPart;
      root: TreeEntry[];
      made: ReadonlyMap<string, Buffer>;
    },
  ) {
    this.#shop = shop;
    this.commit = commit;
    this.git = facts.git;
    this.coverage = facts.coverage;
    this.details = facts.details;
    this.withheld = facts.withheld;
    this.#part = facts.part;
    this.#root = facts.root;
    this.#made = facts.made;
    this.#digest = facts.part.digest;
    // Never the same as anything: the next checkpoint is taken in any case.
    this.sameness = `imported-${facts.part.digest}`;
  }

  get part(): GitPart {
    return { ...this.#part, digest: this.#digest };
  }

  get local(): MadeHalf | undefined {
    return this.#local;
  }

  get stored(): StoredMoment {
    const worktree = this.#root.find(({ name }) => name === "worktree")?.oid ?? "";
    const part = { ...this.part, worktree };
    return this.#local === undefined ? { part } : { part, local: this.#local.entries };
  }

  get contentHash(): string {
    return contentHashOf(this.#root, this.#part.worktree);
  }

  async add(entries: ReadonlyMap<string, PartContent>): Promise<void> {
    const { repository, reader, spool } = this.#shop;
    const added = new Map<string, Leaf>();
    for (const [name, content] of entries) {
      if (content.kind !== "bytes") throw new Error(`${name} is not in memory`);
      const oid = objectId(repository.hash, "blob", content.bytes);
      spool.add(oid, "blob", content.bytes);
      added.set(name, { mode: "100644", oid });
    }
    const halves = await splitHalves({
      source: new TreeSource(repository, reader, this.#made),
      hash: repository.hash,
      rootEntries: this.#root,
      details: this.details,
      added,
    });
    this.#root = halves.rootEntries;
    this.#digest = halves.root;
    this.#local = halves.local;
    for (const [oid, tree] of halves.made) spool.add(oid, "tree", tree);
  }

  /** The spool belongs to the session that is being made. */
  discard(): void {
    return undefined;
  }
}

export async function captureCommit(
  shop: CaptureShop,
  code: FoundCode & { readonly commit: string },
  policy: CapturePolicy,
): Promise<{ capture: CommitCapture; problems: readonly CodeProblem[] }> {
  const { repository, reader, quarantine, spool } = shop;
  const trees = await treesOf(reader, code);
  const source = new TreeSource(repository, reader);
  const index = await makeIndex(repository, quarantine.path("index"), trees.index);
  const onDisk = await diffTrees({ source, oid: trees.index }, { source, oid: trees.worktree });
  const untracked = await diffTrees({ source, oid: undefined }, { source, oid: trees.untracked });
  refuseHostile([...onDisk, ...untracked]);
  const kept = await withoutSecrets(reader, untracked, policy);
  const diskPath = quarantine.path("index-of-disk");
  const disk =
    code.stash === null ? index : await makeIndex(repository, diskPath, trees.worktree, kept.files);
  const checkedOut = await checkOut(
    repository,
    quarantine,
    disk,
    code.stash === null ? quarantine.path("index") : diskPath,
  );
  const changes = new Map<BytePath, Leaf | null>();
  for (const { path, after } of [...onDisk, ...kept.files]) {
    changes.set(path, after === undefined ? null : { mode: after.mode, oid: after.oid });
    if (after !== undefined && after.mode !== "160000") {
      await spoolBlob(reader, spool, after.oid);
    }
  }
  for (const [path, bytes] of checkedOut.converted) {
    const oid = objectId(repository.hash, "blob", bytes);
    const entry = disk.find(path);
    if (oid === disk.oid(entry)) continue;
    spool.add(oid, "blob", bytes);
    changes.set(path, { mode: (disk.mode(entry) & 0o100) === 0 ? "100644" : "100755", oid });
  }
  const excluded = [...kept.excluded, ...submodules(index)];
  for (const path of checkedOut.filtered) {
    changes.set(path, null);
    excluded.push({ path: showPath(path), reason: "unreadable", size: null });
  }
  const stats = {
    unstaged: onDisk.length,
    untracked: kept.files.length,
    deleted: onDisk.filter(({ after }) => after === undefined).length,
  };
  const { withheld } = kept;
  const content = { index, changes, excluded, withheld, stats, headTree: trees.head };
  const facts = await store(shop, code, content);
  return {
    capture: new CommitCapture(shop, code.commit, { ...facts, withheld }),
    problems: [...filterProblem(checkedOut.filtered), ...kept.problems],
  };
}

interface Trees {
  readonly head: string;
  readonly index: string;
  readonly worktree: string;
  readonly untracked: string | undefined;
}

/** A stash entry is a commit of the work tree, with the commit it was made on, the index and the untracked files as parents. */
async function treesOf(
  reader: ObjectReader,
  { commit, stash }: FoundCode & { readonly commit: string },
): Promise<Trees> {
  const treeOf = async (oid: string): Promise<string> =>
    treeOfCommit(await reader.readChecked(oid, "commit")) ?? "";
  const head = await treeOf(commit);
  if (stash === null) return { head, index: head, worktree: head, untracked: undefined };
  const entry = await reader.readChecked(stash, "commit");
  const [, index, untracked] = parentsOf(entry);
  return {
    head,
    index: index === undefined ? head : await treeOf(index),
    worktree: treeOfCommit(entry) ?? "",
    untracked: untracked === undefined ? undefined : await treeOf(untracked),
  };
}

function refuseHostile(changes: readonly LeafChange[]): void {
  const hostile = changes.find(({ path }) => isHostilePath(path, true));
  if (hostile === undefined) return;
  throw new Failure("checkpoint_damaged", `it has the invalid path ${showPath(hostile.path)}`, {
    hint: "Such a file cannot be in a work tree.",
  });
}

/** Untracked files that are surely secrets do not get into checkpoints by this way either. */
async function withoutSecrets(
  reader: ObjectReader,
  untracked: readonly LeafChange[],
  policy: CapturePolicy,
): Promise<{
  files: LeafChange[];
  excluded: Exclusion[];
  withheld: Map<BytePath, SecretReason>;
  problems: CodeProblem[];
}> {
  const files: LeafChange[] = [];
  const excluded: Exclusion[] = [];
  const withheld = new Map<BytePath, SecretReason>();
  const kindOf = nameKinds(policy.sensitivePatterns);
  for (const change of untracked) {
    const { path, after } = change;
    const bytes = await reader.readChecked(after?.oid ?? "", "blob");
    const kind = kindOf(path);
    const isLooked = after?.mode !== "120000" && isLookedInto(kind, policy.scanContent);
    const verdict = verdictOf(kind, isLooked ? scanContent(bytes, kind) : undefined);
    if (policy.excludeSensitive && verdict?.isSure === true) {
      excluded.push({ path: showPath(path), size: bytes.length, ...verdict.why });
      continue;
    }
    files.push(change);
    if (verdict !== undefined) withheld.set(path, verdict.why);
  }
  return { files, excluded, withheld, problems: secretProblem(excluded) };
}

function secretProblem(excluded: readonly Exclusion[]): CodeProblem[] {
  if (excluded.length === 0) return [];
  const message = `${named(excluded.map(({ path }) => path))} of its stash entry: excluded as secrets`;
  return [{ code: "files_left_out", message }];
}

function filterProblem(filtered: readonly BytePath[]): CodeProblem[] {
  if (filtered.length === 0) return [];
  const message = `${named(filtered.map(showPath))}: excluded, because they need a filter program and Waymark runs none`;
  return [{ code: "files_left_out", message }];
}

const MOST_NAMED = 3;

function named(paths: readonly string[]): string {
  const more = paths.length - MOST_NAMED;
  return `${paths.slice(0, MOST_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function submodules(index: IndexFile): Exclusion[] {
  return [...index.submodules].map((entry) => ({
    path: showPath(asBytePath(`${index.path(entry)}/`)),
    reason: "submodule",
    size: null,
  }));
}

interface Content {
  readonly index: IndexFile;
  readonly changes: ReadonlyMap<BytePath, Leaf | null>;
  readonly excluded: readonly Exclusion[];
  readonly withheld: ReadonlyMap<BytePath, SecretReason>;
  readonly stats: Pick<GitSummary["stats"], "unstaged" | "untracked" | "deleted">;
  readonly headTree: string;
}

async function store(shop: CaptureShop, code: FoundCode, content: Content) {
  const { repository, reader, spool } = shop;
  const { index, changes, excluded, headTree } = content;
  const builder = new TreeBuilder(index, repository.hash);
  const indexTree = builder.indexTree();
  const madeForIndex = builder.made.size;
  const worktree = builder.workTree(changes);
  const addBlob = (bytes: Buffer): string => {
    const oid = objectId(repository.hash, "blob", bytes);
    spool.add(oid, "blob", bytes);
    return oid;
  };
  const details: WorkTreeDetails = {
    defaults: defaultModes(),
    modes: new Map(),
    emptyFolders: new Map(),
    excluded,
    ...withheldFiles(content.withheld),
  };
  const detailsId = addBlob(Buffer.from(encodeDetails(details)));
  const indexRaw = addBlob(index.bytes);
  const digest = builder.folder([
    { mode: "040000", name: "worktree", oid: worktree },
    { mode: "040000", name: "index", oid: indexTree },
    { mode: "100644", name: "worktree.json", oid: detailsId },
    { mode: "100644", name: "index.raw", oid: indexRaw },
  ]);
  const { staged } = await storeObjects({
    repository,
    reader,
    spool,
    held: new Set(),
    made: builder.made,
    headTree,
    indexTree,
    ownTrees: [...builder.made.keys()].slice(madeForIndex),
    looseBlobs: [],
  });
  const part: GitPart = {
    type: "git_stash",
    digest,
    worktree,
    index: indexTree,
    conflicts: null,
    index_raw: indexRaw,
    // Nobody knows it: git looks at the content of every file once.
    index_mtime_ns: null,
    index_flags: digestFlags(index),
    details: detailsId,
    operation: null,
  };
  const git: GitSummary = {
    branch: code.branch,
    detached: code.branch === null,
    commit: code.commit,
    unborn: false,
    operation: "none",
    ahead_of_upstream: null,
    stats: { ...content.stats, staged, conflicted: 0 },
    refs: {},
  };
  const coverage: Coverage = {
    files: countFiles(index, changes),
    bytes: 0,
    excluded: listedExclusions(excluded),
    excluded_total: excluded.length,
    unstable: [],
    ...listedWithheld(details.withheld),
  };
  const root = decodeTree(builder.made.get(digest) ?? Buffer.alloc(0), repository.hash);
  return { git, coverage, details, part, root, made: builder.made };
}
