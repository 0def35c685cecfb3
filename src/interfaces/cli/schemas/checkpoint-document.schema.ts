import { checkpointSchema } from "../../../domain/checkpoint-schema.ts";
import { storedDocument } from "./published-schema.ts";

export const published = storedDocument(
  "checkpoint-document",
  "A checkpoint as it is stored: the JSON in the message of the commit of refs/waymark/cp/<id>.",
  checkpointSchema,
);
