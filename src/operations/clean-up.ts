/** Cleans up by the retention rules: what goes first moves into the trash, and for good when its grace time is over. */
import { exactTime } from "../domain/exact-time.ts";
import { among } from "../domain/among.ts";
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import { Failure } from "../domain/failure.ts";
import {
  areLimits,
  decideRetention,
  type RetentionCandidate,
  type RetentionInput,
  type RetentionLimits,
  type Verdict,
} from "../domain/retention.ts";
import { withoutUnusedEpochs } from "../domain/forget-epochs.ts";
import { neededForUndo, withoutTrash, withTrash } from "../domain/session-records.ts";
import type { TrashRecord } from "../domain/session.ts";
import type { StoredCheckpoint } from "../ports/checkpoint-store.ts";
import { audited, type AuditOutcome } from "./audited.ts";
import { journalBySession, unreadableAmong } from "./by-session.ts";
import { findOrphans } from "./find-orphans.ts";
import {
  goneSessions,
  removeSessions,
  runningSessions,
  sessionsInUse,
} from "./clean-up-sessions.ts";
import { neededByRuns } from "./needed-by-runs.ts";
import { holdingCommits, isGitFailure } from "./holding-commits.ts";
import { holdingResults } from "./holding-results.ts";
import { holdingState } from "./holding-state.ts";
import type { Project } from "./project.ts";
import { recordJournalEvent } from "./record-journal-event.ts";
import { viewSessions, type SessionView } from "./session-view.ts";
import { listDeleted, type Deleted } from "./undelete-checkpoints.ts";

export interface CleanupRequest {
  readonly limits: RetentionLimits;
  /** For good at once: what goes now, and everything in the trash. */
  readonly now: boolean;
  /** Only what is of this session. */
  readonly sessionId?: string;
}

export interface Explained {
  readonly id: string;
  readonly reason: string;
}

export interface CleanupPlan {
  /** Go from the list: into the trash, or for good with `now`. */
  readonly removed: readonly Explained[];
  /** Go for good. */
  readonly purged: readonly Explained[];
  readonly kept: readonly Explained[];
  /** Why sessions cannot be read whose checkpoints therefore stay. */
  readonly setAside: readonly Failure[];
  /** Rollbacks that can no longer be undone, or redone: their checkpoint goes. */
  readonly endsUndo: boolean;
  /** Checkpoints that are gone and whose copies of files are still there; the copies go. */
  readonly orphans: readonly string[];
  /** Sessions that ended long ago and have no checkpoint any more; they go for good. */
  readonly sessions: readonly Explained[];
  /** In the trash and in the list again, by plain git or by a killed process: they go from the trash only. */
  readonly returned: readonly string[];
  /** In the trash without a record of when: its process was killed. They get one. */
  readonly unrecorded: readonly string[];
  /** What checkpoints take on disk beside what the user's refs hold, and how much of it goes; null: not known. */
  readonly bytesTotal: number | null;
  readonly freedBytes: number | null;
  readonly sessionOf: ReadonlyMap<string, string>;
  /** All checkpoints before the cleanup, in the trash too; undefined where one cannot be read. */
  readonly present: readonly CheckpointDocument[] | undefined;
}

/** Runs alone. `confirm` is asked with the plan before anything is changed; undefined: it said no. */
export function cleanUp(
  project: Project,
  request: CleanupRequest,
  confirm: (plan: CleanupPlan) => Promise<boolean>,
): Promise<CleanupPlan | undefined> {
  return audited(project, { operation: "cleanup", outcome: cleanupOutcome }, () =>
    runAlone(project, request, confirm),
  );
}

function cleanupOutcome(done: CleanupPlan | undefined): AuditOutcome | undefined {
  if (done === undefined) return undefined;
  const { removed, purged, orphans, sessions } = done;
  if (removed.length + purged.length + orphans.length + sessions.length === 0) return undefined;
  const gone = [...removed, ...purged].map(({ id }) => id);
  return {
    checkpointIds: [...new Set([...gone, ...orphans])],
    details: {
      removed: removed.length,
      purged: purged.length,
      ...(orphans.length === 0 ? {} : { orphans: orphans.length }),
      ...(sessions.length === 0 ? {} : { sessions: sessions.map(({ id }) => id) }),
    },
  };
}

