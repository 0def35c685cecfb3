/** Checks that checkpoints are whole: document, checksum, schema, and every object. */
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import type { Integrity } from "../ports/checkpoint-store.ts";
import { findStored } from "./find-checkpoint.ts";
import type { Project } from "./project.ts";
import { viewSessions } from "./session-view.ts";

export interface Validation {
  readonly results: readonly (Integrity & { readonly overall: boolean })[];
  readonly valid: number;
  readonly invalid: number;
}

/** What is wrong with a document by its schema; empty when nothing is. Kept out of the way of quick commands. */
export type SchemaCheck = (document: CheckpointDocument) => string[];

export async function validateCheckpoints(
  project: Project,
  selectors: readonly string[],
  checkSchema: SchemaCheck,
): Promise<Validation> {
  const view = await viewSessions(project, undefined);
  const ids =
    selectors.length === 0
      ? undefined
      : selectors.map((selector) => findStored(project, view, selector).id);
  const documents = new Map(view.documents.map((document) => [document.id, document]));
  const results = (await project.checkpoints.verify(ids)).map((integrity) => {
    const document = documents.get(integrity.id);
    const problems = document === undefined ? [] : checkSchema(document);
    const state = integrity.state && problems.length === 0;
    return {
      ...integrity,
      state,
      problems: [...integrity.problems, ...problems],
      overall: integrity.file && integrity.hash && integrity.git && state,
    };
  });
  const valid = results.filter((result) => result.overall).length;
  return { results, valid, invalid: results.length - valid };
}
