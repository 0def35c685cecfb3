/** How far a workflow had come at a checkpoint. */
import type { CheckpointDocument } from "../../domain/checkpoint.ts";
import { restoredWorkflow } from "../../domain/workflow/held-workflow.ts";
import type { WorkflowProgress } from "../../domain/workflow/progress.ts";
import type { Project } from "../project.ts";
import { stateValues } from "../state-values.ts";

/** Undefined: the checkpoint does not hold it, and a rollback to it leaves the session's as it is. */
export async function heldProgress(
  project: Project,
  checkpoint: CheckpointDocument,
): Promise<WorkflowProgress | undefined> {
  const { workflow } = await stateValues(project, checkpoint);
  return restoredWorkflow(workflow)?.progress;
}
