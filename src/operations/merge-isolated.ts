/**
 * Brings what isolated nodes left into the main work tree: a three-way merge, carried out by the rollback's own machinery. So
 * only files that change are written, what others save meanwhile stays, a kill is taken back, and `undo` takes back the whole.
 */
import { comparePaths, parsePath, showPath, type BytePath } from "../domain/byte-path.ts";
import { filesTreeOf, type CheckpointDocument, type Exclusion } from "../domain/checkpoint.ts";
import { Failure } from "../domain/failure.ts";
import { sameFile, type FileState } from "../domain/file-state.ts";
import { touchedPaths } from "../domain/rollback-plan.ts";
import { rollbacksInEffect } from "../domain/rollback-effect.ts";
import type { OpenConflict } from "../domain/workflow/merge-conflict.ts";
import type { MergedFiles, MergeSide } from "../ports/isolated-work-trees.ts";
import type { Capture, Comparison } from "../ports/work-tree.ts";
import { createCheckpoint } from "./create-checkpoint.ts";
import type { PlaceInWorkflow } from "./isolated-trees.ts";
import type { RollbackPlan } from "./plan-rollback.ts";
import type { Project } from "./project.ts";
import { recover } from "./recover.ts";
import { rollBack, type RollbackResult } from "./roll-back.ts";
import { rollbackId } from "./rollback-id.ts";

export interface MergeRequest {
  /** Where the batch began. */
  readonly base: CheckpointDocument;
  /** In the order in which they are merged. */
  readonly results: readonly MergeSide[];
  readonly place: PlaceInWorkflow;
  /** Called before conflicted files are written, so that it can be kept: `concludeConflict` takes it from there. */
  readonly onConflict?: (conflict: OpenConflict) => Promise<void>;
  /**
   * Called with the conflicted files in the main work tree. Undefined, or an answer of `person`: somebody else resolves it, and
   * `concludeConflict` is called when that is done.
   */
  readonly resolve?: (conflict: OpenConflict) => Promise<ResolverAnswer>;
}

export type ResolverAnswer =
  | { readonly kind: "resolved" }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "person" };

export interface MergeReport {
  /** Names of results that are in the main work tree, without open conflicts. */
  readonly merged: readonly string[];
  /** Names of results that are not, in their order; the first one is that of the conflict. */
  readonly pending: readonly string[];
  /** Paths of the main work tree that were written or removed. */
  readonly changed: readonly string[];
  /** What somebody saved meanwhile and what stayed therefore; the merged file is in the checkpoint. */
  readonly kept: readonly {
    readonly path: string;
    readonly keptAt: string;
    readonly checkpointId: string;
  }[];
  /** Files of nodes that no checkpoint holds: they were not merged. */
  readonly leftOut: readonly { readonly name: string; readonly exclusion: Exclusion }[];
  /** Ids of the checkpoints that were made, in their order. */
  readonly checkpoints: readonly string[];
  /** Journal entries of what was written; `undo` takes the last one back. */
  readonly rollbackIds: readonly string[];
}

export type MergeOutcome =
  | ({ readonly kind: "merged" } & MergeReport)
  | ({
      readonly kind: "conflict";
      readonly conflict: OpenConflict;
      /** Paths that still have markers. */
      readonly unresolved: readonly string[];
      /** Why it is open: nobody was asked, or the resolver failed, or left markers. */
      readonly why: "waits_for_person" | "resolver_failed" | "markers_left";
      readonly message: string | null;
    } & MergeReport);

export async function mergeIsolated(
  project: Project,
  request: MergeRequest,
): Promise<MergeOutcome> {
  await recover(project);
  return new Merge(project, request).run();
}

/** The main work tree may change while it is merged; each try starts from what is there. */
const TRIES = 5;

interface Now {
  readonly ours: CheckpointDocument;
  readonly capture: Capture;
}

class Merge {
  readonly #project: Project;
  readonly #request: MergeRequest;
  readonly #merged: string[] = [];
  #pending: readonly MergeSide[];
  readonly #changed = new Set<BytePath>();
  readonly #kept: MergeReport["kept"][number][] = [];
  readonly #leftOut: MergeReport["leftOut"][number][] = [];
  #checkpoints: string[] = [];
  readonly #rollbackIds: string[] = [];

