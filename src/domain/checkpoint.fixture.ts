/** Documents for tests: every field filled in, each test names only the ones that it is about. */
import type { CheckpointDocument, GitPart } from "./checkpoint.ts";

const TREE = "1".repeat(40);

export function samplePart(overrides: Partial<GitPart> = {}): GitPart {
  return {
    type: "git_stash",
    digest: TREE,
    worktree: TREE,
    index: TREE,
    conflicts: null,
    index_raw: null,
    index_mtime_ns: null,
    index_flags: "",
    details: TREE,
    operation: null,
    ...overrides,
  };
}

export function sampleDocument(overrides: Partial<CheckpointDocument> = {}): CheckpointDocument {
  const id = overrides.id ?? "cp-00-manual-20261115-184530-a3f2";
  return {
    schema_version: 1,
    id,
    session_id: "worktree-main",
    worktree_id: "main",
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
    trigger: "manual",
    reason: null,
    description: null,
    created_at: "2026-11-15T18:45:30.000Z",
    created_by: {
      user: "test",
      host: "host",
      pid: 1,
      agent: null,
      agent_session_id: null,
      tool_use_id: null,
    },
    git: {
      branch: "refs/heads/main",
      detached: false,
      commit: null,
      unborn: true,
      operation: "none",
      ahead_of_upstream: null,
      stats: { staged: 0, unstaged: 0, untracked: 0, deleted: 0, conflicted: 0 },
      refs: {},
    },
    parts: [samplePart()],
    coverage: { files: 0, bytes: 0, excluded: [], excluded_total: 0, unstable: [] },
    metrics: {},
    files: { created: [], modified: [], deleted: [], total: 0 },
    sameness: "same",
    content_hash: `sha256:${"0".repeat(64)}`,
    state_digest: null,
    durability: "fast",
    expires_at: null,
    restore_command: `waymark rollback ${id} --yes --discard-commits`,
    checksum: `sha256:${"0".repeat(64)}`,
    ...overrides,
  };
}