function runAlone(
  project: Project,
  request: CleanupRequest,
  confirm: (plan: CleanupPlan) => Promise<boolean>,
): Promise<CleanupPlan | undefined> {
  return project.cleanupLog.exclusively(async () => {
    const log = (outcome: "done" | "failed", more: object): void =>
      project.cleanupLog.write({ at: project.clock.now().toISOString(), outcome, ...more });
    try {
      const plan = await planCleanup(project, request);
      if (!(await confirm(plan))) return undefined;
      const still = await stillSo(project, plan, request);
      const done = await project.interruption.holdOff(
        () => applyCleanup(project, still, request),
        () => "finishing the cleanup",
      );
      log("done", { removed: done.removed.length, purged: done.purged.length });
      return done;
    } catch (error) {
      if (!(error instanceof Failure && error.code === "needs_confirmation")) {
        log("failed", { error: error instanceof Error ? error.message : String(error) });
      }
      throw error;
    }
  });
}

/** What was pinned, or became needed, while somebody thought about the answer stays. */
async function stillSo(
  project: Project,
  plan: CleanupPlan,
  request: CleanupRequest,
): Promise<CleanupPlan> {
  const now = await planCleanup(project, request);
  const both = (list: readonly Explained[], before: readonly Explained[]): Explained[] => {
    const was = among(before.map(({ id }) => id));
    return list.filter(({ id }) => was(id));
  };
  return {
    ...now,
    removed: both(now.removed, plan.removed),
    purged: both(now.purged, plan.purged),
    sessions: both(now.sessions, plan.sessions),
    orphans: now.orphans.filter(among(plan.orphans)),
  };
}

/** As before a project is shared: sessions go too, whether they have ended or not. */
export function isEverything({ limits, now, sessionId }: CleanupRequest): boolean {
  return limits.all === true && now && sessionId === undefined;
}

/** Changes nothing. */
export async function planCleanup(project: Project, request: CleanupRequest): Promise<CleanupPlan> {
  const view = await viewSessions(project, undefined);
  const trash = await listDeleted(project);
  const isBack = backInList(view.stored);
  const deleted = trash.filter(({ stored }) => !isBack(stored));
  const sessionOf = new Map([
    ...view.documents.map((document): [string, string] => [document.id, document.session_id]),
    ...trash.map((one): [string, string] => [one.id, one.sessionId]),
  ]);
  const setAside = await unreadableAmong(project, sessionOf.values(), view);
  const neededBy = new Map([
    ...neededByOthers(project, view, request.limits),
    // What is pinned in it, and what its undo needs, is not known.
    ...[...sessionOf]
      .filter(([, sessionId]) => setAside.has(sessionId))
      .map(([id, sessionId]): [string, string] => [id, `session ${sessionId} cannot be read`]),
  ]);
  const before = await candidatesOf(project, view);
  const inUse = sessionsInUse(project, view);
  const { verdicts, left, sizes } = await decide(project, {
    candidates: before,
    sessions: view.sessions,
    inUse,
    settings: project.config.retention,
    now: project.clock.now(),
    limits: request.limits,
    neededBy,
  });
  const isAsked = (id: string): boolean =>
    request.sessionId === undefined || sessionOf.get(id) === request.sessionId;
  const isSetAside = (id: string): boolean => setAside.has(sessionOf.get(id) ?? "");
  const removed = verdicts.filter(({ id, stays }) => !stays && isAsked(id)).map(explained);
  const due = deleted
    .filter(
      ({ id, holdsCommitsAlone }) =>
        isAsked(id) && !holdsCommitsAlone && !neededBy.has(id) && !view.pinned.has(id),
    )
    .flatMap((one) => purgeReason(one, project, request.now));
  const unreadable = view.stored.flatMap((stored): Explained[] =>
    stored.kind === "ok"
      ? []
      : [{ id: stored.id, reason: `${stored.kind}: only \`delete\` removes it` }],
  );
  const goes = among(removed.map(({ id }) => id));
  const purged = request.now ? [...removed, ...due] : due;
  const isPurged = among(purged.map(({ id }) => id));
  const bytesLeft = total(sizes ?? (await bytesOf(project, left)));
  const bytesTotal = removed.length === 0 ? bytesLeft : total(await bytesOf(project, before));
  return {
    removed,
    setAside: [...setAside.values()],
    purged,
    endsUndo: [...neededForUndo(view.sessions.values())].some((id) => goes(id)),
    kept: [
      ...verdicts.filter(({ stays }) => stays).map(explained),
      ...unreadable,
      ...deleted.filter(({ holdsCommitsAlone }) => holdsCommitsAlone).map(keptInTrash),
    ],
    ...(request.sessionId === undefined
      ? {
          orphans: await findOrphans(project),
          sessions: goneSessions(project, request.limits, {
            view,
            held: [...view.stored, ...deleted.map(({ stored }) => stored)].filter(
              ({ id }) => !isPurged(id),
            ),
            inUse: isEverything(request) ? runningSessions(project, view) : inUse,
            sessionOf,
            evenIfOpen: isEverything(request),
          }),
        }
      : { orphans: [], sessions: [] }),
    returned: trash
      .map(({ stored }) => stored)
      .filter(isBack)
      .map(({ id }) => id)
      .filter((id) => !isSetAside(id)),
    unrecorded: deleted
      .filter(({ id, deletedAt }) => deletedAt === null && isAsked(id) && !isSetAside(id))
      .map(({ id }) => id),
    bytesTotal,
    freedBytes: bytesTotal === null || bytesLeft === null ? null : bytesTotal - bytesLeft,
    sessionOf,
    present: documentsOf([...view.stored, ...deleted.map(({ stored }) => stored)]),
  };
}

