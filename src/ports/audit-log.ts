/**
 * The record of everything that was done in a work tree, and of what failed. Only added to, by any number of processes.
 *
 * It is no reason for anything to fail: what cannot be written is reported as a warning, and what cannot be read is
 * left out.
 */
import type { AuditEntry } from "../domain/audit.ts";

export interface AuditRange {
  /** Only what ended at this time or later. */
  readonly since?: string;
}

export interface AuditLog {
  /** Has written when it returns, so that a process which is about to end can use it. Texts are cut to fit a line. */
  append(entry: AuditEntry): void;
  /** Oldest first. Old entries may be gone. */
  read(range: AuditRange): AuditEntry[];
}
