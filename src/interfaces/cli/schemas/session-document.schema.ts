import { sessionSchema } from "../../../domain/session-schema.ts";
import { storedDocument } from "./published-schema.ts";

export const published = storedDocument(
  "session-document",
  "A session as it is stored: the JSON in the message of the newest commit of refs/waymark/session/<id>.",
  sessionSchema,
);
