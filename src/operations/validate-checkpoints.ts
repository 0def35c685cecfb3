/** Checks that checkpoints are whole: document, checksum, schema, and every object. */
import { isExpired, type CheckpointDocument } from "../domain/checkpoint.ts";
import { counted } from "../domain/counted.ts";
import type { Failure } from "../domain/failure.ts";
import type { LocalEntry } from "../domain/local-half.ts";
import type { ExtraPartType } from "../domain/parts.ts";
import { recordEvent } from "../domain/session.ts";
import type { Integrity } from "../ports/checkpoint-store.ts";
import { audited, type AuditOutcome } from "./audited.ts";
import { chosenIds } from "./find-checkpoint.ts";
import { partProblems } from "./part-work.ts";
import type { Project } from "./project.ts";
import { lastValid, viewSessions, type SessionView } from "./session-view.ts";
import { updateSession } from "./update-session.ts";

export interface Validation {
  readonly lastValid: string | undefined;
  readonly results: readonly (Omit<Integrity, "notHere"> & {
    readonly overall: boolean;
    /** What of it stays on the machine where it was taken, and is not here. */
    readonly withheld: readonly string[];
    /** What it holds beside the work tree. */
    readonly parts: readonly { readonly type: ExtraPartType; readonly ok: boolean }[];
  })[];
  readonly valid: number;
  readonly invalid: number;
  /** Written by a newer Waymark: neither valid nor invalid. */
  readonly newer: number;
  /** Why each of them cannot be read. */
  readonly unreadableSessions: readonly Failure[];
}

/** What is wrong with a document by its schema; empty when nothing is. Kept out of the way of quick commands. */
export type SchemaCheck = (document: CheckpointDocument) => string[];

export function validateCheckpoints(
  project: Project,
  asked: Parameters<typeof chosenIds>[2],
  checkSchema: SchemaCheck,
): Promise<Validation> {
  return audited(project, { operation: "validate", outcome: validateOutcome }, () =>
    validate(project, asked, checkSchema),
  );
}

/** Names what is damaged; how many are not is enough to know. */
function validateOutcome({ results, valid, invalid }: Validation): AuditOutcome {
  const bad = results.filter(isDamaged);
  return { checkpointIds: bad.map(({ id }) => id), details: { valid, invalid } };
}

/** What a newer Waymark wrote was not checked. */
export function isDamaged({ overall, newer }: Validation["results"][number]): boolean {
  return !overall && newer !== true;
}

async function validate(
  project: Project,
  asked: Parameters<typeof chosenIds>[2],
  checkSchema: SchemaCheck,
): Promise<Validation> {
  const view = await viewSessions(project, asked.sessionId);
  const isAll = asked.selectors.length === 0 && asked.sessionId === undefined;
  const ids = isAll ? undefined : chosenIds(project, view, asked);
  const documents = new Map(view.documents.map((document) => [document.id, document]));
  const verified = await project.checkpoints.verify(ids, project.progress);
  const results = [];
  for (const { notHere = [], ...integrity } of verified) {
    const document = documents.get(integrity.id);
    const wrong = document === undefined ? [] : checkSchema(document);
    const parts = document === undefined ? [] : await partProblems(project, document);
    const isWhole = (types: readonly string[]): boolean =>
      parts.every(({ part, problems }) => problems.length === 0 || !types.includes(part.type));
    const file = integrity.file && isWhole(["file_backup", "database_savepoint"]);
    const state = integrity.state && wrong.length === 0 && isWhole(["state_snapshot"]);
    results.push({
      ...integrity,
      file,
      state,
      problems: [...integrity.problems, ...wrong, ...parts.flatMap(({ problems }) => problems)],
      parts: parts.map(({ part, problems }) => ({ type: part.type, ok: problems.length === 0 })),
      withheld:
        document === undefined ? [] : notHere.flatMap((entry) => withheldIn(document, entry)),
      overall: file && integrity.hash && integrity.git && state,
    });
  }
  await noteDamage(project, view, results);
  const seen = new Set(results.map(({ id }) => id));
  const now = project.clock.now();
  const bad = new Set(results.filter((result) => !result.overall).map((result) => result.id));
  // What was not looked at this time counts as it did before.
  const isGood = (document: CheckpointDocument): boolean =>
    seen.has(document.id)
      ? !bad.has(document.id) && !isExpired(document, now)
      : view.isUsable(document);
  return {
    results,
    valid: results.length - bad.size,
    invalid: results.filter(isDamaged).length,
    newer: results.filter(({ newer }) => newer === true).length,
    unreadableSessions: view.unreadable,
    lastValid: lastValid(view, isGood)?.id,
  };
}

function withheldIn({ coverage, parts }: CheckpointDocument, entry: LocalEntry): string[] {
  switch (entry) {
    case "worktree":
      return (coverage.withheld ?? []).map(({ path }) => path);
    case "files":
      return parts.flatMap((part) =>
        part.type === "file_backup" ? [`copies of ${counted(part.files, "file")}`] : [],
      );
    case "database":
      return parts.flatMap((part) => (part.type === "database_savepoint" ? [part.label] : []));
  }
}

/** Remembered in the session, so that `list` can mark them without reading every object; what is whole again is forgotten. */
async function noteDamage(
  project: Project,
  view: SessionView,
  results: Validation["results"],
): Promise<void> {
  for (const session of view.sessions.values()) {
    const known = session.corrupted ?? {};
    const own = results.filter(({ id }) => known[id] !== undefined || isOf(view, id, session.id));
    const found = own.filter((result) => isDamaged(result) && known[result.id] === undefined);
    const healed = own.filter(({ id, overall }) => overall && known[id] !== undefined);
    if (found.length + healed.length === 0) continue;
    const at = project.clock.now().toISOString();
    const ids = found.map(({ id }) => id);
    const message = ids.length > 0 ? `damage found in ${ids.join(", ")}` : "no longer damaged";
    await updateSession(project, session.id, message, (now) => {
      const corrupted = Object.fromEntries([
        ...Object.entries(now.corrupted ?? {}).filter(
          ([id]) => !healed.some((one) => one.id === id),
        ),
        ...found.map(({ id, problems }) => [
          id,
          { at, problems: problems.slice(0, MOST_PROBLEMS) },
        ]),
      ]);
      const changed = { ...now, corrupted };
      if (ids.length === 0) return changed;
      const by = project.actor.user;
      return recordEvent(changed, {
        kind: "damage_found",
        at,
        by,
        reason: null,
        checkpoint_ids: ids,
      });
    });
  }
}

const MOST_PROBLEMS = 5;

function isOf(view: SessionView, id: string, sessionId: string): boolean {
  return view.documents.some((document) => document.id === id && document.session_id === sessionId);
}
