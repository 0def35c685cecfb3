/** Writes the document of a checkpoint again from what its commit shows, and says what nobody knows any more. */
import { restoreCommand } from "./checkpoint-id.ts";
import {
  isPlain,
  type CheckpointDocument,
  type Coverage,
  type GitPart,
  type GitSummary,
} from "./checkpoint.ts";
import { checkpointSchema } from "./checkpoint-schema.ts";
import { listedExclusions, listedWithheld } from "./listed-exclusions.ts";
import type { LocalHalf } from "./local-half.ts";
import { isExtraPart } from "./parts.ts";
import { withChecksum } from "./document-text.ts";

/** What can be read from the commit, its trees and its ref. */
export interface CommitFacts {
  readonly id: string;
  readonly createdAt: string;
  /** The commit that is replaced. */
  readonly replaces: string;
  readonly rebuiltAt: string;
  readonly headCommit: string | null;
  readonly operation: GitSummary["operation"];
  readonly part: GitPart;
  /** Its tree has files of other parts. */
  readonly holdsMore: boolean;
  readonly contentHash: string;
  readonly files: number;
  readonly excluded: Coverage["excluded"];
  readonly withheld: Coverage["withheld"];
  /** What of its local half is here. */
  readonly local: LocalHalf;
  /** Stands in for the session when that is not known. */
  readonly sessionId: string;
  readonly worktreeId: string;
}

export interface RebuiltDocument {
  readonly document: CheckpointDocument;
  readonly unknown: readonly string[];
  readonly unverified: readonly string[];
}

/** What it says about them cannot be read from the tree. */
const PARTS = "parts beside the work tree";

/** `damaged` is whatever is left of the old document; fields of it that are well formed are taken, and named. */
export function rebuildDocument(
  facts: CommitFacts,
  damaged: unknown,
  sha256: (text: string) => string,
): RebuiltDocument {
  const left = validFields(damaged);
  const known = fromCommit(facts, left);
  const guesses = lastResort(facts);
  const names = Object.keys(guesses);
  const hasParts = left.parts?.some(isExtraPart) === true;
  const unverified = [...names.filter((name) => name in left), ...(hasParts ? [PARTS] : [])];
  const isPartLost = facts.holdsMore && !hasParts;
  const unknown = [...names.filter((name) => !(name in left)), ...(isPartLost ? [PARTS] : [])];
  const document = {
    ...guesses,
    ...pick(left, unverified),
    ...known,
    rebuilt: true,
    rebuilt_at: facts.rebuiltAt,
    rebuilt_from: facts.replaces,
    rebuilt_unknown: unknown,
    rebuilt_unverified: unverified,
  };
  return { document: withChecksum(document, sha256), unknown, unverified };
}

/** The same document with a part of it made again. */
export function withRemadePart(
  old: CheckpointDocument,
  facts: Pick<CommitFacts, "part" | "replaces" | "rebuiltAt">,
  unknown: readonly string[],
  sha256: (text: string) => string,
): RebuiltDocument {
  const document = {
    ...old,
    parts: [facts.part, ...old.parts.filter(isExtraPart)],
    rebuilt: true,
    rebuilt_at: facts.rebuiltAt,
    rebuilt_from: facts.replaces,
    rebuilt_unknown: unknown,
    rebuilt_unverified: [],
  };
  return { document: withChecksum(document, sha256), unknown, unverified: [] };
}

type Fields = Partial<CheckpointDocument>;

function validFields(value: unknown): Fields {
  if (value === null || typeof value !== "object") return {};
  const given = value as Record<string, unknown>;
  const valid = Object.entries(checkpointSchema.shape).filter(
    ([name, schema]) => name in given && schema.safeParse(given[name]).success,
  );
  return Object.fromEntries(valid.map(([name]) => [name, given[name]]));
}

function pick(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}

function fromCommit(facts: CommitFacts, left: Fields) {
  const { git } = left;
  const extra = (left.parts ?? []).filter(isExtraPart);
  const hasNoGit = wasPlain(facts, git);
  return {
    schema_version: 1,
    id: facts.id,
    created_at: facts.createdAt,
    git: {
      ...(hasNoGit ? { plain: true as const } : {}),
      branch: git?.branch ?? null,
      detached: !hasNoGit && (git?.branch === undefined || git.branch === null),
      ahead_of_upstream: git?.ahead_of_upstream ?? null,
      stats: git?.stats ?? { staged: 0, unstaged: 0, untracked: 0, deleted: 0, conflicted: 0 },
      // A wrong value would move a ref to where it never was.
      refs: {},
      commit: facts.headCommit,
      unborn: facts.headCommit === null,
      operation: facts.operation,
    },
    parts: [facts.part, ...extra],
    ...(Object.keys(facts.local).length === 0 ? {} : { local: facts.local }),
    state_digest: extra.find(({ type }) => type === "state_snapshot")?.digest ?? null,
    coverage: {
      bytes: left.coverage?.bytes ?? 0,
      unstable: left.coverage?.unstable ?? [],
      files: facts.files,
      excluded: listedExclusions(facts.excluded),
      excluded_total: facts.excluded.length,
      ...listedWithheld(facts.withheld),
    },
    content_hash: facts.contentHash,
    // Never the same as anything: the next checkpoint is taken in any case.
    sameness: `rebuilt-${facts.replaces}`,
    restore_command: restoreCommand(facts.id),
  };
}

/** With no commit, no index and nobody who knows better, files are all that a rollback may bring back. */
function wasPlain(facts: CommitFacts, git: GitSummary | undefined): boolean {
  if (git !== undefined) return isPlain(git);
  return facts.headCommit === null && facts.part.index_raw === null;
}

/** Fields that only the document knew. */
function lastResort(facts: CommitFacts) {
  return {
    session_id: facts.sessionId,
    worktree_id: facts.worktreeId,
    seq: 1,
    previous_id: null,
    epoch: null,
    name: null,
    task_id: null,
    issue_number: null,
    phase: null,
    step: null,
    previous_phase: null,
    workflow_state: null,
    trigger: "manual" as const,
    reason: null,
    description: null,
    created_by: {
      user: null,
      host: "unknown",
      pid: 0,
      agent: null,
      agent_session_id: null,
      tool_use_id: null,
    },
    metrics: {},
    files: { created: [], modified: [], deleted: [], total: 0 },
    durability: "safe" as const,
    expires_at: null,
  };
}
