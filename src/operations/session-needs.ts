/** The checkpoints that a session needs to go on: whether they can be read, and whether they are whole. */
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import { isNoOlder } from "../domain/checkpoint-id.ts";
import { compareAge, latestOf } from "../domain/lineage.ts";
import type { SessionDocument } from "../domain/session.ts";
import type { WorkflowProgress } from "../domain/workflow/progress.ts";
import { resumePoint } from "../domain/workflow/resume-point.ts";
import { referredCheckpoints } from "../domain/workflow/session-references.ts";
import { partProblems } from "./part-work.ts";
import type { Project } from "./project.ts";
import { viewSessions } from "./session-view.ts";

export interface SessionNeeds {
  /** The one that it goes on from; undefined: none, or none that can be read. */
  readonly checkpoint: CheckpointDocument | undefined;
  readonly newer: readonly { readonly id: string; readonly version: number }[];
  readonly damaged: readonly { readonly id: string; readonly problem: string }[];
  /** Where one is damaged: the newest whole one of the session. */
  readonly lastValidId: string | null;
  /** Every checkpoint that there is, in whatever state. */
  readonly knownIds: ReadonlySet<string>;
}

export async function needsOf(
  project: Project,
  session: SessionDocument,
  {
    from,
    progress,
  }: { readonly from: string | undefined; readonly progress: WorkflowProgress | undefined },
): Promise<SessionNeeds> {
  const view = await viewSessions(project, session.id);
  const worktreeId = session.worktree_id ?? project.workTree.id;
  const own = view.documents.filter(
    (document) => document.session_id === session.id && document.worktree_id === worktreeId,
  );
  const checkpoint =
    from === undefined
      ? latestOf(own, view.standing)
      : view.documents.find(({ id }) => id === from);
  const referred = new Set([
    ...referredCheckpoints(session),
    ...(from === undefined ? [] : [from]),
  ]);
  const newer = view.stored.flatMap((stored) =>
    stored.kind === "newer" && referred.has(stored.id)
      ? [{ id: stored.id, version: stored.version }]
      : [],
  );
  const knownIds = new Set(view.stored.map(({ id }) => id));
  const retryId = retryStart(progress);
  const needed = new Set<string>();
  const goesOnFrom = from ?? checkpoint?.id;
  if (goesOnFrom !== undefined) needed.add(goesOnFrom);
  // Cleaned up or deleted: the one that it goes on from is there all the same.
  if (retryId !== null && knownIds.has(retryId)) needed.add(retryId);
  for (const { id } of newer) needed.delete(id);
  const unreadable = view.stored.flatMap((stored) => {
    if (stored.kind !== "damaged" || !referred.has(stored.id)) return [];
    const isNeeded =
      stored.id === retryId ||
      stored.id === from ||
      (from === undefined && (checkpoint === undefined || isNoOlder(stored.id, checkpoint)));
    return isNeeded ? [{ id: stored.id, problem: stored.problem }] : [];
  });
  for (const { id } of unreadable) needed.delete(id);
  const damaged = [...unreadable, ...(await damageOf(project, view.documents, [...needed]))];
  const others = own
    .filter((document) => document.trigger !== "pre_rollback" && view.isUsable(document))
    .filter(({ id }) => damaged.every((other) => other.id !== id))
    .filter((document) => view.standing(document).valid)
    .toSorted((left, right) => compareAge(right, left));
  const whole = damaged.length === 0 ? undefined : await firstWhole(project, others);
  return { checkpoint, newer, damaged, lastValidId: whole?.id ?? null, knownIds };
}

/** Where the batch or the phase that is next would start from when it fails. */
function retryStart(progress: WorkflowProgress | undefined): string | null {
  const point = resumePoint(progress);
  const batch = progress?.execution_graph?.batches.find(({ number }) => number === point?.batch);
  const phase = progress?.phases.find(({ name }) => name === point?.phase);
  return batch?.checkpoint_before ?? phase?.checkpoint_before ?? null;
}

async function damageOf(
  project: Project,
  documents: readonly CheckpointDocument[],
  ids: readonly string[],
): Promise<{ readonly id: string; readonly problem: string }[]> {
  if (ids.length === 0) return [];
  const found: { readonly id: string; readonly problem: string }[] = [];
  for (const { id, problems } of await project.checkpoints.verify(ids, project.progress)) {
    const document = documents.find((candidate) => candidate.id === id);
    const ofParts = document === undefined ? [] : await partProblems(project, document);
    const [problem] = [...problems, ...ofParts.flatMap((part) => part.problems)];
    if (problem !== undefined) found.push({ id, problem });
  }
  return found;
}

async function firstWhole(
  project: Project,
  candidates: readonly CheckpointDocument[],
): Promise<CheckpointDocument | undefined> {
  for (const candidate of candidates) {
    if ((await damageOf(project, candidates, [candidate.id])).length === 0) return candidate;
  }
  return undefined;
}