/** Not one of the same id with other content: that one keeps its grace time. */
function backInList(stored: readonly StoredCheckpoint[]): (one: StoredCheckpoint) => boolean {
  const checksums = new Map(
    stored.flatMap((one) => (one.kind === "ok" ? [[one.id, one.document.checksum]] : [])),
  );
  return (one) => one.kind === "ok" && checksums.get(one.id) === one.document.checksum;
}

function documentsOf(
  stored: readonly StoredCheckpoint[],
): readonly CheckpointDocument[] | undefined {
  const readable = stored.flatMap((one) => (one.kind === "ok" ? [one.document] : []));
  return readable.length === stored.length ? readable : undefined;
}

/** What is under way, in any work tree, and what it cannot do without. */
function neededByOthers(
  project: Project,
  view: SessionView,
  { all }: RetentionLimits,
): Map<string, string> {
  // Not in the trash: who deleted such a one has said so with `--force`.
  const states = all === true ? [] : [...holdingState(project, view, view.documents)];
  const results = all === true ? [] : [...holdingResults(project, view)];
  return new Map([
    ...results.map(([id, session]): [string, string] => [id, `session ${session}: not merged yet`]),
    ...states.map(([id, session]): [string, string] => [id, `session ${session}: its saved state`]),
    ...[...neededByRuns(project, view)].map((id): [string, string] => [id, "a running session"]),
    ...project.guards.inUse().map((id): [string, string] => [id, "a running guard"]),
    ...project.restorer.inUse().map((id): [string, string] => [id, "a rollback in progress"]),
  ]);
}

function explained({ id, reason }: Verdict): Explained {
  return { id, reason };
}

function keptInTrash({ id }: Deleted): Explained {
  return {
    id,
    reason:
      "in the trash; it is the only reference to some commits; only `delete --now` removes it",
  };
}

function purgeReason(deleted: Deleted, project: Project, now: boolean): Explained[] {
  const { id, until } = deleted;
  if (now) return [{ id, reason: "deleted, and --now was given" }];
  const isOver = until !== null && Date.parse(until) <= project.clock.now().getTime();
  return isOver ? [{ id, reason: `deleted, and its grace time ended at ${exactTime(until)}` }] : [];
}

async function candidatesOf(project: Project, view: SessionView): Promise<RetentionCandidate[]> {
  const holders = await holdingCommits(project, view.documents);
  return view.documents.map((document) => ({
    document,
    isValid: view.standing(document).valid,
    isPinned: view.pinned.has(document.id),
    holdsCommitsAlone: holders.has(document.id),
  }));
}

interface Decision {
  readonly verdicts: readonly Verdict[];
  readonly left: readonly RetentionCandidate[];
  /** Undefined: not measured, or it cannot be. */
  readonly sizes: ReadonlyMap<string, number> | undefined;
}

/** The size counts what is left after the other rules, so it is measured again until no rule takes more. */
async function decide(project: Project, input: Omit<RetentionInput, "sizes">): Promise<Decision> {
  let gone: readonly Verdict[] = [];
  let left = input.candidates;
  let sizes: ReadonlyMap<string, number> | undefined;
  for (;;) {
    const verdicts = decideRetention({ ...input, candidates: left, sizes });
    const going = verdicts.filter(({ stays }) => !stays);
    const isSettled = areLimits(input.limits) || (sizes !== undefined && going.length === 0);
    gone = [...gone, ...going];
    const ids = new Set(going.map(({ id }) => id));
    left = left.filter(({ document }) => !ids.has(document.id));
    if (!isSettled) sizes = await bytesOf(project, left);
    if (isSettled || sizes === undefined) {
      return { verdicts: [...verdicts.filter(({ stays }) => stays), ...gone], left, sizes };
    }
  }
}