  constructor(project: Project, request: MergeRequest) {
    this.#project = project;
    this.#request = request;
    this.#pending = request.results;
  }

  async run(): Promise<MergeOutcome> {
    for (let tries = 0; this.#pending.length > 0;) {
      if (tries++ === TRIES) throw keptChanging();
      const done = await this.#next();
      if (done === "again") continue;
      tries = 0;
      if (done !== "fits") {
        const open = await this.#resolve(done);
        if (open !== undefined) return open;
      }
    }
    return { kind: "merged", ...this.#report() };
  }

  #report(): MergeReport {
    return {
      merged: this.#merged,
      pending: this.#pending.map(({ name }) => name),
      changed: [...this.#changed].toSorted(comparePaths).map(showPath),
      kept: this.#kept,
      leftOut: this.#leftOut,
      checkpoints: this.#checkpoints,
      rollbackIds: this.#rollbackIds,
    };
  }

  /** Brings in as many results as fit, or the first one that does not. */
  async #next(): Promise<"fits" | "again" | OpenConflict> {
    const now = await this.#now();
    if (now === undefined) return "again";
    const files = await this.#mergeInto(now);
    if (files.conflicts.length > 0) return this.#bringConflict(now, files);
    const isIn = !files.isChanged || (await this.#bringIn(now, files, rollbackId(this.#project)));
    if (!isIn) return "again";
    this.#settle(files);
    return "fits";
  }

  #settle({ merged, leftOut }: MergedFiles): void {
    this.#merged.push(...merged);
    this.#leftOut.push(...leftOut);
    this.#pending = this.#pending.slice(merged.length);
  }

