import { heldWorkflowSchema } from "../../../domain/workflow/progress-schema.ts";
import { storedDocument } from "./published-schema.ts";

export const published = storedDocument(
  "workflow-document",
  "How far a session had come, as a checkpoint holds it: `workflow.json` of its tree.",
  heldWorkflowSchema,
);