function total(sizes: ReadonlyMap<string, number> | undefined): number | null {
  return sizes === undefined ? null : [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

async function bytesOf(
  project: Project,
  candidates: readonly RetentionCandidate[],
): Promise<ReadonlyMap<string, number> | undefined> {
  const ids = candidates.map(({ document }) => document.id);
  try {
    return await project.holdings.bytes(ids, project.progress);
  } catch (error) {
    if (isGitFailure(error)) return undefined;
    throw error;
  }
}

/** What was pinned after the decision is returned from the trash: `pin` looks for the checkpoint after its pin is recorded, so one of the two sees the other. */
async function removeUnpinned(
  project: Project,
  ids: readonly string[],
  isForGood: boolean,
): Promise<string[]> {
  const trashed = await project.checkpoints.trash(ids);
  const { pinned } = await viewSessions(project, undefined);
  const kept = await project.checkpoints.restore(trashed.filter((id) => pinned.has(id)));
  const isKept = among(kept);
  if (!isForGood) return trashed.filter((id) => !isKept(id));
  const gone = ids.filter((id) => !isKept(id) && !pinned.has(id));
  return gone.length === 0 ? [] : project.checkpoints.remove(gone, { frees: true });
}

async function applyCleanup(
  project: Project,
  plan: CleanupPlan,
  request: CleanupRequest,
): Promise<CleanupPlan> {
  const { checkpoints } = project;
  const ids = (explainedOnes: readonly Explained[]): string[] => explainedOnes.map(({ id }) => id);
  const removed = ids(plan.removed);
  const moved = await removeUnpinned(project, removed, request.now);
  const isRemoved = among(removed);
  const toEmpty = [...ids(plan.purged), ...plan.returned].filter((id) => !isRemoved(id));
  const emptied = await checkpoints.purge(toEmpty);
  const gone = request.now ? [...moved, ...emptied] : emptied;
  const orphans = await checkpoints.removeStrays(plan.orphans);
  const isMoved = among(moved);
  const isGone = among(gone);
  // Also those that came back since the plan was made.
  const returned = await outOfTrash(
    project,
    toEmpty.filter((id) => !isGone(id)),
  );
  const done = {
    ...plan,
    removed: plan.removed.filter(({ id }) => isMoved(id)),
    purged: plan.purged.filter(({ id }) => isGone(id)),
    orphans,
    returned,
  };
  await journal(project, done, request.now ? [] : done.removed);
  // After its last entry. What could not be removed still needs its session.
  const left = plan.purged.filter(({ id }) => !isGone(id));
  const needed = new Set(left.map(({ id }) => plan.sessionOf.get(id)));
  const sessions = await removeSessions(
    project,
    plan.sessions.filter(({ id }) => !needed.has(id)),
    isEverything(request),
  );
  if (done.orphans.length > 0) {
    await recordJournalEvent(project, "cleanup", done.orphans, { orphans: done.orphans });
  }
  return { ...done, sessions };
}

/** Others could not be taken out of the trash, as their ref in the list is damaged: they keep the record of when they came there. */
async function outOfTrash({ checkpoints }: Project, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const isLeft = among((await checkpoints.listTrash()).map(({ id }) => id));
  return ids.filter((id) => !isLeft(id));
}

/** One entry for each session that something was taken from. */
async function journal(
  project: Project,
  plan: CleanupPlan,
  trashed: readonly Explained[],
): Promise<void> {
  const why = new Map(trashed.map(({ id, reason }) => [id, reason]));
  const purged = new Set(plan.purged.map(({ id }) => id));
  const left = plan.present?.filter(({ id }) => !purged.has(id));
  const isBack = among(plan.returned);
  const touched = new Set([...why.keys(), ...purged, ...plan.unrecorded, ...plan.returned]);
  const sessionOf = new Map([...plan.sessionOf].filter(([id]) => touched.has(id)));
  const event = {
    kind: "cleanup" as const,
    reason: null,
    details: (own: readonly string[]) => {
      const isOwn = among(own);
      return {
        removed: Object.fromEntries([...why].filter(([id]) => isOwn(id))),
        purged: own.filter((id) => purged.has(id)),
      };
    },
  };
  await journalBySession(project, sessionOf, event, (session, own, at) => {
    const records = own
      .filter((id) => !purged.has(id) && !isBack(id))
      .map((id): [string, TrashRecord] => [
        id,
        { at, by: project.actor.user, why: why.get(id) ?? "deleted by a process that was killed" },
      ]);
    const changed = withTrash(withoutTrash(session, own), new Map(records));
    return left === undefined ? changed : withoutUnusedEpochs(changed, left);
  });
}