  /** The main work tree as a checkpoint and as a capture of the same moment. Undefined: it changed in between. */
  async #now(): Promise<Now | undefined> {
    const evenIfIgnored = this.#promised();
    const { checkpoint, gitSameness } = await createCheckpoint(this.#project, {
      ...this.#request.place,
      trigger: "auto",
      evenIfIgnored,
      reason: `before ${listed(this.#pending.map(({ name }) => name))} was merged`,
    });
    const { workTree, policy } = this.#project;
    const capture = await workTree.capture({ policy, evenIfIgnored });
    if (capture.sameness === gitSameness) return { ours: checkpoint, capture };
    capture.discard();
    return undefined;
  }

  async #mergeInto({ ours, capture }: Now): Promise<MergedFiles> {
    const { base } = this.#request;
    try {
      return await this.#project.isolated.merge({ base, ours, capture, results: this.#pending });
    } catch (error) {
      capture.discard();
      throw error;
    }
  }

  /** False: the main work tree changed meanwhile, and nothing was done. */
  async #bringIn(now: Now, files: MergedFiles, id: string): Promise<boolean> {
    const target = await this.#publish(files);
    if (target === undefined) return false;
    return this.#apply(now, target, id, `merging ${listed(files.merged)}`);
  }

  /** The merged files as a checkpoint, which the main work tree is then made equal to. */
  async #publish({
    merged,
    conflicts,
    capture,
  }: MergedFiles): Promise<CheckpointDocument | undefined> {
    const what = conflicts.length === 0 ? "merged" : "merged, with conflicts";
    const { worktree } = capture.part;
    const { checkpoint } = await createCheckpoint(this.#project, {
      ...this.#request.place,
      trigger: "auto",
      name: "merge",
      isWorkedOut: true,
      reason: `the results of ${listed(merged)}, ${what}`,
      force: true,
      capture,
    });
    if (filesTreeOf(checkpoint) === worktree) {
      this.#checkpoints.push(checkpoint.id);
      return checkpoint;
    }
    // A rollback came in between, and what is on the disk was captured instead.
    await this.#project.checkpoints.remove([checkpoint.id]);
    return undefined;
  }

  async #apply(now: Now, target: CheckpointDocument, id: string, reason: string): Promise<boolean> {
    let hasMoved = false;
    try {
      const comparison = await this.#project.workTree.compare(now.capture, target);
      refuseObstructed(comparison);
      const before = new Map(comparison.changes.map((change) => [change.path, change.before]));
      const done = await rollBack(this.#project, {
        kind: "rollback",
        id,
        target,
        sessionId: target.session_id,
        scope: { filesOnly: true, keepHead: true, paths: pathsOf(comparison) },
        discardCommits: false,
        reason,
        confirm: () => Promise.resolve(true),
        confirmed: true,
        check: (plan) => {
          hasMoved = !isAsRead(plan, before);
          if (hasMoved) throw keptChanging();
        },
      });
      this.#note(done, target.id);
      return true;
    } catch (error) {
      await this.#withdraw(target.id);
      if (hasMoved) return false;
      throw error;
    }
  }

  #note({ id, plan, safety, foreign }: RollbackResult, checkpointId: string): void {
    this.#rollbackIds.push(id);
    this.#checkpoints.push(safety.id);
    const theirs = new Set(foreign.map(({ path }) => path));
    for (const path of touchedPaths(plan.files)) if (!theirs.has(path)) this.#changed.add(path);
    for (const { path, keptAt } of foreign) {
      this.#kept.push({ path: showPath(path), keptAt, checkpointId });
    }
    for (const { path } of plan.files.keep) {
      this.#kept.push({ path: showPath(path), keptAt: showPath(path), checkpointId });
    }
  }

  /** It never was a moment of the project. One that a rollback has yet to be taken back from is needed for that. */
  async #withdraw(id: string): Promise<void> {
    if (this.#project.restorer.unfinished() !== undefined) return;
    await this.#project.checkpoints.remove([id]);
    this.#checkpoints = this.#checkpoints.filter((made) => made !== id);
  }

  async #bringConflict(now: Now, files: MergedFiles): Promise<"again" | OpenConflict> {
    const fitting = files.merged.slice(0, -1);
    const node = files.merged.at(-1) ?? "";
    // Without a checkpoint of the conflict the one before the merge is the way back.
    const { conflictEvents } = this.#project.config.triggers;
    const start = conflictEvents ? await this.#startConflict(node) : now.ours;
    const target = await this.#publish(files);
    if (target === undefined) return "again";
    const conflict: OpenConflict = {
      node,
      start_id: start.id,
      merged_id: target.id,
      rollback_id: rollbackId(this.#project),
      labels: files.labels,
      paths: files.conflicts,
      restore_command: start.restore_command,
    };
    try {
      await this.#request.onConflict?.(conflict);
    } catch (error) {
      await this.#withdraw(target.id);
      throw error;
    }
    const reason = `merging ${listed(files.merged)}, with conflicts`;
    if (!(await this.#apply(now, target, conflict.rollback_id, reason))) return "again";
    this.#settle({ ...files, merged: fitting });
    return conflict;
  }

  #promised(): ReadonlySet<BytePath> {
    return new Set(this.#request.results.flatMap(({ outputs = [] }) => outputs));
  }

  async #startConflict(node: string): Promise<CheckpointDocument> {
    const { checkpoint } = await createCheckpoint(this.#project, {
      ...this.#request.place,
      trigger: "conflict_start",
      reason: `before the conflicts with the result of ${node}`,
      evenIfIgnored: this.#promised(),
    });
    this.#checkpoints.push(checkpoint.id);
    return checkpoint;
  }

  /** Undefined: it is resolved. */
  async #resolve(conflict: OpenConflict): Promise<MergeOutcome | undefined> {
    const answer = (await this.#request.resolve?.(conflict)) ?? ({ kind: "person" } as const);
    const open = (
      why: "waits_for_person" | "resolver_failed" | "markers_left",
      message: string | null,
      unresolved: readonly string[],
    ): MergeOutcome => ({
      kind: "conflict",
      conflict,
      why,
      message,
      unresolved,
      ...this.#report(),
    });
    if (answer.kind !== "resolved") {
      const paths = conflict.paths.filter(({ has_markers }) => has_markers).map(({ path }) => path);
      if (answer.kind === "person") return open("waits_for_person", null, paths);
      const left = await withMarkers(this.#project, conflict);
      return open("resolver_failed", answer.message, left);
    }
    const end = await concludeConflict(this.#project, conflict, this.#request.place);
    if (end.kind === "unresolved") return open("markers_left", null, end.paths);
    if (end.kind === "not_begun") {
      return open("resolver_failed", "what the merge had written was rolled back meanwhile", []);
    }
    if (end.checkpointId !== null) this.#checkpoints.push(end.checkpointId);
    this.#merged.push(conflict.node);
    this.#pending = this.#pending.slice(1);
    return undefined;
  }
}

function listed(names: readonly string[]): string {
  return names.join(", ");
}

function keptChanging(): Failure {
  return new Failure("repository_busy", "the work tree kept changing while results were merged", {
    hint: "Stop the program that writes to it, then resume. What was not merged is kept in the checkpoints of its nodes.",
  });
}

/** Nobody's file is overwritten because a node made one of the same name. */
function refuseObstructed(comparison: Comparison): void {
  const coming = comparison.changes.flatMap(({ path, target }) => (target === null ? [] : [path]));
  const folders = [...comparison.emptyFolders.target.keys()].filter(
    (path) => !comparison.emptyFolders.before.has(path),
  );
  const logs = comparison.logsBeside(comparison.changes.map(({ path }) => path));
  const paths = [...comparison.inTheWay([...coming, ...folders]), ...logs].map(showPath);
  if (paths.length === 0) return;
  throw new Failure(
    "obstructed",
    `${paths.join(", ")} is in the way: no checkpoint contains it, and a node created something there`,
    { hint: "Move it away, then resume. Nothing was changed.", details: { paths } },
  );
}

function pathsOf({ changes, emptyFolders }: Comparison): BytePath[] {
  const { before, target } = emptyFolders;
  const folders = [...new Set([...before.keys(), ...target.keys()])].filter(
    (path) => before.get(path) !== target.get(path),
  );
  return [...changes.map(({ path }) => path), ...folders];
}

/** The files that are about to change are what they were when they were merged. */
function isAsRead(plan: RollbackPlan, before: ReadonlyMap<BytePath, FileState | null>): boolean {
  const { write, remove, mode } = plan.files;
  return [...write, ...remove, ...mode].every((step) =>
    sameFile(step.before, before.get(step.path) ?? null),
  );
}

export type Conclusion =
  | { readonly kind: "resolved"; readonly checkpointId: string | null }
  | { readonly kind: "unresolved"; readonly paths: readonly string[] }
  /** The conflicted files were never written, or were rolled back since: the result has to be merged again. */
  | { readonly kind: "not_begun" };

/** Called when somebody has resolved a conflict: takes the `conflict_resolved` checkpoint, unless markers are left. */
export async function concludeConflict(
  project: Project,
  conflict: OpenConflict,
  place: PlaceInWorkflow,
): Promise<Conclusion> {
  await recover(project);
  if (!(await isInPlace(project, conflict))) return { kind: "not_begun" };
  const paths = await withMarkers(project, conflict);
  if (paths.length > 0) return { kind: "unresolved", paths };
  if (!project.config.triggers.conflictEvents) return { kind: "resolved", checkpointId: null };
  const { checkpoint } = await createCheckpoint(project, {
    ...place,
    trigger: "conflict_resolved",
    reason: `the conflicts with the result of ${conflict.node} are resolved`,
    evenIfIgnored: new Set(conflict.paths.map(({ path }) => parsePath(path))),
  });
  return { kind: "resolved", checkpointId: checkpoint.id };
}

async function withMarkers(project: Project, { paths, labels }: OpenConflict): Promise<string[]> {
  const marked = paths.filter(({ has_markers }) => has_markers).map(({ path }) => parsePath(path));
  return (await project.isolated.unresolved(marked, labels)).map(showPath);
}

/** The journal has the writing of the conflicted files, and no rollback since that took them back. */
async function isInPlace(project: Project, conflict: OpenConflict): Promise<boolean> {
  const merged = await project.checkpoints.read(conflict.merged_id);
  if (merged?.kind !== "ok") return false;
  const { session_id, seq, worktree_id } = merged.document;
  const session = (await project.sessions.read(session_id))?.document;
  const history = session?.history.filter((record) => record.worktree_id === worktree_id) ?? [];
  const inEffect = rollbacksInEffect(history, worktree_id);
  if (!inEffect.includes(conflict.rollback_id)) return false;
  const at = history.findIndex(({ id }) => id === conflict.rollback_id);
  for (const { id, to_id } of history.slice(at + 1)) {
    if (!inEffect.includes(id)) continue;
    const target = await project.checkpoints.read(to_id);
    if (target?.kind === "ok" && target.document.seq < seq) return false;
  }
  return true;
}
