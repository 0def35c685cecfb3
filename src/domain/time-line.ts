/** The checkpoints of a work tree as one line, whatever their sessions: newest first, what each is compared with, and which are one row. */
import type { CheckpointGlance } from "./checkpoint-glance.ts";
import { compareAge, type Standing } from "./lineage.ts";

/**
 * Newest first. Between sessions the clock decides. Within one the numbers do, as clocks are set back: then a checkpoint counts as no
 * older than those before it.
 */
export function newestFirst<Document extends CheckpointGlance>(
  documents: readonly Document[],
): Document[] {
  const latest = new Map<string, string>();
  const timed = documents.toSorted(compareAge).map((document) => {
    const before = latest.get(document.session_id) ?? "";
    const at = document.created_at > before ? document.created_at : before;
    latest.set(document.session_id, at);
    return { document, at };
  });
  return timed
    .toSorted((left, right) =>
      left.at === right.at
        ? compareAge(right.document, left.document)
        : left.at < right.at
          ? 1
          : -1,
    )
    .map(({ document }) => document);
}

/**
 * The one that the last create or rollback left the work tree at, `here`. An undo leads to what was there before a rollback: the last one before that.
 * `line`: newest first.
 */
export function currentOf<Document extends CheckpointGlance>(
  line: readonly Document[],
  standing: (document: Document) => Standing,
  here: string | undefined,
): Document | undefined {
  const at = line.findIndex(({ id }) => id === here);
  const isBefore = line[at]?.trigger === "pre_rollback";
  return at < 0
    ? undefined
    : line.find(
        (document, position) =>
          (isBefore ? position > at : position === at) &&
          document.worktree_id === line[at]?.worktree_id &&
          document.trigger !== "pre_rollback" &&
          standing(document).valid,
      );
}

/** What a checkpoint of the line of a work tree continued: the next older one that led to it. Undefined: it is the first. */
export function continuedBy<Document extends CheckpointGlance>(
  line: readonly Document[],
  id: string,
  standing: (document: Document) => Standing,
): Document | undefined {
  const at = line.findIndex((document) => document.id === id);
  const document = line[at];
  if (document === undefined) return undefined;
  const isSafety = document.trigger === "pre_rollback";
  const { invalidated_by } = standing(document);
  return line.find((older, position) => {
    if (position <= at || older.trigger === "pre_rollback") return false;
    const { valid, invalidated_by: by } = standing(older);
    // A rollback begins wherever the project is, and what it left is rolled past since.
    return isSafety || valid || by === invalidated_by;
  });
}

/** Rows of a list, newest first: each with the earlier ones that are shown as a part of it. */
export interface Fold<Row> {
  readonly row: Row;
  /** Newest first. */
  readonly folded: readonly Row[];
}

/** What an agent did for one prompt. */
export interface PromptStep {
  /** The same for all steps of the prompt. */
  readonly key: string;
  readonly isToolCall: boolean;
  /** Nothing about the row has to be seen. */
  readonly mayFold: boolean;
}

/**
 * One row for each prompt: the state after its work, so that the row below is the state before it. What was captured when the prompt was given is from
 * before its work, and is a row of its own. `stepOf`: undefined for what is no agent's.
 */
export function foldPrompts<Row>(
  rows: readonly Row[],
  stepOf: (row: Row) => PromptStep | undefined,
): Fold<Row>[] {
  const steps = rows.map(stepOf);
  const first = new Map(steps.map((step, at) => [step?.key, at]));
  const open = new Map<string, Row[]>();
  const found: { row: Row; folded: Row[] }[] = [];
  for (const [at, row] of rows.entries()) {
    const step = steps[at];
    const isPrompt = step?.isToolCall === false && first.get(step.key) === at;
    const group = step === undefined || isPrompt ? undefined : open.get(step.key);
    if (group !== undefined && step?.mayFold === true) {
      group.push(row);
      continue;
    }
    const folded: Row[] = [];
    if (step !== undefined && !isPrompt) open.set(step.key, folded);
    found.push({ row, folded });
  }
  return found;
}
