/**
 * Writes operations to the audit log, with how they ended. Operations that change something run inside of it, so
 * whoever calls them is recorded: the command line, the library, a hook.
 */
import {
  AUDIT_SCHEMA_VERSION,
  auditErrorOf,
  type AuditError,
  type AuditedOperation,
  type AuditEntry,
} from "../domain/audit.ts";
import { implicitSessionId } from "../domain/session.ts";
import type { Project } from "./project.ts";

export interface AuditOutcome {
  readonly checkpointIds: readonly string[];
  /** Where it turned out only then. */
  readonly sessionId?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** It ended as it should, and yet what was asked for did not come about. */
  readonly failure?: AuditError;
}

export interface Audit<Result> {
  readonly operation: AuditedOperation;
  /** What users call it, where that says more than the operation. */
  readonly command?: string;
  /** Default: the work tree's own. */
  readonly sessionId?: string | undefined;
  readonly reason?: string | null | undefined;
  /** What it is about, as far as that is known before. */
  readonly checkpointIds?: readonly string[];
  /** What is known of it before, for the record of a failure. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** A step of another operation, which says itself when it fails. */
  readonly isPart?: boolean;
  /** Undefined: nothing was changed, and there is nothing to record. */
  readonly outcome: (result: Result) => AuditOutcome | undefined;
}

type Subject = Omit<Audit<never>, "outcome">;

interface Running {
  readonly subject: Subject;
  readonly since: number;
}

/** What is going on in each project, for a process that is about to be ended. */
const running = new WeakMap<Project, Set<Running>>();
/** Projects in which an operation ended, and errors that are recorded: neither is recorded a second time. */
const recorded = new WeakSet<object>();

export async function audited<Result>(
  project: Project,
  audit: Audit<Result>,
  work: () => Promise<Result>,
): Promise<Result> {
  const current = begin(project, audit);
  try {
    const result = await work();
    const outcome = audit.outcome(result);
    if (outcome !== undefined) {
      const error = outcome.failure ?? null;
      append(project, current, { ok: error === null, error, ...outcome });
    }
    recorded.add(project);
    return result;
  } catch (error) {
    if (audit.isPart !== true) appendFailure(project, current, error);
    throw error;
  } finally {
    running.get(project)?.delete(current);
  }
}

/**
 * Records an error that ended a command: what was refused before an operation began, and what is interrupted in the
 * middle of one. An error that the operation recorded itself is not recorded again.
 */
export function auditFailure(
  project: Project,
  subject: Pick<Subject, "operation" | "command">,
  error: unknown,
): void {
  const open = [...(running.get(project) ?? [])].filter(({ subject }) => subject.isPart !== true);
  if (open.length > 0) {
    for (const current of open) appendFailure(project, current, error);
    return;
  }
  const isKnown = isRecorded(error) || (error instanceof Error && isRecorded(error.cause));
  if (isKnown || recorded.has(project)) return;
  appendFailure(project, { subject, since: nowOf(project) }, error);
}

function isRecorded(error: unknown): boolean {
  return typeof error === "object" && error !== null && recorded.has(error);
}

function begin(project: Project, subject: Subject): Running {
  const current = { subject, since: nowOf(project) };
  const others = running.get(project);
  if (others === undefined) running.set(project, new Set([current]));
  else others.add(current);
  return current;
}

function appendFailure(project: Project, current: Running, error: unknown): void {
  if (typeof error === "object" && error !== null) recorded.add(error);
  const checkpointIds = current.subject.checkpointIds ?? [];
  const { command } = current.subject;
  const details = { ...current.subject.details, ...(command === undefined ? {} : { command }) };
  append(project, current, { ok: false, error: auditErrorOf(error), checkpointIds, details });
}

function append(
  project: Project,
  { subject, since }: Running,
  ended: Pick<AuditEntry, "ok" | "error"> & AuditOutcome,
): void {
  const at = nowOf(project);
  project.audit.append({
    schema_version: AUDIT_SCHEMA_VERSION,
    at: new Date(at).toISOString(),
    operation: subject.operation,
    ok: ended.ok,
    error: ended.error,
    session_id: ended.sessionId ?? subject.sessionId ?? sessionHere(project),
    worktree_id: project.workTree.id,
    checkpoint_ids: ended.checkpointIds,
    checkpoint_total: ended.checkpointIds.length,
    reason: subject.reason ?? null,
    by: project.actor,
    duration_ms: Math.max(0, at - since),
    details: ended.details ?? subject.details ?? {},
  });
}

/** What is done is done: a line of the log that cannot be filled in is no reason to say otherwise. */
function sessionHere({ currentSession, workTree }: Project): string {
  const own = implicitSessionId(workTree.id);
  try {
    return currentSession.get() ?? own;
  } catch {
    return own;
  }
}

function nowOf(project: Project): number {
  return project.clock.now().getTime();
}
