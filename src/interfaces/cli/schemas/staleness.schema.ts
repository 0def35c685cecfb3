import { printedDocument } from "./published-schema.ts";
import { STALENESS_FIELDS } from "./staleness-fields-schema.ts";

export const published = printedDocument(
  "staleness",
  "What happened since a session stopped, and whether it can be resumed.",
  STALENESS_FIELDS,
);
