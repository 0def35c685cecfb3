/** A capture of a git work tree, with what its store needs to publish it. */

import { showPath } from "../../domain/byte-path.ts";
import { canonicalJson } from "../../domain/canonical-json.ts";
import { isPlain, type Coverage, type GitPart, type GitSummary } from "../../domain/checkpoint.ts";
import { encodeDetails, type WorkTreeDetails } from "../../domain/work-tree-details.ts";
import type { Capture } from "../../ports/work-tree.ts";
import type { WorkTreeCapture } from "./capture/capture-work-tree.ts";
import type { Quarantine } from "./quarantine.ts";
import { sha256 } from "./sha256.ts";

/** Longer lists are in worktree.json; the document stays small because every `list` reads it. */
const MOST_EXCLUDED = 100;
const MOST_UNSTABLE = 100;

export class GitCapture implements Capture {
  readonly raw: WorkTreeCapture;
  readonly quarantine: Quarantine;
  readonly git: GitSummary;
  readonly part: GitPart;
  readonly coverage: Coverage;
  readonly details: WorkTreeDetails;
  readonly sameness: string;
  readonly contentHash: string;

  constructor(
    raw: WorkTreeCapture,
    quarantine: Quarantine,
    about: { readonly isPlain: boolean; readonly aheadOfUpstream: number | null },
  ) {
    this.raw = raw;
    this.quarantine = quarantine;
    this.details = raw.details;
    this.git = summarize(raw, about.isPlain, about.aheadOfUpstream);
    this.part = partOf(raw);
    this.coverage = coverageOf(raw);
    this.sameness = sha256(canonicalJson(whatCounts(raw, this.git)));
    this.contentHash = contentHashOf(raw.trees);
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

function partOf(raw: WorkTreeCapture): GitPart {
  return {
    type: "git_stash",
    digest: raw.trees.root,
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
  return {
    files: raw.files,
    bytes: raw.findings.bytes,
    excluded: excluded.slice(0, MOST_EXCLUDED),
    excluded_total: excluded.length,
    unstable: raw.findings.unstable.slice(0, MOST_UNSTABLE).map(showPath),
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
  };
}

/** Sizes of files that are left out do not count: a growing log is no reason for a checkpoint. */
function countedDetails(details: WorkTreeDetails): string {
  const excluded = details.excluded.map(({ path, reason }) => ({ path, reason, size: null }));
  return sha256(encodeDetails({ ...details, excluded }));
}

/** Of what `git ls-tree <ref> -- conflicts index worktree` prints. */
export function contentHashOf(
  trees: Readonly<Record<"conflicts" | "index" | "worktree", string | null | undefined>>,
): string {
  const lines = (["conflicts", "index", "worktree"] as const).flatMap((name) => {
    const oid = trees[name] ?? null;
    return oid === null ? [] : [`040000 tree ${oid}\t${name}\n`];
  });
  return `sha256:${sha256(lines.join(""))}`;
}
