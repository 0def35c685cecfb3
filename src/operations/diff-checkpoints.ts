/** What lies between two checkpoints, or between a checkpoint and now. Changes nothing. */
import type { BytePath } from "../domain/byte-path.ts";
import {
  gitPartOf,
  sameIndex,
  type CheckpointDocument,
  type Exclusion,
} from "../domain/checkpoint.ts";
import { Failure } from "../domain/failure.ts";
import { redactField } from "../domain/secrets/redact.ts";
import { diffValues, workflowValues, type ValueChange } from "../domain/state-diff.ts";
import type { FileDifference, Moment, PassedCommit } from "../ports/differ.ts";
import { filesBetween } from "./files-between.ts";
import { findStored, readingCheckpoint, refuseDamaged, usable } from "./find-checkpoint.ts";
import { partsBetween, partsSince, type PartDifference } from "./part-differences.ts";
import { isUnreadableSession, setAsideText } from "../domain/session-version.ts";
import type { Project } from "./project.ts";
import { isRecord } from "../domain/is-record.ts";
import { workflowSummary } from "../domain/workflow/workflow-summary.ts";
import { stateNow, stateValues } from "./state-values.ts";
import { viewSessions } from "./session-view.ts";

export interface DiffRequest {
  readonly from: string;
  /** Undefined: now. */
  readonly to: string | undefined;
  readonly sessionId?: string;
  /** Nothing: everything. */
  readonly paths: readonly BytePath[];
}

export interface Difference {
  readonly from: CheckpointDocument;
  /** Undefined: now. */
  readonly to: CheckpointDocument | undefined;
  readonly files: readonly FileDifference[];
  /** Files that one of the two holds and the other left out: whether they differ is not known. */
  readonly notCompared: readonly Exclusion[];
  /** Only files of a scope were compared. */
  readonly isScoped: boolean;
  /** Copied files and databases. */
  readonly parts: readonly PartDifference[];
  readonly values: readonly ValueChange[];
  readonly commits: {
    readonly gained: readonly PassedCommit[];
    readonly lost: readonly PassedCommit[];
  };
  readonly indexDiffers: boolean;
  readonly moments: readonly [Moment, Moment];
}

/** `use` gets the difference; what it was made from is discarded when it is done. */
export async function diffCheckpoints<Result>(
  project: Project,
  request: DiffRequest,
  use: (difference: Difference) => Promise<Result>,
): Promise<Result> {
  const view = await viewSessions(project, request.sessionId);
  const from = usable(view, findStored(project, view, request.from));
  const to =
    request.to === undefined ? undefined : usable(view, findStored(project, view, request.to));
  const documents = to === undefined ? [from] : [from, to];
  for (const document of documents) {
    await readingCheckpoint(project, document, () => project.checkpoints.refuseHarmful(document));
  }
  return explainingDamage(project, documents, () => between(project, request, from, to, use));
}

/** Git only says that it failed; which checkpoint is damaged, and which one is not, is what helps. */
async function explainingDamage<Result>(
  project: Project,
  documents: readonly CheckpointDocument[],
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure && error.code === "git_failed") {
      for (const document of documents) await refuseDamaged(project, document);
    }
    throw error;
  }
}

async function between<Result>(
  project: Project,
  request: DiffRequest,
  from: CheckpointDocument,
  to: CheckpointDocument | undefined,
  use: (difference: Difference) => Promise<Result>,
): Promise<Result> {
  const start: Moment = { kind: "checkpoint", document: from };
  if (to !== undefined) {
    return use(
      await compare(project, request, from, to, start, { kind: "checkpoint", document: to }),
    );
  }
  const capture = await project.workTree.capture({ policy: project.policy });
  try {
    return await use(
      await compare(project, request, from, undefined, start, { kind: "now", capture }),
    );
  } finally {
    capture.discard();
  }
}

async function compare(
  project: Project,
  request: DiffRequest,
  from: CheckpointDocument,
  to: CheckpointDocument | undefined,
  start: Moment,
  end: Moment,
): Promise<Difference> {
  const part = end.kind === "now" ? end.capture.part : gitPartOf(end.document);
  const own = gitPartOf(from);
  const git = end.kind === "now" ? end.capture.git : end.document.git;
  const shown = project.progress.begin("comparing");
  try {
    return {
      from,
      to,
      ...(await filesBetween(project, from, end, request.paths)),
      parts: await partsOf(project, request, from, to),
      values: (await valuesBetween(project, from, to)).map(withoutSecrets),
      commits: await project.differ.commits(from.git.commit, git.commit),
      indexDiffers: own !== undefined && part !== undefined && !sameIndex(own, part),
      moments: [start, end],
    };
  } finally {
    shown.end();
  }
}

/** A state may hold some; they are not for the screen. */
function withoutSecrets({ key, from, to }: ValueChange): ValueChange {
  const name = key.slice(key.lastIndexOf(".") + 1);
  return { key, from: redactField(name, from), to: redactField(name, to) };
}

/** A workflow's state and metrics are known now as well. */
async function valuesBetween(
  project: Project,
  from: CheckpointDocument,
  to: CheckpointDocument | undefined,
): Promise<ValueChange[]> {
  const before = comparable(await stateValues(project, from));
  if (to === undefined) {
    try {
      const now = await stateNow(project, from);
      const { workflow } = now;
      const then = isRecord(workflow) ? { metrics: from.metrics } : {};
      const reported = isRecord(workflow) ? { metrics: workflow["metrics"] } : {};
      return diffValues({ ...then, ...before }, { ...reported, ...comparable(now) });
    } catch (error) {
      // Files can be compared all the same.
      if (!isUnreadableSession(error)) throw error;
      project.warn(setAsideText(error, "its state is not compared"));
      return [];
    }
  }
  const after = comparable(await stateValues(project, to));
  // Where only one of the two holds a state, nothing is known about the other.
  const both = Object.keys(before).length > 0 && Object.keys(after).length > 0;
  return diffValues(
    { ...workflowValues(from), ...(both ? before : {}) },
    { ...workflowValues(to), ...(both ? after : {}) },
  );
}

/** Of the workflow what people compare, and not every time stamp. */
function comparable(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { workflow } = values;
  return isRecord(workflow) ? { ...values, workflow: workflowSummary(workflow) } : { ...values };
}

/** Paths choose files of the work tree. */
async function partsOf(
  project: Project,
  { paths }: DiffRequest,
  from: CheckpointDocument,
  to: CheckpointDocument | undefined,
): Promise<PartDifference[]> {
  if (paths.length > 0) return [];
  return to === undefined ? partsSince(project, from) : partsBetween(project, from, to);
}
