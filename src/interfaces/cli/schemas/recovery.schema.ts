import * as z from "zod";
import { recovery } from "./checkpoint-fields-schema.ts";
import { printedDocument } from "./published-schema.ts";

export const published = printedDocument("recovery", "What `waymark recover --json` prints.", {
  recovered: z.boolean().describe("False: there was no interrupted rollback."),
  outcome: recovery.outcome.nullable(),
  rollback: recovery.rollback.nullable(),
  kept: recovery.kept,
  problems: recovery.problems,
});
