import * as z from "zod";
import { printedDocument } from "./published-schema.ts";
import { sessionSummary } from "./session-fields-schema.ts";
import { unreadableSession } from "./unreadable-session-schema.ts";

export const published = printedDocument(
  "session_list",
  "What `waymark session list --json` prints.",
  {
    sessions: z.array(sessionSummary).describe("Latest first."),
    archived_not_shown: z
      .number()
      .int()
      .nonnegative()
      .describe("How many more match but are archived; --all shows them."),
    unreadable: z.array(unreadableSession).describe("Sessions that cannot be read."),
  },
);
