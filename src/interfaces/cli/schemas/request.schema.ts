import * as z from "zod";
import { printedDocument } from "./published-schema.ts";

export const published = printedDocument(
  "request",
  "What `waymark observe --json` prints when it sends a request to the process that runs the session.",
  {
    session_id: z.string(),
    request: z.looseObject({
      id: z.string(),
      at: z.iso.datetime(),
      by: z.string().nullable(),
      command: z.string().describe("As the observer wrote it: `*pause`, `*skip-to:3` …"),
    }),
  },
);
