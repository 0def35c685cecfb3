import * as z from "zod";
import { printedDocument } from "./published-schema.ts";

export const published = printedDocument(
  "workflow_check",
  "What `waymark run --check --json` prints when nothing is wrong; otherwise it prints an error with every problem.",
  {
    valid: z.literal(true),
    file: z.string().nullable(),
    name: z.string(),
    type: z.string(),
    phases: z.number().int().positive(),
    nodes: z.number().int().positive(),
  },
);
