/** How far each listed checkpoint is from the project now. */
import type { DiffSummary } from "../ports/differ.ts";
import type { CheckpointList } from "./list-checkpoints.ts";
import type { Project } from "./project.ts";

export async function summariesFromNow(
  project: Project,
  list: CheckpointList,
): Promise<Map<string, DiffSummary>> {
  const documents = list.checkpoints.flatMap((listed) =>
    listed.kind === "ok" ? [listed.document] : [],
  );
  const capture = await project.workTree.capture({ policy: project.policy });
  try {
    const found = await project.differ.summaries({ kind: "now", capture }, documents);
    return new Map(
      documents.flatMap((document, at): [string, DiffSummary][] => {
        const summary = found[at];
        return summary === undefined ? [] : [[document.id, summary]];
      }),
    );
  } finally {
    capture.discard();
  }
}
