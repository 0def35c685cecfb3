/** Entries of the audit log for tests. */
import { AUDIT_SCHEMA_VERSION, type AuditEntry } from "./audit.ts";

export function sampleAudit(more: Partial<AuditEntry> = {}): AuditEntry {
  return {
    schema_version: AUDIT_SCHEMA_VERSION,
    at: "2026-11-15T18:45:30.000Z",
    operation: "create",
    ok: true,
    error: null,
    session_id: "worktree-main",
    worktree_id: "main",
    checkpoint_ids: ["cp-1"],
    checkpoint_total: 1,
    reason: null,
    by: {
      user: "ann",
      host: "host",
      pid: 7,
      agent: null,
      agent_session_id: null,
      tool_use_id: null,
    },
    duration_ms: 12,
    details: {},
    ...more,
  };
}

export function failedAudit(more: Partial<AuditEntry> = {}): AuditEntry {
  return sampleAudit({ ok: false, error: { code: "locked", message: "busy" }, ...more });
}
