/** The words by which checkpoints and sessions can be named now, for completion. One listing of refs for each, nothing else. */
import { implicitSessionId } from "../domain/session.ts";
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import type { Project } from "./project.ts";

export interface SelectorNames {
  /** Newest first; damaged ones last. */
  readonly checkpoints: readonly NamedCheckpoint[];
  /** Of the session in this work tree. */
  readonly steps: readonly number[];
  readonly phases: readonly string[];
  readonly sessions: readonly string[];
}

export interface NamedCheckpoint {
  readonly id: string;
  readonly document: CheckpointDocument | undefined;
}

export async function selectorNames(
  project: Project,
  sessionId: string | undefined,
): Promise<SelectorNames> {
  const stored = await project.checkpoints.list();
  const documents = stored
    .flatMap((checkpoint) => (checkpoint.kind === "ok" ? [checkpoint.document] : []))
    .toSorted((left, right) => (left.created_at < right.created_at ? 1 : -1));
  const session =
    sessionId ?? project.currentSession.get() ?? implicitSessionId(project.workTree.id);
  const own = documents.filter(
    (document) =>
      document.session_id === session &&
      document.worktree_id === project.workTree.id &&
      document.trigger !== "pre_rollback",
  );
  return {
    checkpoints: [
      ...documents.map((document) => ({ id: document.id, document })),
      ...stored.flatMap(({ kind, id }) => (kind === "ok" ? [] : [{ id, document: undefined }])),
    ],
    steps: distinct(own.flatMap((document) => document.step ?? [])),
    phases: distinct(
      own.flatMap(({ trigger, phase }) => (trigger === "pre_phase" ? (phase ?? []) : [])),
    ),
    sessions: distinct(documents.map((document) => document.session_id)),
  };
}

export interface NamedSession {
  readonly id: string;
  readonly status: string;
  readonly about: string;
}

/** Latest first; those that nobody started come last. */
export async function sessionNames(project: Project): Promise<readonly NamedSession[]> {
  return (await project.sessions.list())
    .map(({ document }) => document)
    .toSorted(
      (left, right) =>
        Number(left.implicit) - Number(right.implicit) ||
        (left.updated_at < right.updated_at ? 1 : -1),
    )
    .map(({ id, status, description, topic, workflow_type }) => ({
      id,
      status,
      about: description ?? topic ?? workflow_type ?? "",
    }));
}

function distinct<Item>(items: readonly Item[]): Item[] {
  return [...new Set(items)];
}
