/** A capture of a git work tree, with what its store needs to publish it. */

import { closeSync, fstatSync, openSync } from "node:fs";
import { showPath, type BytePath } from "../../domain/byte-path.ts";
import { canonicalJson } from "../../domain/canonical-json.ts";
import { isPlain, type Coverage, type GitPart, type GitSummary } from "../../domain/checkpoint.ts";
import { listedExclusions, listedWithheld } from "../../domain/listed-exclusions.ts";
import type { SecretReason } from "../../domain/secrets/secret-text.ts";
import { encodeDetails, type WorkTreeDetails } from "../../domain/work-tree-details.ts";
import type { PartContent } from "../../ports/part-keeper.ts";
import type { Capture, RepositoryDamage, StoredMoment } from "../../ports/work-tree.ts";
import type { WorkTreeCapture } from "./capture/capture-work-tree.ts";
import { refsOf, type HeldRef } from "./capture-cache.ts";
import { objectId, type HashName } from "./object-hash.ts";
import { contentHashOf } from "./content-hash.ts";
import { splitHalves, type MadeHalf } from "./local-half.ts";
import type { PackSpool } from "./pack-spool.ts";
import { PartShelf } from "./part-shelf.ts";
import type { Quarantine } from "./quarantine.ts";
import { sha256 } from "./sha256.ts";
import type { Leaf } from "./tree-builder.ts";
import { decodeTree, type TreeEntry } from "./tree-object.ts";
import type { TreeSource } from "./tree-source.ts";

/** Longer lists are in worktree.json; the document stays small because every `list` reads it. */
const MOST_UNSTABLE = 100;

export class GitCapture implements Capture {
  readonly raw: WorkTreeCapture;
  readonly quarantine: Quarantine;
  readonly git: GitSummary;
  readonly coverage: Coverage;
  readonly details: WorkTreeDetails;
  readonly withheld: ReadonlyMap<BytePath, SecretReason>;
  readonly sameness: string;
  /** Objects that were added beside those of the work tree. */
  readonly #added = new Set<string>();
  /** Trees that others took the place of: they may be stored, but no ref leads to them, and git may prune them. */
  readonly #replaced = new Set<string>();
  readonly #hash: HashName;
  readonly #source: TreeSource;
  #root: string;
  #rootEntries: readonly TreeEntry[];
  #local: MadeHalf | undefined;
  readonly #reliesOn = new Map<string, HeldRef>();

  constructor(
    raw: WorkTreeCapture,
    quarantine: Quarantine,
    about: {
      readonly isPlain: boolean;
      readonly aheadOfUpstream: number | null;
      readonly hash: HashName;
      /** Reads what was made, too. */
      readonly source: TreeSource;
    },
  ) {
    const { hash } = about;
    this.#hash = hash;
    this.#source = about.source;
    this.#root = raw.trees.root;
    this.raw = raw;
    for (const ref of raw.basedOn === undefined ? [] : refsOf(raw.basedOn)) {
      this.#reliesOn.set(ref.name, ref);
    }
    this.quarantine = quarantine;
    this.details = raw.details;
    this.withheld = raw.findings.withheld;
    this.git = summarize(raw, about.isPlain, about.aheadOfUpstream);
    this.coverage = coverageOf(raw);
    this.sameness = sha256(canonicalJson(whatCounts(raw, this.git)));
    this.#rootEntries = decodeTree(made(raw, raw.trees.root), hash);
  }

  get rootEntries(): readonly TreeEntry[] {
    return this.#rootEntries;
  }

  get damage(): RepositoryDamage | undefined {
    return this.raw.damage.objects === 0 ? undefined : this.raw.damage;
  }

