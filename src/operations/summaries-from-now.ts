/** How far each listed checkpoint is from the project now. */
import type { DiffSummary } from "../ports/differ.ts";
import type { CheckpointList } from "./list-checkpoints.ts";
import type { Project } from "./project.ts";

/** Compared by one process. */
const AT_ONCE = 10;

export async function summariesFromNow(
  project: Project,
  list: CheckpointList,
): Promise<Map<string, DiffSummary>> {
  const documents = list.checkpoints.flatMap((listed) =>
    listed.kind === "ok" ? [listed.document] : [],
  );
  const capture = await project.workTree.capture({ policy: project.policy });
  const shown = project.progress.begin("comparing checkpoints", { items: documents.length });
  const summaries = new Map<string, DiffSummary>();
  try {
    for (let at = 0; at < documents.length; at += AT_ONCE) {
      const some = documents.slice(at, at + AT_ONCE);
      const found = await project.differ.summaries({ kind: "now", capture }, some);
      for (const [index, { id }] of some.entries()) {
        const summary = found[index];
        if (summary !== undefined) summaries.set(id, summary);
      }
      shown.advance(some.length);
    }
    return summaries;
  } finally {
    shown.end();
    capture.discard();
  }
}
