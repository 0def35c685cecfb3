import { heldWorkflowSchema } from "../../../domain/workflow/progress-schema.ts";
import { storedDocument } from "./published-schema.ts";

export const published = storedDocument(
  "workflow-document",
  "Progress of a session, as stored in a checkpoint: `workflow.json` of its tree.",
  heldWorkflowSchema,
);
