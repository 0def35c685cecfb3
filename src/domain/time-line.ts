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

/** The newest that leads to now: where the project is. `line`: of one work tree, newest first. */
export function currentOf<Document extends CheckpointGlance>(
  line: readonly Document[],
  standing: (document: Document) => Standing,
): Document | undefined {
  return line.find((document) => document.trigger !== "pre_rollback" && standing(document).valid);
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

/** Rows of a list, newest first: each with the later ones that are shown as a part of it. */
export interface Fold<Row> {
  readonly row: Row;
  /** Newest first. */
  readonly folded: readonly Row[];
}

/**
 * Tool calls that an agent made for one prompt go into the row of the prompt, or of the first of them.
 * `promptOf`: what tells prompts apart; undefined: a row that stands for itself.
 */
export function foldToolCalls<Row>(
  rows: readonly Row[],
  promptOf: (row: Row) => { readonly key: string; readonly mayFold: boolean } | undefined,
): Fold<Row>[] {
  const open = new Map<string, Row[]>();
  const found: { row: Row; folded: Row[] }[] = [];
  for (const row of rows.toReversed()) {
    const prompt = promptOf(row);
    const group = prompt === undefined ? undefined : open.get(prompt.key);
    if (group !== undefined && prompt?.mayFold === true) {
      group.unshift(row);
      continue;
    }
    const folded: Row[] = [];
    if (prompt !== undefined && group === undefined) open.set(prompt.key, folded);
    found.unshift({ row, folded });
  }
  return found;
}
