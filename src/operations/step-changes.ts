/** What each listed checkpoint changed since the one that it continued. */
import { treeOfFiles, type CheckpointGlance } from "../domain/checkpoint-glance.ts";
import type { Fold } from "../domain/time-line.ts";
import type { DiffSummary } from "../ports/differ.ts";
import type { CheckpointList, Listed } from "./list-checkpoints.ts";
import type { Project } from "./project.ts";

/** By id of the row's own checkpoint. One process for all of them; a folded row is the sum of what is in it. */
export async function stepChanges<Document extends CheckpointGlance>(
  project: Project,
  { before }: Pick<CheckpointList<Document>, "before">,
  rows: readonly Fold<Listed<Document>>[],
): Promise<Map<string, DiffSummary>> {
  const asked = rows.flatMap(({ row, folded }) => {
    if (row.kind !== "ok") return [];
    const older = before((folded.at(-1) ?? row).id);
    const from = older === undefined ? undefined : treeOfFiles(older);
    const to = treeOfFiles(row.document);
    return from === undefined || to === undefined ? [] : [{ id: row.id, from, to }];
  });
  const found = await project.differ.changes(asked);
  return new Map(
    asked.flatMap(({ id }, at): [string, DiffSummary][] => {
      const change = found[at];
      return change === undefined ? [] : [[id, change]];
    }),
  );
}