  get contentHash(): string {
    return contentHashOf(this.#rootEntries, this.raw.trees.worktree);
  }

  get part(): GitPart {
    return partOf(this.raw, this.#root);
  }

  get local(): MadeHalf | undefined {
    return this.#local;
  }

  /** Refs that hold objects of it: they must still be there when it is published. */
  get reliesOn(): readonly HeldRef[] {
    return [...this.#reliesOn.values()];
  }

  get stored(): StoredMoment {
    const worktree = this.#rootEntries.find(({ name }) => name === "worktree")?.oid ?? "";
    const part = { ...this.part, worktree };
    return this.#local === undefined ? { part } : { part, local: this.#local.entries };
  }

  /** All objects that a commit of this capture has and HEAD has not. */
  get held(): ReadonlySet<string> {
    if (this.#replaced.size === 0) return this.raw.cache.held;
    return new Set(
      [...this.raw.cache.held, ...this.#added].filter((oid) => !this.#replaced.has(oid)),
    );
  }

  async add(entries: ReadonlyMap<string, PartContent>): Promise<void> {
    const { raw } = this;
    const { withheld = [] } = this.details;
    if (entries.size + withheld.length === 0) return;
    const added = new Map<string, Leaf>();
    this.#takeShelves(entries);
    for (const [name, content] of entries) {
      const leaf = await addContent(raw, this.#hash, content);
      this.#added.add(leaf.oid);
      added.set(name, leaf);
    }
    const halves = await splitHalves({
      source: this.#source,
      hash: this.#hash,
      rootEntries: this.#rootEntries,
      details: this.details,
      added,
    });
    this.#replaced.add(this.#root);
    this.#root = halves.root;
    this.#rootEntries = halves.rootEntries;
    this.#local = halves.local;
    for (const [oid, tree] of halves.made) {
      if (!raw.held.has(oid)) raw.spool.add(oid, "tree", tree);
      this.#added.add(oid);
    }
  }

  /** All that waits on them, and on what they rely. */
  #takeShelves(entries: ReadonlyMap<string, PartContent>): void {
    const shelves = new Set<object>();
    for (const content of entries.values()) {
      if (content.kind === "shelved") shelves.add(content.shelf);
    }
    for (const shelf of shelves) {
      if (!(shelf instanceof PartShelf)) throw new Error("this shelf is of another kind");
      this.raw.spool.absorb(shelf.spool, (oid) => this.raw.held.has(oid));
      for (const ref of shelf.reliesOn) this.#reliesOn.set(ref.name, ref);
    }
  }

  discard(): void {
    this.raw.spool.close();
    this.quarantine.discard();
  }
}

/** Where the HEAD of a private repository points means nothing to anybody. */
const NO_HEAD = { plain: true, branch: null, detached: false, commit: null, unborn: true } as const;

function summarize(
  raw: WorkTreeCapture,
  hasNoGit: boolean,
  aheadOfUpstream: number | null,
): GitSummary {
  const { head, findings } = raw;
  const position = {
    branch: head.branch ?? null,
    detached: head.branch === undefined,
    commit: head.commit ?? null,
    unborn: head.commit === undefined,
  };
  return {
    ...(hasNoGit ? NO_HEAD : position),
    operation: raw.state.operation,
    ahead_of_upstream: aheadOfUpstream,
    stats: {
      staged: raw.stats.staged,
      unstaged: findings.unstaged,
      untracked: findings.untracked,
      deleted: findings.deleted,
      conflicted: raw.stats.conflicted,
    },
    refs: Object.fromEntries(raw.state.refs),
  };
}

function made(raw: WorkTreeCapture, tree: string): Buffer {
  const content = raw.made.get(tree);
  if (content === undefined) throw new Error("the tree of this capture was not made by it");
  return content;
}

async function addContent(
  raw: WorkTreeCapture,
  hash: HashName,
  content: PartContent,
): Promise<Leaf> {
  switch (content.kind) {
    case "bytes": {
      const oid = objectId(hash, "blob", content.bytes);
      if (!raw.held.has(oid)) raw.spool.add(oid, "blob", content.bytes);
      return { mode: "100644", oid };
    }
    case "file":
      return { mode: "100644", oid: await addFile(raw.spool, content.path) };
    case "shelved":
      return { mode: content.mode, oid: content.oid };
  }
}

async function addFile(spool: PackSpool, path: string): Promise<string> {
  const fd = openSync(path, "r");
  try {
    const oid = await spool.addLarge(fd, fstatSync(fd).size);
    if (oid === "") throw new Error(`${path} became shorter while it was read`);
    return oid;
  } finally {
    closeSync(fd);
  }
}

function partOf(raw: WorkTreeCapture, root: string): GitPart {
  return {
    type: "git_stash",
    digest: root,
    worktree: raw.trees.worktree,
    index: raw.trees.index,
    conflicts: raw.trees.conflicts ?? null,
    index_raw: raw.indexRaw ?? null,
    index_mtime_ns: raw.indexRaw === undefined ? null : String(raw.index.mtimeNs),
    index_flags: raw.indexFlags,
    details: raw.detailsOid,
    operation: raw.trees.operation ?? null,
  };
}

function coverageOf(raw: WorkTreeCapture): Coverage {
  const { excluded } = raw.details;
  const { changes, includedSecrets } = raw.findings;
  const secrets = includedSecrets.filter((path) => changes.has(path)).map(showPath);
  return {
    files: raw.files,
    bytes: raw.findings.bytes,
    excluded: listedExclusions(excluded),
    excluded_total: excluded.length,
    unstable: raw.findings.unstable.slice(0, MOST_UNSTABLE).map(showPath),
    ...listedWithheld(raw.details.withheld),
    ...(secrets.length === 0 ? {} : { included_secrets: secrets.toSorted() }),
  };
}

function whatCounts(raw: WorkTreeCapture, git: GitSummary): unknown {
  return {
    ...(isPlain(git) ? { plain: true } : {}),
    branch: git.branch,
    commit: git.commit,
    operation: raw.trees.operation ?? null,
    refs: git.refs,
    worktree: raw.trees.worktree,
    index: raw.trees.index,
    conflicts: raw.trees.conflicts ?? null,
    index_flags: raw.indexFlags,
    no_index: raw.indexRaw === undefined,
    details: countedDetails(raw.details),
    ...(raw.scope === undefined ? {} : { scope: raw.scope }),
  };
}

/**
 * Sizes of files that are left out do not count: a growing log is no reason for a checkpoint. Neither does our own folder,
 * which comes with the first one.
 */
function countedDetails(details: WorkTreeDetails): string {
  const theirs = details.excluded.filter(({ reason }) => reason !== "own_files");
  const excluded = theirs.map(({ path, reason }) => ({ path, reason, size: null }));
  return sha256(encodeDetails({ ...details, excluded }));
}
